import Foundation
import TestGate
import Testing

@testable import Networking

@Suite(.gated)
struct RetryAfterTests {
  private let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

  @Test(arguments: [
    ("0", 0), ("120", 120), (" 7 ", 7), ("Sun, 06 Nov 1994 08:50:07 GMT", 30),
    ("Sunday, 06-Nov-94 08:50:07 GMT", 30), ("Sun Nov  6 08:50:07 1994", 30),
    ("Sun, 06 Nov 1994 08:49:07 GMT", 0),
    ("99999999999999999999", 2_147_483_647), ("Sun, 06 Nov 9994 08:49:07 GMT", 2_147_483_647),
  ])
  func secondsAndDatesAreParsed(_ value: String, _ seconds: Int) {
    #expect(RetryAfter.delay(in: ["retry-after": value], now: now) == .seconds(seconds))
  }

  @Test func fractionsOfASecondAreParsed() {
    for (value, milliseconds) in [("1.5", 1_500), ("0.25", 250), (".5", 500)] {
      #expect(
        RetryAfter.delay(in: ["Retry-After": value], now: now) == .milliseconds(milliseconds))
    }
  }

  @Test(arguments: ["", "-1", "1.2.3", ".", "1e3", "inf", "soon", "1 2"])
  func invalidValuesAreNil(_ value: String) {
    #expect(RetryAfter.delay(in: ["Retry-After": value], now: now) == nil)
    #expect(RetryAfter.delay(in: [:], now: now) == nil)
  }

  @Test func theFirstOfSeveralValuesApplies() {
    #expect(
      RetryAfter.delay(in: ["Retry-After": "3", "retry-After": "9"], now: now) == .seconds(3))
  }
}
