import Foundation
import Mocking
import Networking
import TestSupport
import Testing

/// What is no secret by its name, and may be one by its looks.
@Suite(.timeLimit(.minutes(10)))
struct TapeTokenTests {
  private let folder: TapeFolder

  init() throws {
    folder = try TapeFolder()
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private static let token = "Zx81Qw9LmN4tRv7bKp2sYd6h"

  private func recording(
    _ request: HTTPRequest, _ headers: HTTPHeaders = [:], _ body: String = "",
    _ options: Tape.Options = Tape.Options()
  ) async throws -> Tape {
    let tape = try Tape(
      folder.file(), mode: .all, over: FakeTransport { _ in .response(200, headers, body) },
      options: options)
    _ = await tape.play(request)
    return tape
  }

  @Test func anUnknownTokenFailsTheRecordingAndIsNamedByItsPlaceAlone() async throws {
    let token = Self.token
    let paths: [(HTTPRequest, HTTPHeaders, String, String)] = [
      (HTTPRequest(url: try url("https://a.test/hooks/\(token)")), [:], "", "request.url"),
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
      let expected = RecordingError.suspectedTokens(
        file: folder.file(), paths: ["log.entries[0].\(place)"])
      let error = #expect(throws: expected) { try tape.save() }
      #expect(error?.description.contains(token) == false)
      #expect(try folder.names == ["tape.har.partial"])
      let draft = try Data(contentsOf: folder.file("tape.har.partial"))
      #expect(draft.range(of: Data(token.utf8)) == nil)
    }
  }

  @Test func aTokenThatIsAllowedIsWrittenDown() async throws {
    let asked = Log<SuspectedToken>()
    let options = Tape.Options(isTokenAllowed: { suspect in
      asked.append(suspect)
      return suspect.name == "link"
    })
    let tape = try await recording(
      HTTPRequest(url: .of("https://a.test/")), [:], #"{"link":"\#(Self.token)"}"#, options)
    try tape.save()
    let suspect = try #require(asked.entries.first)
    #expect(
      suspect.value == Self.token && "\(suspect)" == "log.entries[0].response.content.text: link")
    var dump = ""
    Swift.dump(suspect, to: &dump)
    #expect(!dump.contains(Self.token))
  }

  @Test func aTokenThatTurnsOutToBeACredentialIsMaskedEverywhere() async throws {
    let network = FakeTransport { _ in .response(200, [:], #"{"value":"\#(Self.token)"}"#) }
    let tape = try Tape(folder.file(), over: network)
    _ = await tape.get("https://a.test/login")
    _ = await tape.play(
      HTTPRequest(url: .of("https://a.test/"), headers: ["Authorization": "Bearer \(Self.token)"]))
    try tape.save()
    #expect(
      try HAR(contentsOf: folder.file()).log.entries.map(\.response.content.text)
        == Array(repeating: #"{"value":"***"}"#, count: 2))
  }

  @Test func theDraftLosesWhatOnlyLaterTurnsOutToBeSecret() async throws {
    let network = FakeTransport { _ in .response(200, [:], "your number: member-0042-ann") }
    let tape = try Tape(folder.file(), over: network)
    func draft() throws -> String {
      try String(contentsOf: folder.file("tape.har.partial"), encoding: .utf8)
    }
    _ = await tape.get("https://a.test/1")
    #expect(tape.entries.count == 1)
    #expect(try draft().contains("member-0042-ann"))
    _ = await tape.get("https://a.test/2?access_token=member-0042-ann")
    #expect(tape.entries.count == 2)
    #expect(try !draft().contains("member-0042-ann"))
    #expect(try HAR(contentsOf: folder.file("tape.har.partial")).log.entries.count == 2)
  }

  @Test func aLongTextIsMaskedInReasonableTime() async throws {
    let line = "var a1=b?c:d;if(x==y){e(f=>g)}</div><p class='h'>text: more</p>;"
    let body = String(repeating: line, count: 1_024) + "password=hunter-2-trout"
    let tape = try await recording(HTTPRequest(url: .of("https://a.test/app.js")), [:], body)
    try tape.save()
    let text = try HAR(contentsOf: folder.file()).log.entries[0].response.content.text ?? ""
    #expect(text.hasSuffix("password=***") && text.hasPrefix(line))
  }

  @Test func aLargeImageInBase64IsNoPlaceToLookForNames() async throws {
    let image = Data.pattern(500_000).base64EncodedString()
    let body = #"{"image":"\#(image)==","password":"hunter-2-trout"}"#
    let tape = try await recording(HTTPRequest(url: .of("https://a.test/")), [:], body)
    try tape.save()
    #expect(
      try HAR(contentsOf: folder.file()).log.entries[0].response.content.text
        == #"{"image":"\#(image)==","password":"***"}"#)
  }

  @Test func hashesIdentifiersAndImagesAreNoTokens() async throws {
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
    #expect(try HAR(contentsOf: folder.file()).log.entries[0].response.content.text == body)
  }

  @Test func namesCanBeAddedAndTakenAway() async throws {
    let rules = Tape.Redaction(masking: ["Member-Number"], keeping: ["code"])
    let tape = try await recording(
      HTTPRequest(url: .of("https://a.test/?memberNumber=77&code=de")), [:],
      #"{"code":404,"member_number":"77"}"#, Tape.Options(redaction: rules))
    try tape.save()
    let entry = try HAR(contentsOf: folder.file()).log.entries[0]
    #expect(entry.request.url == "https://a.test/?memberNumber=***&code=de")
    #expect(entry.response.content.text == #"{"code":404,"member_number":"***"}"#)
  }
}
