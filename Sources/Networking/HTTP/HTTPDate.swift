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
      let latest = gregorian.component(.year, from: now) + 50
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
    let components = DateComponents(
      calendar: gregorian, year: year, month: month + 1, day: day, hour: hour, minute: minute,
      second: min(second, 59))
    guard components.isValidDate else { return nil }
    return components.date.map { min($0.addingTimeInterval(second == 60 ? 1 : 0), lastDate) }
  }

  /// Formats a date in the preferred form, to the second.
  ///
  /// - Parameter date: The date.
  /// - Returns: The text, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(of date: Date) -> String {
    let parts = gregorian.dateComponents(
      [.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
    func digits(_ number: Int?, _ count: Int = 2) -> String {
      let text = String(number ?? 0)
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
    let day = weekdays[((parts.weekday ?? 1) - 1) % 7].capitalized
    let month = months[((parts.month ?? 1) - 1) % 12].capitalized
    return "\(day), \(digits(parts.day)) \(month) \(digits(parts.year, 4)) "
      + "\(digits(parts.hour)):\(digits(parts.minute)):\(digits(parts.second)) GMT"
  }

  /// The length of `Wednesday, 06-Nov-94 08:49:37 GMT`, the longest date.
  private static let maximumLength = 33

  private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  private static let gregorian: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    return calendar
  }()

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
