import Foundation
import TestGate
import Testing

@testable import Networking
@testable import NetworkingTransfers

@Suite(.gated)
struct HTTPDateTests {
  private let now = Date(timeIntervalSince1970: 1_790_000_000)  // 21 September 2026

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func allThreeFormatsAreParsedInAnyCase(_ text: String) {
    for text in [text, text.uppercased(), text.lowercased()] {
      #expect(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: 784_111_777), "\(text)")
    }
  }

  /// Each reader of a date of a header field.
  @Test func aFieldMayHaveADateInCapitals() {
    let date = "SUN, 06 NOV 1994 08:49:37 GMT"
    let then = Date(timeIntervalSince1970: 784_111_777)
    let retry: HTTPHeaders = ["Retry-After": date]
    #expect(RetryAfter.delay(in: retry, now: then.addingTimeInterval(-90)) == .seconds(90))
    #expect(SetCookie("a=1; Expires=\(date)")?.expires == then)
    let fields: HTTPHeaders = ["Date": "SUN, 06 NOV 1994 08:50:37 GMT", "Last-Modified": date]
    #expect(StrongValidator(fields, now: now) != nil)
  }

  @Test func aDayOfAsctimeHasOneDigitOrTwo() {
    let date = HTTPDate.parse("Wed, 16 Nov 1994 08:49:37 GMT", now: now)
    #expect(HTTPDate.parse("Wed Nov 16 08:49:37 1994", now: now) == date && date != nil)
  }

  @Test(arguments: [784_111_777, 0, 951_782_400, 1_790_000_000, 253_402_300_799])
  func formattedDatesRoundTrip(_ seconds: Int) {
    let date = Date(timeIntervalSince1970: Double(seconds))
    #expect(HTTPDate.parse(HTTPDate.text(of: date), now: now) == date)
  }

  @Test func formattedDatesUseThePreferredFormat() {
    let date = Date(timeIntervalSince1970: 784_111_777.9)
    #expect(HTTPDate.text(of: date) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  /// No date traps, and each text is read again.
  @Test(arguments: [
    (-Double.infinity, "Sat, 30 Dec 0000 00:00:00 GMT"),
    (.nan, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
    (1e18, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"),
  ])
  func everyDateHasAText(_ seconds: Double, _ text: String) {
    #expect(HTTPDate.text(of: Date(timeIntervalSince1970: seconds)) == text)
    #expect(HTTPDate.parse(text, now: now).map(HTTPDate.text) == text)
  }

  @Test(arguments: [
    ("Friday, 01-Jan-99 00:00:00 GMT", "Fri, 01 Jan 1999 00:00:00 GMT"),
    ("Wednesday, 01-Jan-76 00:00:00 GMT", "Wed, 01 Jan 2076 00:00:00 GMT"),
    ("Saturday, 01-Jan-77 00:00:00 GMT", "Sat, 01 Jan 1977 00:00:00 GMT"),
    ("Saturday, 01-Jan-26 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:00 GMT"),
  ])
  func twoDigitYearsAreAtMostFiftyYearsAhead(_ text: String, _ same: String) throws {
    let date = try #require(HTTPDate.parse(text, now: now))
    #expect(date == HTTPDate.parse(same, now: now))
  }

  @Test func theLastLeapSecondStaysInTheYear9999() throws {
    let leap = try #require(HTTPDate.parse("Fri, 31 Dec 9999 23:59:60 GMT", now: now))
    #expect(HTTPDate.text(of: leap) == "Fri, 31 Dec 9999 23:59:59 GMT")
  }

  @Test func aLeapSecondIsTheNextSecond() {
    let leap = HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT", now: now)
    #expect(leap == HTTPDate.parse("Sun, 01 Jan 2017 00:00:00 GMT", now: now) && leap != nil)
  }

  @Test(arguments: [
    "", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 30 Feb 2026 08:49:37 GMT", "Thu, 29 Feb 1900 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nev 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 006 08:49:37 1994",
    "Sun Nov  66 08:49:37 1994", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
    "Sun,  06 Nov 1994 08:49:37 GMT", "Sun", "Sun, ", "Sun, 06 Nov 1994 08:49:3",
    "Sunday Nov  6 08:49:37 1994", "Son, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 November 1994 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT",
  ])
  func invalidDatesAreNil(_ text: String) {
    #expect(HTTPDate.parse(text, now: now) == nil)
  }
}
