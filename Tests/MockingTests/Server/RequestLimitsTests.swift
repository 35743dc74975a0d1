import Foundation
import Testing

@testable import Mocking

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

  @Test(arguments: tooLarge)
  func whatIsTooLargeIsRefusedHoweverItIsCut(status: Int, text: String) {
    #expect(Reading(text, limits: Self.limits).refusal?.status == status)
    let bytewise = Reading(Array(text.utf8).map { [$0] }, limits: Self.limits)
    #expect(bytewise.refusal?.status == status)
  }

  @Test func whatIsJustSmallEnoughIsTaken() {
    let line = "GET /" + String(repeating: "a", count: 48) + " HTTP/1.1\r\n"
    #expect(line.utf8.count == 64)
    let texts = [
      line + "Host: a\r\n\r\n", Self.post("Content-Length: 10\r\n\r\n0123456789"),
      Self.post(Self.chunked + "a\r\n0123456789\r\n0\r\n\r\n"),
      Self.post("A: a\r\nA: a\r\nA: a\r\n\r\n"),
    ]
    for text in texts {
      let reading = Reading(text, limits: Self.limits)
      #expect(reading.refusal == nil)
      #expect(reading.bodies.count == 1)
    }
  }

  @Test func aDiscardedBodyHasNoLimit() {
    var parser = RequestParser(limits: Self.limits)
    let text = Self.post("Content-Length: 11\r\n\r\n01234567890")
    Array(text.utf8).withUnsafeBytes { parser.receive($0) }
    _ = parser.next()
    parser.admit(.discard)
    #expect(parser.next() == .request(RequestBody(byteCount: 11)))
  }
}
