import CatenaSystem
import Foundation

/// The escaping of fields in a query or a form.
struct FieldEscaping {
  let encoding: PercentEncoding
  let spaces: QueryFormat.Spaces
  let plusSigns: QueryFormat.PlusSigns
  /// Whether a plus sign has the same bytes as a space, and the format does not say so explicitly.
  let rejectsPlusSigns: Bool

  init(_ encoding: PercentEncoding, _ format: QueryFormat) {
    self.encoding = encoding
    spaces = format.spaces ?? (encoding == .form ? .plus : .percentEncoded)
    plusSigns = format.plusSigns
    rejectsPlusSigns = format.spaces == nil && spaces == .plus && plusSigns == .literal
  }

  /// Returns fields with escaped names and values, such as `name=value&name=value`.
  func bytes(of fields: [QueryFormat.Field]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      append(field.name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      append(field.text, keepingCommas: field.isCommaSeparated, to: &bytes)
    }
    return bytes
  }

  private func append(_ text: String, keepingCommas: Bool = false, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " ") where spaces == .plus: bytes.append(UInt8(ascii: "+"))
      case UInt8(ascii: "+") where plusSigns == .literal: bytes.append(byte)
      case UInt8(ascii: ",") where keepingCommas: bytes.append(byte)
      case _ where encoding.isUnescaped(byte): bytes.append(byte)
      default: PercentEncoding.append(escaped: byte, to: &bytes)
      }
    }
  }
}

extension QueryFormat {
  /// Returns the escaped fields of parameters.
  ///
  /// - Throws: The errors of ``fields(of:for:)``.
  func encoded(
    _ parameters: Parameters, with encoding: PercentEncoding
  ) throws -> [UInt8] {
    let escaping = FieldEscaping(encoding, self)
    return escaping.bytes(of: try fields(of: parameters, for: escaping))
  }
}

// MARK: - Texts of values

extension QueryFormat {
  /// The texts for dates.
  public enum Dates: Sendable, Hashable, Codable {
    /// The date and the time in UTC without fractions of a second, such as `2024-05-01T12:00:00Z`.
    ///
    /// A date outside the years 1 to 9999 cannot be encoded.
    case iso8601
    /// The date and the time in UTC with milliseconds, such as `2024-05-01T12:00:00.250Z`.
    ///
    /// A date outside the years 1 to 9999 cannot be encoded.
    case iso8601WithMilliseconds
    /// The date in UTC, such as `2024-05-01`.
    ///
    /// A date outside the years 1 to 9999 cannot be encoded.
    case day
    /// The number of seconds since the start of 1970, such as `1714564800` or `1714564800.5`.
    case secondsSince1970
    /// The number of milliseconds since the start of 1970, rounded to an integer.
    case millisecondsSince1970
    /// The number of seconds since the start of 2001, as in a `JSONEncoder` without another strategy.
    case secondsSince2001
    /// A pattern of `DateFormatter`, such as `dd.MM.yyyy`, in English and in UTC.
    ///
    /// For other texts, pass a conversion to `Parameters(encoding:date:data:)`.
    case pattern(String)
  }

  /// The texts for bytes.
  public enum Bytes: String, Sendable, Hashable, Codable {
    /// Base64, such as `/w==`.
    ///
    /// Source: RFC 4648 section 4.
    case base64
    /// Base64 for URLs without padding, such as `_w`.
    ///
    /// Source: RFC 4648 section 5.
    case base64URL
    /// Two lowercase hexadecimal digits for each byte, such as `ff`.
    case hexadecimal

    /// Returns the text of bytes.
    func text(of data: Data) -> String {
      switch self {
      case .base64: data.base64EncodedString()
      case .base64URL:
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
          .replacing("=", with: "")
      case .hexadecimal: data.hexadecimalText
      }
    }
  }
}

/// The texts of single values in a format.
struct ValueTexts {
  /// The reason that a value has no text, as part of a sentence.
  struct Problem: Error {
    let reason: String
  }

  let format: QueryFormat
  /// The formatter of the pattern, which is expensive to create.
  var formatter: DateFormatter?

  /// Returns the text of a value that is neither bytes, nor `null`, nor an array or a dictionary.
  mutating func text(of value: Parameters) throws(Problem) -> String {
    switch value {
    case .bool(let value): return format.bools == .words ? "\(value)" : value ? "1" : "0"
    case .int(let value): return value.description
    case .decimal(let value) where !value.isNaN: return value.description
    case .double(let value) where value.isFinite: return value.description
    case .decimal, .double: throw Problem(reason: "is not a finite number")
    case .string(let value): return value
    case .date(let value):
      guard let text = text(of: value) else { throw Problem(reason: "is a date out of range") }
      return text
    case .null, .data, .array, .dictionary: return ""
    }
  }

  /// Returns the text of a date, or `nil` for a date out of range.
  private mutating func text(of date: Date) -> String? {
    switch format.dates {
    case .iso8601: return date.iso8601Text
    case .iso8601WithMilliseconds:
      let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
      guard milliseconds.isFinite,
        let text = Date(timeIntervalSince1970: (milliseconds / 1_000).rounded(.down)).iso8601Text
      else { return nil }
      let fraction = Int(milliseconds - (milliseconds / 1_000).rounded(.down) * 1_000)
      return text.dropLast() + String(format: ".%03dZ", fraction)
    case .day: return date.iso8601Text.map { String($0.prefix(10)) }
    case .secondsSince1970: return Self.text(of: date.timeIntervalSince1970)
    case .millisecondsSince1970:
      return Self.text(of: (date.timeIntervalSince1970 * 1_000).rounded())
    case .secondsSince2001: return Self.text(of: date.timeIntervalSinceReferenceDate)
    case .pattern(let pattern):
      guard date.timeIntervalSince1970.isFinite else { return nil }
      let formatter = formatter ?? Self.formatter(of: pattern)
      self.formatter = formatter
      return formatter.string(from: date)
    }
  }

  private static func formatter(of pattern: String) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.calendar = Calendar(identifier: .gregorian)
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = pattern
    return formatter
  }

  /// Returns a finite number without the fraction of an integer.
  private static func text(of number: Double) -> String? {
    guard number.isFinite else { return nil }
    return Int64(exactly: number)?.description ?? number.description
  }
}

extension Date {
  /// The date and the time in UTC without fractions of a second, such as `2024-05-01T12:00:00Z`.
  ///
  /// `nil` for a date outside the years 1 to 9999. All years are in the Gregorian calendar, while
  /// Foundation uses the Julian calendar before 1582.
  ///
  /// Source: RFC 3339 section 5.6.
  var iso8601Text: String? {
    guard (-62_135_596_800..<253_402_300_800).contains(timeIntervalSince1970) else { return nil }
    var (seconds, date) = (time_t(timeIntervalSince1970.rounded(.down)), tm())
    gmtime_r(&seconds, &date)
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02dZ", date.tm_year + 1_900, date.tm_mon + 1,
      date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec)
  }
}
