import CatenaSystem
import Foundation

/// An encoder that puts parameters into the query of the URL, or sends them like an HTML form without
/// files.
///
/// In a query, all characters except unreserved ones are percent-encoded. A space becomes `%20` and a
/// plus sign `%2B`, because all servers decode these in the same way, unless the format defines
/// otherwise. The commas between the values of a list are not encoded.
///
/// Source: RFC 3986 section 3.4; the URL Standard (WHATWG) section 5.2,
/// application/x-www-form-urlencoded serializing.
struct FieldEncoder: ParameterEncoding {
  /// The format of names and values.
  var format = QueryFormat.standard
  /// The encoding of a query, `.url`, or of a form, `.form`.
  let escaping: PercentEncoding

  /// Encodes a dictionary as a query or a form.
  ///
  /// `null` becomes an empty query or form.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: The query, or a body with the content type `application/x-www-form-urlencoded`.
  /// - Throws: ``ParameterEncodingError`` with the path of a parameter that the format cannot
  ///   represent, such as a number that is not finite.
  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    let spaces = format.spaces ?? (escaping == .form ? .plus : .percentEncoded)
    let plusSigns = format.plusSigns
    // A plus sign has the same bytes as a space, and the format does not say so explicitly.
    let rejectsPlusSigns = format.spaces == nil && spaces == .plus && plusSigns == .literal
    var bytes: [UInt8] = []
    func append(_ text: String, keepingCommas: Bool = false) {
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: " ") where spaces == .plus: bytes.append(UInt8(ascii: "+"))
        case UInt8(ascii: "+") where plusSigns == .literal: bytes.append(byte)
        case UInt8(ascii: ",") where keepingCommas: bytes.append(byte)
        case _ where escaping.isUnescaped(byte): bytes.append(byte)
        default: PercentEncoding.append(escaped: byte, to: &bytes)
        }
      }
    }
    for field in try format.fields(of: parameters, rejectingPlusSigns: rejectsPlusSigns) {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      append(field.name)
      bytes.append(UInt8(ascii: "="))
      append(field.text, keepingCommas: field.isCommaSeparated)
    }
    guard escaping == .form else { return .query(String(decoding: bytes, as: UTF8.self)) }
    return .body([.data(Data(bytes))], contentType: "application/x-www-form-urlencoded")
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
  let format: QueryFormat
  /// The formatter of the pattern, which is expensive to create.
  var formatter: DateFormatter?

  /// Returns the text of a value that is neither bytes, nor `null`, nor an array or a dictionary.
  ///
  /// - Returns: The text, or `nil` for a number that is not finite and a date out of range.
  mutating func text(of value: Parameters) -> String? {
    switch value {
    case .bool(let value): return format.bools == .words ? "\(value)" : value ? "1" : "0"
    case .int(let value): return value.description
    case .decimal(let value) where !value.isNaN: return value.description
    case .double(let value) where value.isFinite: return value.description
    case .decimal, .double: return nil
    case .string(let value): return value
    case .date(let value): return text(of: value)
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
