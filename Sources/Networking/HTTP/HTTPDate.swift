import Foundation

/// A parser and formatter of HTTP dates, in the three forms that a recipient must accept.
///
/// Source: RFC 9110 section 5.6.7.
package enum HTTPDate {
  /// Parses a date.
  ///
  /// - Parameters:
  ///   - text: The date, without surrounding white space.
  ///   - now: The current date, which determines the century of a two-digit year in the obsolete
  ///     RFC 850 form. A year that appears to be more than 50 years in the future is the most
  ///     recent past year with the same digits.
  /// - Returns: The date, or `nil` if the text is malformed, or the day or time does not exist.
  static func parse(_ text: String, now: Date) -> Date? {
    let preferred =
      /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT/
    let rfc850 =
      /(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT/
    let asctime =
      /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})/
    if let match = text.wholeMatch(of: preferred) {
      return date(match.output.year, match.output.month, match.output.day, match.output.time)
    }
    if let match = text.wholeMatch(of: asctime) {
      return date(match.output.year, match.output.month, match.output.day, match.output.time)
    }
    guard let match = text.wholeMatch(of: rfc850), let digits = Int(match.output.year) else {
      return nil
    }
    let thisYear = gregorian.component(.year, from: now)
    // The latest year with these digits that is at most 50 years in the future.
    let latest = thisYear + 50
    let year = latest - (latest - digits) % 100
    return date("\(year)", match.output.month, match.output.day, match.output.time)
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
    let day = weekdays[((parts.weekday ?? 1) - 1) % 7]
    let month = months[((parts.month ?? 1) - 1) % 12]
    return "\(day), \(digits(parts.day)) \(month) \(digits(parts.year, 4)) "
      + "\(digits(parts.hour)):\(digits(parts.minute)):\(digits(parts.second)) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  private static let gregorian: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    return calendar
  }()

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func date(
    _ year: some StringProtocol, _ month: Substring, _ day: Substring, _ time: Substring
  ) -> Date? {
    let clock = time.split(separator: ":").compactMap { Int($0) }
    guard let month = months.firstIndex(of: String(month)), let year = Int(year),
      let day = Int(day.drop { $0 == " " }), clock.count == 3, clock[0] < 24, clock[1] < 60,
      clock[2] <= 60
    else { return nil }
    // A leap second counts as the second after it.
    let second = min(clock[2], 59)
    let components = DateComponents(
      calendar: gregorian, year: year, month: month + 1, day: day, hour: clock[0],
      minute: clock[1], second: second)
    guard components.isValidDate else { return nil }
    return components.date?.addingTimeInterval(Double(clock[2] - second))
  }
}
