import Foundation
import Networking
import Testing

@testable import Mocking

/// The requests that a parser reads from bytes, with each response sent at once.
struct Reading: Equatable {
  var heads: [RequestHead] = []
  var bodies: [RequestBody] = []
  var refusal: HTTPParseError?

  /// Feeds the pieces one by one.
  init(_ pieces: [[UInt8]], limits: MockServerLimits = MockServerLimits()) {
    var parser = RequestParser(limits: limits)
    for piece in pieces {
      piece.withUnsafeBytes { parser.receive($0) }
      while let event = parser.next() {
        switch event {
        case .head(let head):
          heads.append(head)
          parser.admit(.collect)
        case .request(let body):
          bodies.append(body)
          parser.responded()
        case .refusal(let refusal): self.refusal = refusal
        }
      }
    }
  }

  init(_ text: String, limits: MockServerLimits = MockServerLimits()) {
    self.init([Array(text.utf8)], limits: limits)
  }
}

struct RequestMachineTests {
  static let get = "GET /boards/7?x=1 HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nAccept: \t a, b \r\n\r\n"
  static let sized = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
  static let chunked =
    "PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    + "5;name=\"v\"\r\nhello\r\n00A \r\n, the worl\r\n1\r\nd\r\n0;last\r\nX-Sum: 9\r\n\r\n"

  @Test func aHeadHasItsParts() throws {
    let reading = Reading(Self.get)
    let head = try #require(reading.heads.first)
    #expect(head.method == .get)
    #expect(head.target == "/boards/7?x=1")
    #expect(head.minorVersion == 1)
    #expect(head.headers == ["Host": "a", "X-Empty": "", "Accept": "a, b"])
    #expect(head.framing == .none)
    #expect(head.keepsAlive)
    #expect(reading.bodies == [RequestBody()])
  }

  @Test func aSizedBodyEndsWithItsLength() throws {
    let body = try #require(Reading(Self.sized + "GET").bodies.first)
    #expect(body.data == Data("hello".utf8))
    #expect(body.byteCount == 5)
  }

  @Test func chunksWithExtensionsAndTrailersAreDecoded() throws {
    let body = try #require(Reading(Self.chunked).bodies.first)
    #expect(body.data == Data("hello, the world".utf8))
    #expect(body.trailers == ["X-Sum": "9"])
  }

  @Test func requestsSentAheadComeInOrder() {
    let reading = Reading(Self.get + Self.sized + "\r\n\r\n" + Self.chunked + Self.get)
    #expect(reading.heads.map(\.method) == [.get, .post, .put, .get])
    #expect(reading.bodies.map(\.byteCount) == [0, 5, 16, 0])
  }

  @Test func whereTheBytesAreCutMakesNoDifference() {
    let bytes = Array((Self.get + Self.chunked + Self.sized + Self.get).utf8)
    let whole = Reading([bytes])
    #expect(whole.bodies.count == 4)
    for cut in bytes.indices {
      #expect(Reading([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "cut at \(cut)")
    }
    #expect(Reading(bytes.map { [$0] }) == whole)
  }

  @Test func theNextRequestWaitsForTheAnswer() {
    var parser = RequestParser()
    Array((Self.sized + Self.get).utf8).withUnsafeBytes { parser.receive($0) }
    guard case .head = parser.next() else { return #expect(Bool(false), "there is no head") }
    #expect(parser.next() == nil)
    parser.admit(.discard)
    #expect(parser.next() == .request(RequestBody(byteCount: 5)))
    #expect(parser.next() == nil)
    parser.responded()
    guard case .head(let head) = parser.next() else {
      return #expect(Bool(false), "no second head")
    }
    #expect(head.method == .get)
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.0", "", false),
    ("HTTP/1.1", "Connection: close\r\n", false), ("HTTP/1.1", "connection: x, Close\r\n", false),
    ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
  ])
  func whetherTheConnectionStaysOpenIsAsAsked(version: String, line: String, keepsAlive: Bool) {
    let reading = Reading("GET / \(version)\r\nHost: a\r\n\(line)\r\n")
    #expect(reading.heads.map(\.keepsAlive) == [keepsAlive])
  }

  @Test(arguments: [
    "", "a", "a:", "a.example:8080", "127.0.0.1:80", "[::1]:80", "[v1.a]", "%61",
    "a_b~c!$&'()*+,;=",
  ])
  func aHostIsANameOrAnAddressAndPerhapsAPort(_ host: String) {
    #expect(Reading("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").heads.count == 1)
  }

  @Test(arguments: [
    "a b", "a/b", "http://a", "a@b", "a:b", "a:80:80", "a,b/", "[::1", "[]", "[::1]a", "::1", "%6",
    "%zz",
    "a?b", "é", "a#",
  ])
  func aMalformedHostIsRefused(_ host: String) {
    #expect(
      Reading("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").refusal
        == HTTPParseError(400, "the Host is malformed"))
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
  func badInputIsRefusedHoweverItIsCut(status: Int, text: String) {
    let whole = Reading(text)
    #expect(whole.refusal?.status == status)
    #expect(Reading(Array(text.utf8).map { [$0] }).refusal == whole.refusal)
  }

  @Test func nothingComesAfterARefusal() {
    let reading = Reading("BAD\r\n" + Self.get)
    #expect(reading.refusal?.status == 400)
    #expect(reading.heads.isEmpty)
  }
}
