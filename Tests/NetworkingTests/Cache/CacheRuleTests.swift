import Foundation
import NetworkingValues
import TestGate
import Testing

@testable import Networking

/// Rules of the cache that need no client.
@Suite(.gated)
struct CacheRuleTests {
  private let start = Date(timeIntervalSince1970: 1_800_000_000)

  private func stored(_ headers: HTTPHeaders) -> StoredResponse {
    StoredResponse(
      HTTPResponseHead(status: 200, headers: headers), requestTime: start, responseTime: start,
      for: CacheSelector(), body: .data(Data("one".utf8)))
  }

  @Test func aConfirmedResponseWithoutADateGetsTheTimeOfItsConfirmation() {
    let old = stored(["Date": "Mon, 01 Jan 2024 00:00:00 GMT", "Age": "100", "X-A": "1"])
    let later = start + 60
    func merged(_ headers: HTTPHeaders) -> HTTPHeaders {
      CacheValidation.merged(
        old, with: HTTPResponseHead(status: 304, headers: headers), requestTime: later,
        responseTime: later
      ).head.headers
    }
    let without = merged(["X-A": "2"])
    #expect(without["Date"] == HTTPDate.text(of: later))
    #expect(without["Age"] == nil && without["X-A"] == "2")
    let date = "Tue, 02 Jan 2024 00:00:00 GMT"
    #expect(merged(["Date": date, "Age": "7"])["Date"] == date)
    #expect(merged(["Date": date, "Age": "7"])["Age"] == "7")
  }

  @Test func aClockSetBackByMoreThanAMinuteMakesAResponseOld() {
    let rules = stored(["Cache-Control": "max-age=100"]).rules
    #expect(rules.age(at: start - 60) == 0)
    #expect(rules.age(at: start - 60.5) == .greatestFiniteMagnitude)
    #expect(rules.age(at: start + 5) == 5)
  }

  @Test func theEscapesOfALocationAreUnchanged() throws {
    let head = HTTPResponseHead(
      status: 201,
      headers: ["Location": "/b[1]%2F?q=%20", "Content-Location": "https://a.example/c|%2F"])
    let keys = CacheRules.invalidated(
      by: .post, try #require(URL(string: "https://a.example/a")), head)
    #expect(
      keys.map(\.text) == [
        "https://a.example/a", "https://a.example/b%5B1%5D%2F?q=%20", "https://a.example/c%7C%2F",
      ])
  }

  @Test func aLimitOfMemoryHasUnits() {
    #expect(ValueCacheCost.kilobytes(2).bytes == 2_048)
    #expect(ValueCacheCost.megabytes(2).bytes == 2_097_152)
    #expect(ValueCacheCost.megabytes(.max).bytes == .max)
  }
}
