import Foundation
import TestGate
import Testing

@testable import Networking

/// The dates of cookies, by RFC 6265bis section 5.1.1.
@Suite(.gated)
struct CookieDateTests {
  private static let noon = 784_123_200.0  // Sun, 06 Nov 1994 12:00:00 GMT

  private static func seconds(_ text: String) -> Double? {
    CookieDate.parse(text.utf8)?.timeIntervalSince1970
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 12:00:00 GMT", "Sunday, 06-Nov-94 12:00:00 GMT", "Sun Nov  6 12:00:00 1994",
    "06 Nov 1994 12:00:00", "12:00:00 6 nov 94", "12:00:00 06 NOVEMBER 1994",
    "Nov 6 12:0:0 1994 GMT+0200", "6;nov;1994;12:00:00", "\t6 Nov\t1994 12:00:00\t",
    "6th Nov 1994 12:00:00.500", "12:00:00Z 6 Nov 1994AD", "(6) [Nov] {1994} 12:00:00",
    "Sun, 06 Nov 1994 12:00:00 GMT 07 Dec 1995 13:00:00", "garbage 6 more Nov words 1994 12:00:00",
  ])
  func aDateIsFoundInAnyOrder(_ text: String) {
    #expect(Self.seconds(text) == Self.noon)
  }

  @Test(arguments: [
    "", " ", "soon", "06 Nov 1994", "12:00:00", "06 Nov 12:00:00", "Nov 1994 12:00:00",
    "00 Nov 1994 12:00:00", "32 Nov 1994 12:00:00", "31 Nov 1994 12:00:00",
    "30 Feb 1996 12:00:00", "29 Feb 1900 12:00:00", "29 Feb 1995 12:00:00", "06 Nov 1600 12:00:00",
    "06 Nov 1994 24:00:00", "06 Nov 1994 12:60:00", "06 Nov 1994 12:00:60",
    "06 Nov 1994 12:00", "06 Nov 1994 123:00:00", "06 Nov 1994 12:00:000", "06 Nov 19944 12:00:00",
    "006 Nov 94 12:00:00", "06 Xov 1994 12:00:00", "06 No 1994 12:00:00", "06 Nov 1994 12: 00:00",
    "06 Nov 9 12:00:00", "06 Nov 1994 -12:00:00x:", "٠٦ Nov 1994 12:00:00", "06 Nov 1994 ::",
  ])
  func aDateThatDoesNotExistIsIgnored(_ text: String) {
    let found = Self.seconds(text)
    // A sign is a delimiter, so this one has a time.
    #expect(text.contains("-12") ? found == Self.noon : found == nil)
  }

  @Test(arguments: [(0, 2000), (69, 2069), (70, 1970), (99, 1999)])
  func aYearOfTwoDigitsIsBetween1970And2069(_ digits: Int, _ year: Int) {
    let text = digits < 10 ? "0\(digits)" : "\(digits)"
    #expect(
      Self.seconds("01 Jan \(text) 00:00:00") == Self.seconds("01 Jan \(year) 00:00:00"))
  }

  @Test func theCalendarAgreesWithFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    let first = try #require(
      calendar.date(from: DateComponents(year: 1601, month: 1, day: 1, hour: 23, minute: 59)))
    for day in stride(from: 0, to: 3_000_000, by: 97) {
      let date = first.addingTimeInterval(Double(day) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      guard let year = parts.year, year <= 9_999 else { break }
      let names = "JanFebMarAprMayJunJulAugSepOctNovDec"
      let month = names.dropFirst(((parts.month ?? 1) - 1) * 3).prefix(3)
      let found = CookieDate.parse("\(parts.day ?? 0) \(month) \(year) 23:59:00".utf8)
      #expect(found == date)
    }
  }
}
