import Foundation
import Networking

/// A filter of a template, which converts a value: `query.name | trim | upper`.
enum TemplateFilter: String, Sendable, CaseIterable {
  case `default`, upper, lower, trim, capitalize, json, urlencode, urldecode, base64, base64decode
  case length, string, int, number, bool, first, last, join, split, replace, slice, contains
  case get, keys, values, reverse, sort, add, subtract, multiply, divide, round
  case sum, min, max, map, `where`, find, unique

  /// The allowed numbers of arguments.
  var argumentCount: ClosedRange<Int> {
    switch self {
    case .default, .contains, .get, .add, .subtract, .multiply, .divide, .split, .map: 1...1
    case .replace: 2...2
    case .slice: 1...2
    case .join, .round, .sort, .sum, .min, .max, .unique: 0...1
    case .where, .find: 1...3
    default: 0...0
    }
  }

  /// A use of the filter, for error messages.
  var usage: String {
    switch self {
    case .default: "default(\"none\")"
    case .join: "join(\", \")"
    case .split: "split(\",\")"
    case .replace: "replace(\"from\", \"to\")"
    case .slice: "slice(0, 10): the index of the first element and the number of elements"
    case .contains: "contains(\"part\")"
    case .get: "get(\"name\")"
    case .add, .subtract, .multiply, .divide: "\(rawValue)(1)"
    case .round: "round(2)"
    case .sort: "sort or sort(\"price\"), or sort(\"-price\") in descending order"
    case .sum, .min, .max: "\(rawValue) or \(rawValue)(\"price\")"
    case .unique: "unique or unique(\"color\")"
    case .map: "map(\"price\")"
    case .where, .find:
      "\(rawValue)(\"id\", 3) or \(rawValue)(\"price\", \">=\", 10), "
        + "with one of ==, !=, <, <=, >, >="
    default: "\(rawValue) without arguments"
    }
  }

  /// Returns the work for a conversion, in bytes, without that for reading its result.
  ///
  /// It is known before the conversion, because the result of two texts of a request may be many times as
  /// large as both, and a search for one in the other many times as slow.
  func work(of input: JSON, _ arguments: [JSON]) -> Int {
    switch self {
    case .upper, .lower, .trim, .capitalize, .json, .urlencode, .urldecode, .base64, .base64decode,
      .string, .bool, .unique:
      return input.totalSize
    case .join:
      let separator = arguments.first?.totalSize ?? 0
      return input.totalSize + Self.elements(of: input).count * separator
    case .split, .replace: return Self.searchWork(in: input, arguments)
    case .contains:
      if case .dictionary = input { return arguments[0].totalSize }
      return Self.searchWork(in: input, arguments)
    case .where, .find: return input.approximateSize + (arguments.last?.totalSize ?? 0)
    default: return input.approximateSize
    }
  }

  /// Returns the work for a search for the first argument, and for replacing it by the second one.
  private static func searchWork(in input: JSON, _ arguments: [JSON]) -> Int {
    let (size, partSize) = (input.totalSize, arguments[0].totalSize)
    // The search may compare the part at each place of the text. Short parts are found at once.
    let work = size * (1 + partSize / 16) + partSize
    guard arguments.count > 1, let part = arguments[0].string?.utf8.count, part > 0 else {
      return work
    }
    return work + size / part * arguments[1].totalSize
  }

  /// Returns the converted value.
  ///
  /// - Parameters:
  ///   - input: The value.
  ///   - arguments: The values of the arguments.
  /// - Returns: The result, or `null` if the value has a type that the filter does not convert.
  func value(of input: JSON, _ arguments: [JSON]) -> JSON {
    switch self {
    case .default: input.isMissing ? arguments[0] : input
    case .upper: .string(input.templateText.uppercased())
    case .lower: .string(input.templateText.lowercased())
    case .trim: .string(input.templateText.trimmingCharacters(in: .whitespacesAndNewlines))
    case .capitalize:
      .string(input.templateText.prefix(1).uppercased() + input.templateText.dropFirst())
    case .json: .string(input.description)
    case .urlencode:
      .string(input.templateText.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "")
    case .urldecode:
      .string(PercentDecoding.decodeIfValid(Substring(input.templateText), plusIsSpace: true))
    case .base64: .string(Data(input.templateText.utf8).base64EncodedString())
    case .base64decode:
      Data(base64Encoded: input.templateText).map {
        .string(String(decoding: $0, as: UTF8.self))
      } ?? .null
    case .length: input.templateLength.map { .int($0) } ?? .null
    case .string: .string(input.templateText)
    case .int: input.truncatedInteger.map { .int($0) } ?? .null
    case .number: input.templateNumber
    case .bool: .bool(input.isTruthy && !["false", "0", "no"].contains(input.templateText))
    case .first: Self.elements(of: input).first ?? .null
    case .last: Self.elements(of: input).last ?? .null
    case .join:
      .string(
        Self.elements(of: input).map(\.templateText).joined(
          separator: arguments.first?.templateText ?? ","))
    case .split: Self.split(input.templateText, arguments[0].templateText)
    case .replace:
      .string(
        input.templateText.replacingOccurrences(
          of: arguments[0].templateText, with: arguments[1].templateText))
    case .slice: Self.slice(input, arguments)
    case .contains: .bool(Self.contains(input, arguments[0]))
    case .get:
      arguments[0].int.map { input[$0] } ?? input.value(at: [.member(arguments[0].templateText)])
    case .keys: .array((input.dictionary ?? [:]).keys.sorted().map { .string($0) })
    case .values: .array(Self.elements(of: input))
    case .reverse: .array(Self.elements(of: input).reversed())
    case .sort, .sum, .min, .max, .map, .where, .find, .unique:
      listValue(of: Self.elements(of: input), arguments)
    case .add: Self.calculated(input, arguments[0], Int.addingReportingOverflow, +)
    case .subtract: Self.calculated(input, arguments[0], Int.subtractingReportingOverflow, -)
    case .multiply:
      Self.calculated(
        input, arguments[0], { left in { left.multipliedReportingOverflow(by: $0) } }, *)
    case .divide: Self.quotient(input, arguments[0])
    case .round: Self.rounded(input, arguments.first?.asInteger ?? 0)
    }
  }

  // MARK: Lists and texts

  /// The elements of an array, or the values of an object by name.
  static func elements(of value: JSON) -> [JSON] {
    switch value {
    case .array(let elements): elements
    case .dictionary(let members): members.sorted { $0.key < $1.key }.map(\.value)
    default: []
    }
  }

  private static func split(_ text: String, _ separator: String) -> JSON {
    if text.isEmpty { return .array([]) }
    return .array(
      (separator.isEmpty ? [text] : text.components(separatedBy: separator)).map { .string($0) })
  }

  private static func slice(_ value: JSON, _ arguments: [JSON]) -> JSON {
    let start = Swift.max(arguments[0].asInteger ?? 0, 0)
    let count = Swift.max(arguments.count > 1 ? arguments[1].asInteger ?? 0 : .max, 0)
    if case .array(let elements) = value {
      return .array(Array(elements.dropFirst(start).prefix(count)))
    }
    return .string(String(value.templateText.dropFirst(start).prefix(count)))
  }

  private static func contains(_ value: JSON, _ part: JSON) -> Bool {
    switch value {
    case .array(let elements):
      elements.contains { TemplateExpression.Comparison.equal.holds($0, part) }
    case .dictionary(let members): members[part.templateText] != nil
    default: part.templateText.isEmpty || value.templateText.contains(part.templateText)
    }
  }

  // MARK: Numbers

  /// Returns the result of an operation, an integer if both operands are integers.
  private static func calculated(
    _ left: JSON, _ right: JSON,
    _ integers: (Int) -> (Int) -> (partialValue: Int, overflow: Bool),
    _ numbers: (Double, Double) -> Double
  ) -> JSON {
    if let left = left.asInteger, let right = right.asInteger {
      let result = integers(left)(right)
      if !result.overflow { return .int(result.partialValue) }
    }
    guard let left = left.asNumber, let right = right.asNumber else { return .null }
    return number(numbers(left, right))
  }

  /// Returns a number rounded to 15 digits, so that 0.1 + 0.2 is 0.3.
  static func number(_ value: Double) -> JSON {
    guard value.isFinite else { return .null }
    // A larger number has no digits after the point that could be wrong.
    guard abs(value) < 1e15 else { return .double(value) }
    return .double(Double(String(format: "%.15g", value)) ?? value)
  }

  private static func quotient(_ left: JSON, _ right: JSON) -> JSON {
    guard let left = left.asNumber, let right = right.asNumber, right != 0 else { return .null }
    let result = left / right
    return Int(exactly: result).map { .int($0) } ?? (result.isFinite ? .double(result) : .null)
  }

  private static func rounded(_ value: JSON, _ digits: Int) -> JSON {
    guard let number = value.asNumber else { return .null }
    let scale = pow(10, Double(Swift.min(Swift.max(digits, 0), 15)))
    let result = (number * scale).rounded() / scale
    return Int(exactly: result).map { .int($0) } ?? (result.isFinite ? .double(result) : .null)
  }
}

extension JSON {
  /// The number of characters of a text, of the elements of an array, or of the members of an
  /// object.
  fileprivate var templateLength: Int? {
    switch self {
    case .null: 0
    case .string(let text): text.count
    case .array(let elements): elements.count
    case .dictionary(let members): members.count
    case .bool, .int, .decimal, .double: nil
    }
  }

  /// The integer part of a number, or of the text of a number.
  fileprivate var truncatedInteger: Int? {
    asInteger ?? asNumber.flatMap { Int(exactly: $0.rounded(.towardZero)) }
  }

  /// The number, also of a text, or `null`.
  fileprivate var templateNumber: JSON {
    guard case .string(let text) = self else { return double == nil ? .null : self }
    return Int(text).map { .int($0) } ?? asNumber.map { .double($0) } ?? .null
  }
}

extension CharacterSet {
  /// The characters that need no percent-encoding in any part of a URL.
  ///
  /// Source: RFC 3986 section 2.3.
  fileprivate static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
