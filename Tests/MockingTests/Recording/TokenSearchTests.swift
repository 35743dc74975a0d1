import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings

/// The detection of tokens by their randomness.
@Suite(.gated)
struct TapeTokenTests {
  private let folder = TemporaryFolder()

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private static let token = "Zx81Qw9LmN4tRv7bKp2sYd6h"

  private func recording(
    _ request: HTTPRequest, _ headers: HTTPHeaders = [:], _ body: String = "",
    _ options: Tape.Options = Tape.Options()
  ) async throws -> Tape {
    let tape = try Tape(
      folder.tape, mode: .all, over: FakeTransport { _ in .response(200, headers, body) },
      options: options)
    _ = await tape.perform(request)
    return tape
  }

  @Test func anUnknownTokenFailsTheRecordingAndOnlyItsLocationIsReported() async throws {
    let token = Self.token
    let paths: [(HTTPRequest, HTTPHeaders, String, String)] = [
      (HTTPRequest(url: try url("https://a.test/items/\(token)")), [:], "", "request.url"),
      (
        HTTPRequest(url: .of("https://a.test/"), headers: ["X-Trace": token]), [:], "",
        "request.headers[X-Trace]"
      ),
      (
        HTTPRequest(
          method: .post, url: .of("https://a.test/"), body: .data(Data("a \(token) b".utf8))),
        [:], "", "request.postData.text"
      ),
      (
        HTTPRequest(url: .of("https://a.test/")), ["X-Trace": token], "",
        "response.headers[X-Trace]"
      ),
      (
        HTTPRequest(url: .of("https://a.test/")), [:], #"{"boards":[{"link":"\#(token)"}]}"#,
        "response.content.text: boards[0].link"
      ),
    ]
    for (request, headers, body, place) in paths {
      let tape = try await recording(request, headers, body)
      defer { withExtendedLifetime(tape) {} }
      let expected = RecordingError.suspectedTokens(
        file: folder.tape, paths: ["log.entries[0].\(place)"])
      let error = #expect(throws: expected) { try tape.save() }
      #expect(error?.description.contains(token) == false)
      #expect(folder.names == ["tape.har.lock", "tape.har.partial"])
      let draft = try Data(contentsOf: folder.url("tape.har.partial"))
      #expect(draft.range(of: Data(token.utf8)) == nil)
    }
  }

  @Test func aTokenInTheTextOfAFailureIsReported() async throws {
    let tape = try Tape(
      folder.tape, mode: .all,
      over: FakeTransport { _ in
        [.failure(TransportFailure(code: .connectionLost, detail: Self.token))]
      })
    _ = await tape.perform(HTTPRequest(url: .of("https://a.test/")))
    let expected = RecordingError.suspectedTokens(
      file: folder.tape, paths: ["log.entries[0].response._errorDetail"])
    #expect(throws: expected) { try tape.save() }
  }

  @Test(arguments: [
    ("\\ud83d\\ude00a", "😀a"), ("\\u00e9", "é"), ("%C3%A9+b", "é b"), ("&lt;&#39;&#x27;", "<''"),
    ("a\\/b\\n", "a/b"), ("%2525", "%"), ("&nope;", "&nope;"),
  ])
  func allEncodingsOfASecretAreEqual(encoded: String, secret: String) {
    #expect(SecretEncodings.decoded(encoded) == secret)
  }

  @Test func aTokenThatIsTheNameOfAMemberIsReportedByTheLocationOfItsObject() async throws {
    let tape = try await recording(
      HTTPRequest(url: .of("https://a.test/")), [:], #"{"boards":{"\#(Self.token)":1}}"#)
    let expected = RecordingError.suspectedTokens(
      file: folder.tape, paths: ["log.entries[0].response.content.text: boards"])
    let error = #expect(throws: expected) { try tape.save() }
    #expect(error?.description.contains(Self.token) == false)
  }

  @Test func anAllowedTokenIsRecorded() async throws {
    let suspects = Log<SuspectedToken>()
    let options = Tape.Options(isTokenAllowed: { suspect in
      suspects.append(suspect)
      return suspect.name == "link"
    })
    let tape = try await recording(
      HTTPRequest(url: .of("https://a.test/")), [:], #"{"link":"\#(Self.token)"}"#, options)
    try tape.save()
    let suspect = try #require(suspects.entries.first)
    #expect(
      suspect.value == Self.token && "\(suspect)" == "log.entries[0].response.content.text: link")
    var dump = ""
    Swift.dump(suspect, to: &dump)
    #expect(!dump.contains(Self.token))
  }

  @Test func aTokenUsedAsACredentialIsMaskedEverywhere() async throws {
    let network = FakeTransport { _ in .response(200, [:], #"{"value":"\#(Self.token)"}"#) }
    let tape = try Tape(folder.tape, over: network)
    _ = await tape.get("https://a.test/login")
    _ = await tape.perform(
      HTTPRequest(url: .of("https://a.test/"), headers: ["Authorization": "Bearer \(Self.token)"]))
    try tape.save()
    let texts = try HAR(contentsOf: folder.tape).log.entries.map { $0.response.content.text ?? "" }
    #expect(texts[0] == texts[1])
    #expect(RecordingPlaceholder.generalized(texts[0]) == #"{"value":"***"}"#)
  }

  @Test func thePartialFileMasksSecretsDiscoveredLater() async throws {
    let network = FakeTransport { _ in .response(200, [:], "your number: member-0042-ann") }
    let tape = try Tape(folder.tape, over: network)
    func partialFile() throws -> String {
      try String(contentsOf: folder.url("tape.har.partial"), encoding: .utf8)
    }
    _ = await tape.get("https://a.test/1")
    #expect(tape.entries.count == 1)
    #expect(try partialFile().contains("member-0042-ann"))
    _ = await tape.get("https://a.test/2?access_token=member-0042-ann")
    #expect(tape.entries.count == 2)
    #expect(try !partialFile().contains("member-0042-ann"))
    #expect(try HAR(contentsOf: folder.url("tape.har.partial")).log.entries.count == 2)
  }

  @Test func aLongTextIsMaskedInLinearTime() async throws {
    let line = "var a1=b?c:d;if(x==y){e(f=>g)}</div><p class='h'>text: more</p>;"
    let body = String(repeating: line, count: 1_024) + "password=hunter-2-trout"
    let tape = try await recording(HTTPRequest(url: .of("https://a.test/app.js")), [:], body)
    try tape.save()
    let text = try HAR(contentsOf: folder.tape).log.entries[0].response.content.text ?? ""
    #expect(RecordingPlaceholder.generalized(text).hasSuffix("password=***"))
    #expect(text.hasPrefix(line))
  }

  @Test func aLargeBase64ImageIsNotSearchedForNames() async throws {
    let image = Data.pattern(500_000).base64EncodedString()
    let body = #"{"image":"\#(image)==","password":"hunter-2-trout"}"#
    let tape = try await recording(HTTPRequest(url: .of("https://a.test/")), [:], body)
    try tape.save()
    let text = try HAR(contentsOf: folder.tape).log.entries[0].response.content.text ?? ""
    #expect(
      RecordingPlaceholder.generalized(text) == #"{"image":"\#(image)==","password":"***"}"#)
  }

  @Test func hashesIdentifiersAndImagesAreNotTokens() async throws {
    let image = Data.pattern(600).base64EncodedString()
    let body = """
      {"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",\
      "id":"9f86d081884c7d659a2feaa0c55ad015","uuid":"123e4567-e89b-12d3-a456-426614174000",\
      "plan":"Basic plan, 1 a month","icon":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA8pM2R7","image":"\(image)"}
      """
    let tape = try await recording(
      HTTPRequest(url: .of("https://a.test/")),
      ["ETag": "\"9f86d081884c7d659a2feaa0c55ad015\"", "X-Request-Id": Self.token], body)
    try tape.save()
    #expect(try HAR(contentsOf: folder.tape).log.entries[0].response.content.text == body)
  }

  @Test func namesCanBeAddedAndRemoved() async throws {
    let rules = Tape.Redaction(masking: ["Member-Number"], keeping: ["code"])
    let tape = try await recording(
      HTTPRequest(url: .of("https://a.test/?memberNumber=77&code=de")), [:],
      #"{"code":404,"member_number":"77"}"#, Tape.Options(redaction: rules))
    try tape.save()
    let entry = try HAR(contentsOf: folder.tape).log.entries[0]
    #expect(
      RecordingPlaceholder.generalized(entry.request.url)
        == "https://a.test/?memberNumber=***&code=de")
    #expect(
      RecordingPlaceholder.generalized(entry.response.content.text ?? "")
        == #"{"code":404,"member_number":"***"}"#)
  }
}

@Suite(.gated) struct TokenDetectorTests {
  @Test(arguments: [
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEK3Y", "9f86d081884c7d659a2feaa0c55ad015",
    "k3j9x0qpw8r7t6y5u4i3", "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "https://hooks.example.com/services/T00000000/B00000000/7fXkQ2p9ZbL4mN8sVtR1cYwE",
  ])
  func tokensAreDetected(_ text: String) {
    #expect(!TokenDetector.tokens(in: text).isEmpty)
  }

  @Test(arguments: [
    "123e4567-e89b-12d3-a456-426614174000", "507f1f77bcf86cd799439011",
    "2026-11-21-report-of-q3-v2-final3-x86-64", "/v1/boards/7/cards/12/items/9/comments/3",
    "applicationDidFinishLaunchingWithOptions2", "2026-11-21T06:09:23.123456Z",
    "12345678901234567890123",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "internationalization",
    "aaaaaaaaaaaaaaaaaaaaaaaa1",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "max-age=31536000; includeSubDomains", "api.eu-central-1.elb.amazonaws.com",
  ])
  func naturalTextIsNotAToken(_ text: String) {
    #expect(TokenDetector.tokens(in: text).isEmpty)
  }

  @Test func nearlyAllRandomTokensAreDetected() {
    var random = SeededRandom(seed: 7)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    let alphabets = [
      ("base64", Array(letters + "-_")), ("base62", Array(letters)),
      ("hex", Array("0123456789abcdef")),
      ("base36", Array("abcdefghijklmnopqrstuvwxyz0123456789")),
    ]
    for (name, alphabet) in alphabets {
      for (length, least) in [(24, 850), (32, 930), (43, 960)] {
        var found = 0
        for _ in 1...1_000 {
          let token = String(
            (0..<length).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
          if !TokenDetector.tokens(in: token).isEmpty { found += 1 }
        }
        #expect(found >= least || (name == "hex" && length == 24), "\(name), \(length): \(found)")
      }
    }
  }

  private struct SeededRandom {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
