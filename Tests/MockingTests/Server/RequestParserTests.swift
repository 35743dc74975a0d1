import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// The requests that a parser reads from bytes, each of which receives its response immediately.
struct ParsedRequests: Equatable {
  var heads: [RequestHead] = []
  var bodies: [RequestBody] = []
  var parseError: HTTPParseError?
  /// The pieces of bodies that are streamed.
  var pieces: [Data] = []

  /// Passes the pieces to a parser in order.
  init(
    _ input: [[UInt8]], limits: MockServerLimits = MockServerLimits(),
    policy: RequestParser.BodyPolicy = .collect, isNeeded: Bool = false, room: Int = .max
  ) {
    var parser = RequestParser(limits: limits)
    parser.bodyRoom = room
    for piece in input {
      piece.withUnsafeBytes { parser.receive($0) }
      while let event = parser.next() {
        switch event {
        case .head(let head):
          heads.append(head)
          parser.receiveBody(policy, isNeeded: isNeeded)
        case .bodyPiece(let piece): pieces.append(piece)
        case .request(let body):
          bodies.append(body)
          parser.responded()
        case .parseError(let parseError): self.parseError = parseError
        }
      }
    }
  }

  init(_ text: String, limits: MockServerLimits = MockServerLimits()) {
    self.init([Array(text.utf8)], limits: limits)
  }
}

@Suite(.gated)
struct RequestParserTests {
  @Test(arguments: [
    "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789",
    "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n",
  ])
  func aLargeBodyIsReturnedInPiecesAndASmallOneAsAWhole(text: String) {
    let bytes = text.utf8.map { [$0] }
    let streamed = ParsedRequests(bytes + bytes, policy: .stream(after: 4))
    #expect(streamed.pieces.first == Data("01234".utf8))
    #expect(streamed.pieces.count { $0 == Data("01234".utf8) } == 2)
    #expect(streamed.parseError == nil)
    #expect(streamed.bodies.map(\.byteCount) == [10, 10])
    let all = streamed.pieces.reduce(Data(), +) + streamed.bodies.reduce(Data()) { $0 + $1.data }
    #expect(all.count == 20)
    let whole = ParsedRequests(bytes, policy: .stream(after: 10))
    #expect(whole.pieces.isEmpty)
    #expect(whole.bodies.map(\.data) == [Data("0123456789".utf8)])
  }

  static let get = "GET /boards/7?x=1 HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nAccept: \t a, b \r\n\r\n"
  static let sized = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
  static let chunked =
    "PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    + "5;name=\"v\"\r\nhello\r\n00A \r\n, the worl\r\n1\r\nd\r\n0;last\r\nX-Sum: 9\r\n\r\n"

  @Test func aHeadIsParsedCompletely() throws {
    let parsed = ParsedRequests(Self.get)
    let head = try #require(parsed.heads.first)
    #expect(head.method == .get)
    #expect(head.target == "/boards/7?x=1")
    #expect(head.minorVersion == 1)
    #expect(head.headers == ["Host": "a", "X-Empty": "", "Accept": "a, b"])
    #expect(head.framing == .none)
    #expect(head.keepsAlive)
    #expect(parsed.bodies == [RequestBody()])
  }

  @Test func aBodyEndsAtItsContentLength() throws {
    let body = try #require(ParsedRequests(Self.sized + "GET").bodies.first)
    #expect(body.data == Data("hello".utf8))
    #expect(body.byteCount == 5)
  }

  @Test func chunksWithExtensionsAndTrailersAreDecoded() throws {
    let body = try #require(ParsedRequests(Self.chunked).bodies.first)
    #expect(body.data == Data("hello, the world".utf8))
    #expect(body.trailers == ["X-Sum": "9"])
  }

  @Test func pipelinedRequestsAreParsedInOrder() {
    let parsed = ParsedRequests(Self.get + Self.sized + "\r\n\r\n" + Self.chunked + Self.get)
    #expect(parsed.heads.map(\.method) == [.get, .post, .put, .get])
    #expect(parsed.bodies.map(\.byteCount) == [0, 5, 16, 0])
  }

  @Test func theResultIsIndependentOfFragmentation() {
    let bytes = Array((Self.get + Self.chunked + Self.sized + Self.get).utf8)
    let whole = ParsedRequests([bytes])
    #expect(whole.bodies.count == 4)
    for cut in bytes.indices {
      #expect(
        ParsedRequests([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "cut at \(cut)")
    }
    #expect(ParsedRequests(bytes.map { [$0] }) == whole)
  }

  @Test func theNextRequestIsParsedAfterTheResponse() {
    var parser = RequestParser()
    Array((Self.sized + Self.get).utf8).withUnsafeBytes { parser.receive($0) }
    guard case .head = parser.next() else { return #expect(Bool(false), "expected a head") }
    #expect(parser.next() == nil)
    parser.receiveBody(.discard)
    #expect(parser.next() == .request(RequestBody(byteCount: 5)))
    #expect(parser.next() == nil)
    parser.responded()
    guard case .head(let head) = parser.next() else {
      return #expect(Bool(false), "expected a second head")
    }
    #expect(head.method == .get)
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.0", "", false),
    ("HTTP/1.1", "Connection: close\r\n", false), ("HTTP/1.1", "connection: x, Close\r\n", false),
    ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
  ])
  func theRequestDeterminesWhetherTheConnectionStaysOpen(
    version: String, line: String, keepsAlive: Bool
  ) {
    let parsed = ParsedRequests("GET / \(version)\r\nHost: a\r\n\(line)\r\n")
    #expect(parsed.heads.map(\.keepsAlive) == [keepsAlive])
  }

  @Test(arguments: [
    "", "a", "a:", "a.example:8080", "127.0.0.1:80", "[::1]:80", "[v1.a]", "%61",
    "a_b~c!$&'()*+,;=",
  ])
  func aHostIsANameOrAnAddressWithAnOptionalPort(_ host: String) {
    #expect(ParsedRequests("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").heads.count == 1)
  }

  @Test(arguments: [
    "a b", "a/b", "http://a", "a@b", "a:b", "a:80:80", "a,b/", "[::1", "[]", "[::1]a", "::1", "%6",
    "%zz",
    "a?b", "é", "a#",
  ])
  func aMalformedHostIsRejected(_ host: String) {
    #expect(
      ParsedRequests("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").parseError
        == HTTPParseError(400, "the Host field is malformed"))
  }

  private static let badInput: [(Int, String)] = [
    (400, "GET\r\n\r\n"), (400, "GET / HTTP/1.1 x\r\n"), (400, "GET  / HTTP/1.1\r\n"),
    (400, "G@T / HTTP/1.1\r\n"), (400, "GET nowhere HTTP/1.1\r\n"), (400, "GET * HTTP/1.1\r\n"),
    (400, "GET /\u{e9} HTTP/1.1\r\n"), (400, "GET / HTTP/1.1\nHost: a\n\n"),
    (400, "GET / HTTP/1.1\r\n\r\n"), (400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    (400, "GET / http/1.1\r\n"), (400, "\u{16}\u{3}\u{1}\u{2}\r\n"),
    (505, "GET / HTTP/2.0\r\n"), (505, "GET / HTTP/1.2\r\n"),
    (400, "GET / HTTP/1.1\r\nHost a\r\n"), (400, "GET / HTTP/1.1\r\nHost : a\r\n"),
    (400, "GET / HTTP/1.1\r\nA: b\r\n folded\r\n"), (400, "GET / HTTP/1.1\r\n: b\r\n"),
    (400, "GET / HTTP/1.1\r\nA: b\rc\r\n"), (400, "GET / HTTP/1.1\r\nA: b\0\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
    (413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"),
    (413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000001\r\n\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
    (400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (417, "POST / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nContent-Length: 1\r\n\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n"),
    (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbad\r\n\r\n"),
  ]

  @Test(arguments: badInput)
  func invalidInputIsRejectedForAnyFragmentation(status: Int, text: String) {
    let whole = ParsedRequests(text)
    #expect(whole.parseError?.status == status)
    #expect(ParsedRequests(Array(text.utf8).map { [$0] }).parseError == whole.parseError)
  }

  @Test func noRequestFollowsARejection() {
    let parsed = ParsedRequests("BAD\r\n" + Self.get)
    #expect(parsed.parseError?.status == 400)
    #expect(parsed.heads.isEmpty)
  }
}

@Suite(.gated)
struct RequestLimitsTests {
  private static let limits: MockServerLimits = {
    var limits = MockServerLimits()
    limits.requestLineBytes = 64
    limits.headBytes = 256
    limits.headerCount = 4
    limits.bodyBytes = 10
    return limits
  }()

  private static func post(_ rest: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n" + rest }
  private static let chunked = "Transfer-Encoding: chunked\r\n\r\n"

  private static let tooLarge: [(Int, String)] = [
    (414, "GET /" + String(repeating: "a", count: 64) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
    (414, String(repeating: "G", count: 64)),
    (431, post("A: " + String(repeating: "a", count: 256) + "\r\n\r\n")),
    (431, post(String(repeating: "a", count: 256))),
    (431, post(String(repeating: "A: a\r\n", count: 5))),
    (413, post("Content-Length: 11\r\n\r\n")),
    (413, post(chunked + "6\r\nabcdef\r\n5\r\nabcde\r\n")),
    (431, post(chunked + "0\r\n" + String(repeating: "A: a\r\n", count: 5))),
    (431, post(chunked + "0\r\nA: " + String(repeating: "a", count: 256))),
  ]

  @Test func theLimitOfAHeadIsExact() {
    let field = "A: " + String(repeating: "a", count: 225)
    let head = Self.post("\(field)\r\n\r\n")
    #expect(head.utf8.count == 256 + 2)
    let exact = Self.post("\(field.dropLast(2))\r\n\r\n")
    #expect(ParsedRequests(exact, limits: Self.limits).heads.count == 1)
    let longer = Self.post("\(field.dropLast())\r\n\r\n")
    #expect(ParsedRequests(longer, limits: Self.limits).parseError?.status == 431)
  }

  @Test(arguments: tooLarge)
  func oversizedRequestsAreRejectedForAnyFragmentation(status: Int, text: String) {
    #expect(ParsedRequests(text, limits: Self.limits).parseError?.status == status)
    let bytewise = ParsedRequests(Array(text.utf8).map { [$0] }, limits: Self.limits)
    #expect(bytewise.parseError?.status == status)
  }

  @Test func requestsAtTheLimitsAreAccepted() {
    let line = "GET /" + String(repeating: "a", count: 48) + " HTTP/1.1\r\n"
    #expect(line.utf8.count == 64)
    let texts = [
      line + "Host: a\r\n\r\n", Self.post("Content-Length: 10\r\n\r\n0123456789"),
      Self.post(Self.chunked + "a\r\n0123456789\r\n0\r\n\r\n"),
      Self.post("A: a\r\nA: a\r\nA: a\r\n\r\n"),
    ]
    for text in texts {
      let parsed = ParsedRequests(text, limits: Self.limits)
      #expect(parsed.parseError == nil)
      #expect(parsed.bodies.count == 1)
    }
  }

  @Test func aDiscardedBodyHasNoLimit() {
    var machine = RequestParser(limits: Self.limits)
    let text = Self.post("Content-Length: 11\r\n\r\n01234567890")
    Array(text.utf8).withUnsafeBytes { machine.receive($0) }
    _ = machine.next()
    machine.receiveBody(.discard)
    #expect(machine.next() == .request(RequestBody(byteCount: 11)))
  }
}

/// Deterministic random mutations of requests.
@Suite(.gated)
struct RequestFuzzTests {
  private static let seeds = [
    RequestParserTests.get, RequestParserTests.sized, RequestParserTests.chunked,
    RequestParserTests.get + RequestParserTests.chunked + RequestParserTests.sized,
  ].map { Array($0.utf8) }

  @Test(.gated)
  func tenThousandMutatedRequestsParseIndependentlyOfTheirFragmentation() throws {
    var random = SeededGenerator(seed: 20_240_601)
    var refused = 0
    for _ in 0..<10_000 {
      let bytes = mutated(try #require(Self.seeds.randomElement(using: &random)), &random)
      let whole = ParsedRequests([bytes])
      if whole.parseError != nil { refused += 1 }
      let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
      let pieces = zip([0] + cuts, cuts + [bytes.count]).map { Array(bytes[$0..<$1]) }
      #expect(ParsedRequests(pieces) == whole)
    }
    // Some mutations are rejected and some accepted, so both paths of the parser are covered.
    #expect((2_000...9_900).contains(refused))
  }

  private func mutated(_ seed: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = seed
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let at = Int.random(in: 0..<max(bytes.count, 1), using: &random)
      guard bytes.indices.contains(at) else { break }
      let odd: [UInt8] = [0, 9, 10, 13, 32, 37, 45, 48, 57, 58, 59, 65, 70, 127, 128, 255]
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[at] = odd.randomElement(using: &random) ?? 0
      case 2: bytes.insert(odd.randomElement(using: &random) ?? 0, at: at)
      case 3: bytes.remove(at: at)
      default:
        let end = min(bytes.count, at + Int.random(in: 1...20, using: &random))
        bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...at, using: &random))
      }
    }
    return bytes
  }
}
