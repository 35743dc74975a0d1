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
        year = found + (found < 70 ? 2_000 : found < 100 ? 1_900 : 0)
      }
    }

    /// The date, or `nil` if a part is missing or does not exist.
    var date: Date? {
      guard let time, let day, let month, let year, year >= 1_601, time.hour <= 23,
        time.minute <= 59, time.second <= 59
      else { return nil }
      return HTTPDate.midnight(year: year, month: month, day: day)?
        .addingTimeInterval(Double(time.hour * 3_600 + time.minute * 60 + time.second))
    }

    /// Returns the digits at the start of a token, which must be followed by another character or
    /// by the end.
    private static func number(_ token: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
      var (number, count) = (0, 0)
      for byte in token {
        guard byte.isASCIIDigit else { break }
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
      let name = String(decoding: token.prefix(3).map(\.lowercasedASCII), as: UTF8.self)
      return HTTPDate.months.firstIndex(of: name).map { $0 + 1 }
    }
  }
}
