import CatenaSystem
import Foundation
import Mocking
import MockingDocuments
import Networking

/// A format of JSON Schema or OpenAPI, as an assertion.
///
/// Source: JSON Schema Validation 2020-12, section 7; the OpenAPI Format Registry.
enum StringFormat: String, Sendable, CaseIterable {
  case dateTime = "date-time"
  case date, time, duration, email
  case idnEmail = "idn-email"
  case hostname
  case idnHostname = "idn-hostname"
  case ipv4, ipv6, uri
  case uriReference = "uri-reference"
  case iri
  case iriReference = "iri-reference"
  case uuid
  case uriTemplate = "uri-template"
  case jsonPointer = "json-pointer"
  case relativeJSONPointer = "relative-json-pointer"
  case regex
  case int32, int64, byte

  /// Returns the cost of a check of a value, in steps of a validation.
  func stepCount(for value: JSON) -> Int {
    guard case .string(let text) = value else { return 0 }
    guard self == .regex else { return text.utf8.count / 16 }
    // Each character class has a table. A pattern beyond the limit is not parsed.
    return 16 * min(text.utf8.count, RegexParser.maximumLength)
  }

  /// Returns whether a value has the format, or is not one that the format applies to.
  func matches(_ value: JSON) -> Bool {
    switch (self, value) {
    case (.int32, .int(let number)): Int32(exactly: number) != nil
    case (.int32, .decimal), (.int64, .decimal): false
    case (.int32, .double(let number)): number.rounded() != number || Int32(exactly: number) != nil
    case (.int64, .double(let number)): number.rounded() != number || Int64(exactly: number) != nil
    case (.int32, _), (.int64, _): true
    case (_, .string(let text)): matches(text)
    default: true
    }
  }

  private func matches(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    switch self {
    case .dateTime:
      guard bytes.count > 10, bytes[10] | 0x20 == UInt8(ascii: "t") else { return false }
      return Self.isDate(bytes[..<10]) && Self.isTime(bytes[11...])
    case .date: return Self.isDate(bytes[...])
    case .time: return Self.isTime(bytes[...])
    case .duration: return Self.isDuration(bytes)
    case .email: return NetworkFormat.isEmail(text, isInternational: false)
    case .idnEmail: return NetworkFormat.isEmail(text, isInternational: true)
    case .hostname: return NetworkFormat.isHostname(text, isInternational: false)
    case .idnHostname: return NetworkFormat.isHostname(text, isInternational: true)
    case .ipv4: return NetworkFormat.isIPv4(text)
    case .ipv6: return NetworkFormat.isIPv6(text)
    case .uri: return NetworkFormat.isURI(text, isInternational: false, mayBeRelative: false)
    case .uriReference:
      return NetworkFormat.isURI(text, isInternational: false, mayBeRelative: true)
    case .iri: return NetworkFormat.isURI(text, isInternational: true, mayBeRelative: false)
    case .iriReference: return NetworkFormat.isURI(text, isInternational: true, mayBeRelative: true)
    case .uuid: return Self.isUUID(bytes)
    case .uriTemplate: return NetworkFormat.isURITemplate(text)
    case .jsonPointer: return JSONValuePath(pointer: text) != nil
    case .relativeJSONPointer: return Self.isRelativePointer(text)
    case .regex: return SchemaPattern.isValid(text)
    case .byte: return Data(base64Encoded: text) != nil
    case .int32, .int64: return true
    }
  }

  // MARK: Dates
  // Source: RFC 3339 section 5.6 and appendix A.

  /// Returns the value of digits, or `nil` if a byte is not a digit.
  private static func number(_ bytes: some Collection<UInt8>) -> Int? {
    guard !bytes.isEmpty, bytes.count <= 9 else { return nil }
    var value = 0
    for byte in bytes {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte) - 0x30
    }
    return value
  }

  private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(text)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = number(bytes[..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8...]), (1...12).contains(month)
    else { return false }
    let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...days[month - 1]).contains(day)
  }

  private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(text)
    guard bytes.count >= 9, bytes[2] == UInt8(ascii: ":"), bytes[5] == UInt8(ascii: ":"),
      let hour = number(bytes[..<2]), let minute = number(bytes[3..<5]),
      let second = number(bytes[6..<8]), hour < 24, minute < 60, second <= 60
    else { return false }
    var rest = bytes[8...]
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(digits.count + 1)
    }
    var offset = 0
    if rest.count == 6, let sign = rest.first,
      sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
    {
      let zone = Array(rest)
      guard zone[3] == UInt8(ascii: ":"), let hours = number(zone[1..<3]),
        let minutes = number(zone[4...]), hours < 24, minutes < 60
      else { return false }
      offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    } else if rest.count != 1 || rest.first.map({ $0 | 0x20 }) != UInt8(ascii: "z") {
      return false
    }
    guard second == 60 else { return true }
    // A leap second is the last one of a day in UTC.
    return ((hour * 60 + minute - offset) % 1440 + 1440) % 1440 == 1439
  }

  private static func isDuration(_ bytes: [UInt8]) -> Bool {
    guard bytes.first == UInt8(ascii: "P"), bytes.count > 2 else { return false }
    let parts = bytes.dropFirst().split(
      separator: UInt8(ascii: "T"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let date = designators(parts[0]) else { return false }
    let isWeeks = date == "W" && parts.count == 1
    guard isWeeks || ["", "Y", "YM", "YMD", "M", "MD", "D"].contains(date) else { return false }
    guard parts.count == 2 else { return !date.isEmpty }
    guard let time = designators(parts[1]) else { return false }
    return ["H", "HM", "HMS", "M", "MS", "S"].contains(time)
  }

  /// Returns the letters after the numbers, or `nil` if a number or a letter is missing.
  private static func designators(_ bytes: ArraySlice<UInt8>) -> String? {
    var (letters, digitCount) = ("", 0)
    for byte in bytes {
      if (0x30...0x39).contains(byte) {
        digitCount += 1
      } else {
        guard digitCount > 0 else { return nil }
        letters.unicodeScalars.append(Unicode.Scalar(byte))
        digitCount = 0
      }
    }
    return digitCount == 0 ? letters : nil
  }

  // MARK: Others

  private static func isUUID(_ bytes: [UInt8]) -> Bool {
    bytes.count == 36
      && bytes.enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : byte.hexDigitValue != nil
      }
  }

  private static func isRelativePointer(_ text: String) -> Bool {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0") else {
      return false
    }
    let rest = String(text.dropFirst(digits.count))
    return rest == "#" || JSONValuePath(pointer: rest) != nil
  }
}
