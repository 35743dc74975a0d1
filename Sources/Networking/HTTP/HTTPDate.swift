package import Foundation

/// A parser and formatter of HTTP dates, in the three forms that a recipient must accept.
///
/// The parser ignores the case of letters.
///
/// Source: RFC 9110 section 5.6.7, RFC 9111 section 4.2.
package enum HTTPDate {
  /// Parses a date.
  ///
  /// - Parameters:
  ///   - text: The date, without surrounding white space.
  ///   - now: The current date, which determines the century of a two-digit year in the obsolete
  ///     RFC 850 form. A year that appears to be more than 50 years in the future is the most
  ///     recent past year with the same digits.
  /// - Returns: The date, or `nil` if the text is malformed, or the day or time does not exist.
  package static func parse(_ text: String, now: Date) -> Date? {
    guard text.utf8.count <= maximumLength else { return nil }
    let bytes = text.utf8.map(\.lowercasedASCII)
    // Each letter as `a`, and each digit as `0`.
    let layout = bytes.map { byte in
      byte.isASCIIDigit ? UInt8(ascii: "0") : byte.isASCIIAlphanumeric ? UInt8(ascii: "a") : byte
    }
    let start = layout.firstIndex { $0 != UInt8(ascii: "a") } ?? layout.count
    func word(_ offset: Int) -> String {
      String(decoding: bytes[(start + offset)...].prefix(3), as: UTF8.self)
    }
    func number(_ offset: Int, digits: Int = 2) -> Int {
      bytes[(start + offset)...].prefix(digits).reduce(0) { $0 * 10 + Int($1 & 0xF) }
    }
    let (month, day, year, time): (String, Int, Int, Int)
    let weekday = String(decoding: bytes[..<start], as: UTF8.self)
    switch String(decoding: layout[start...], as: UTF8.self) {
    case ", 00 aaa 0000 00:00:00 aaa" where weekdays.contains(weekday) && word(23) == "gmt":
      (month, day, year, time) = (word(5), number(2), number(9, digits: 4), 14)
    case ", 00-aaa-00 00:00:00 aaa" where longWeekdays.contains(weekday) && word(21) == "gmt":
      // The latest year with these digits that is at most 50 years in the future.
      let latest = Int(parts(of: now).tm_year) + 1_950
      (month, day, time) = (word(5), number(2), 12)
      year = latest - (latest - number(9)) % 100
    // The day has one digit after a space, or two digits.
    case " aaa 00 00:00:00 0000" where weekdays.contains(weekday),
      " aaa  0 00:00:00 0000" where weekdays.contains(weekday):
      (month, day, year, time) = (word(1), number(5), number(17, digits: 4), 8)
    default: return nil
    }
    let (hour, minute, second) = (number(time), number(time + 3), number(time + 6))
    guard let month = months.firstIndex(of: month), hour < 24, minute < 60, second <= 60 else {
      return nil
    }
    // A leap second counts as the second after it, but not as the year 10000, which no HTTP date
    // can express.
    return midnight(year: year, month: month + 1, day: day).map {
      min($0.addingTimeInterval(Double(hour * 3_600 + minute * 60 + second)), lastDate)
    }
  }

  /// Returns the start of a day, or `nil` if the month does not have it.
  ///
  /// Foundation's calendar takes half a millisecond for its first date.
  static func midnight(year: Int, month: Int, day: Int) -> Date? {
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
      Int32(year - 1_900), Int32(month - 1), Int32(day)
    )
    let seconds = timegm(&parts)
    // A day that its month does not have is moved to another month.
    return parts.tm_mday == day ? Date(timeIntervalSince1970: Double(seconds)) : nil
  }

  /// Formats a date in the preferred form, to the second.
  ///
  /// - Parameter date: The date. Before `distantPast` and after the year 9999, the text is that of the
  ///   nearest date.
  /// - Returns: The text, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(of date: Date) -> String {
    let parts = parts(of: date)
    func digits(_ number: Int32) -> Substring { String(100 + number).suffix(2) }
    let year = String(10_000 + 1_900 + parts.tm_year).suffix(4)
    let day = weekdays[Int(parts.tm_wday)].capitalized
    let month = months[Int(parts.tm_mon)].capitalized
    return "\(day), \(digits(parts.tm_mday)) \(month) \(year) "
      + "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) GMT"
  }

  /// Returns the parts of a date in UTC, those of the nearest date that has a text.
  private static func parts(of date: Date) -> tm {
    // In this order, NaN is `lastDate`.
    let date = min(lastDate, max(.distantPast, date))
    var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return parts
  }

  /// The length of `Wednesday, 06-Nov-94 08:49:37 GMT`, the longest date.
  private static let maximumLength = 33

  private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// 31 December 9999, 23:59:59.
  private static let lastDate = Date(timeIntervalSince1970: 253_402_300_799)

  /// The first three letters of the months, in lower case.
  static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static let longWeekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]
}
