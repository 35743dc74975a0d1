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
    var text = text
    guard text.utf8.count <= maximumLength, let fields = text.withUTF8(Fields.init) else {
      return nil
    }
    var year = fields.year
    if fields.hasShortYear {
      // The latest year with these digits that is at most 50 years in the future.
      let latest = gregorian.component(.year, from: now) + 50
      year = latest - (latest - year) % 100
    }
    // A leap second counts as the second after it, but not as the year 10000, which no HTTP date
    // can express.
    let second = min(fields.second, 59)
    let components = DateComponents(
      calendar: gregorian, year: year, month: fields.month, day: fields.day, hour: fields.hour,
      minute: fields.minute, second: second)
    guard components.isValidDate else { return nil }
    return components.date.map {
      min($0.addingTimeInterval(Double(fields.second - second)), lastDate)
    }
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

  /// The length of `Wednesday, 06-Nov-94 08:49:37 GMT`, the longest date.
  private static let maximumLength = 33

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  private static let gregorian: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    return calendar
  }()

  /// 31 December 9999, 23:59:59.
  private static let lastDate = Date(timeIntervalSince1970: 253_402_300_799)

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static let longWeekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  /// The fields of a date, in ranges that may not exist together, such as 30 February.
  private struct Fields {
    var year = 0
    /// Whether the year has two digits.
    var hasShortYear = false
    /// The month, from 1.
    var month = 0
    var day = 0
    var hour = 0
    var minute = 0
    var second = 0

    /// Parses one of the three forms, in one pass.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
      var reader = Reader(bytes)
      guard let weekday = reader.word() else { return nil }
      let isPreferred = reader.skip(", ")
      switch (longWeekdays.contains(weekday), weekdays.contains(weekday), isPreferred) {
      case (true, _, true):
        hasShortYear = true
        guard readDay(&reader), reader.skip("-"), readMonth(&reader), reader.skip("-"),
          readYear(&reader, digits: 2), reader.skip(" "), readTime(&reader), reader.skip(" GMT")
        else { return nil }
      case (_, true, true):
        guard readDay(&reader), reader.skip(" "), readMonth(&reader), reader.skip(" "),
          readYear(&reader, digits: 4), reader.skip(" "), readTime(&reader), reader.skip(" GMT")
        else { return nil }
      case (_, true, false):
        // The day has one digit after a space, or two digits.
        guard reader.skip(" "), readMonth(&reader), reader.skip(" "),
          readDay(&reader, digits: reader.skip(" ") ? 1 : 2), reader.skip(" "),
          readTime(&reader), reader.skip(" "), readYear(&reader, digits: 4)
        else { return nil }
      default: return nil
      }
      guard reader.isAtEnd, hour < 24, minute < 60, second <= 60 else { return nil }
    }

    private mutating func readDay(_ reader: inout Reader, digits: Int = 2) -> Bool {
      reader.read(digits, into: &day)
    }

    private mutating func readYear(_ reader: inout Reader, digits: Int) -> Bool {
      reader.read(digits, into: &year)
    }

    private mutating func readMonth(_ reader: inout Reader) -> Bool {
      guard let name = reader.word(), let index = months.firstIndex(of: name) else { return false }
      month = index + 1
      return true
    }

    private mutating func readTime(_ reader: inout Reader) -> Bool {
      reader.read(2, into: &hour) && reader.skip(":") && reader.read(2, into: &minute)
        && reader.skip(":") && reader.read(2, into: &second)
    }
  }

  private struct Reader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Returns the letters up to another character, the first one in upper case and the others in lower
    /// case, or `nil` if there are none.
    mutating func word() -> String? {
      let start = position
      while !isAtEnd, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[position] | 0x20) {
        position += 1
      }
      guard position > start else { return nil }
      let word = [bytes[start] & 0xDF] + bytes[(start + 1)..<position].map { $0 | 0x20 }
      return String(decoding: word, as: UTF8.self)
    }

    /// Skips a text, and returns whether it is there, in any case.
    mutating func skip(_ text: StaticString) -> Bool {
      text.withUTF8Buffer { text in
        let isThere = bytes[position...].starts(with: text) {
          $0.lowercasedASCII == $1.lowercasedASCII
        }
        guard isThere else { return false }
        position += text.count
        return true
      }
    }

    /// Reads a number of digits, and returns whether they are there.
    mutating func read(_ count: Int, into value: inout Int) -> Bool {
      guard position + count <= bytes.count else { return false }
      value = 0
      for byte in bytes[position..<(position + count)] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return false }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
      }
      position += count
      return true
    }
  }
}
