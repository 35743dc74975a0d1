package import Foundation

/// A parser of the dates of cookies, which finds time, day, month and year in any order.
///
/// Source: RFC 6265bis section 5.1.1.
package enum CookieDate {
  /// Parses a date.
  ///
  /// Time zones are ignored: the time is UTC.
  ///
  /// - Parameter bytes: The text of the date.
  /// - Returns: The date, or `nil` if a part is missing, or the day or the time does not exist.
  package static func parse(_ bytes: some Collection<UInt8>) -> Date? {
    var parts = Parts()
    for token in bytes.split(whereSeparator: isDelimiter) { parts.add(token) }
    return parts.date
  }

  /// Whether a byte separates tokens.
  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// The parts that have been found.
  private struct Parts {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// Adds a token as the first missing part of which it has the form.
    mutating func add(_ token: some Collection<UInt8>) {
      if time == nil, let found = Self.time(token) {
        time = found
      } else if day == nil, let found = Self.number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = Self.month(token) {
        month = found
      } else if year == nil, let found = Self.number(token, digits: 2...4) {
        switch found {
        case 70...99: year = found + 1_900
        case 0...69: year = found + 2_000
        default: year = found
        }
      }
    }

    /// The date, or `nil` if a part is missing or does not exist.
    var date: Date? {
      guard let time, let day, let month, let year, year >= 1_601, day >= 1, time.hour <= 23,
        time.minute <= 59, time.second <= 59, day <= Self.days(month, year)
      else { return nil }
      let seconds = time.hour * 3_600 + time.minute * 60 + time.second
      return Date(
        timeIntervalSince1970: Double(Self.dayNumber(year, month, day) * 86_400 + seconds))
    }

    /// Returns the digits at the start of a token, which must be followed by another character or
    /// by the end.
    private static func number(_ token: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
      var (number, count) = (0, 0)
      for byte in token {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
        count += 1
        guard count <= digits.upperBound else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return digits.contains(count) ? number : nil
    }

    /// Returns a time: three numbers of one or two digits with colons between them.
    private static func time(
      _ token: some Collection<UInt8>
    ) -> (hour: Int, minute: Int, second: Int)? {
      let parts = token.split(
        separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2,
        parts[0].allSatisfy(\.isASCIIDigit), parts[1].allSatisfy(\.isASCIIDigit),
        let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
        let second = number(parts[2], digits: 1...2)
      else { return nil }
      return (hour, minute, second)
    }

    /// Returns the number of a month whose first three letters begin a token.
    private static func month(_ token: some Collection<UInt8>) -> Int? {
      let names: [StaticString] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
      ]
      guard token.count >= 3 else { return nil }
      let index = names.firstIndex { name in
        name.withUTF8Buffer { zip(token, $0).allSatisfy { $0.lowercasedASCII == $1 } }
      }
      return index.map { $0 + 1 }
    }

    /// Returns the number of days of a month.
    private static func days(_ month: Int, _ year: Int) -> Int {
      switch month {
      case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
      case 4, 6, 9, 11: 30
      default: 31
      }
    }

    /// Returns the number of days from 1970-01-01 to a day of the Gregorian calendar.
    ///
    /// A year begins in March here, so that the leap day is its last day.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
      let year = month <= 2 ? year - 1 : year
      let monthsSinceMarch = (month + 9) % 12
      let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
      return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
  }
}

extension UInt8 {
  fileprivate var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
