import CatenaSystem
import Foundation
import Mocking
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

  /// Returns the converted value.
  ///
  /// - Parameters:
  ///   - input: The value.
  ///   - arguments: The values of the arguments.
  ///   - work: The remaining work. The conversion is charged before it begins, because the result of two
  ///     texts of a request may be many times as large as both.
  /// - Returns: The result, or `null` if the value has a type that the filter does not convert.
  /// - Throws: ``TemplateRenderError/tooMuchWork`` if it exceeds the limit.
  func value(
    of input: JSON, _ arguments: [JSON], _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> JSON {
    switch self {
    case .default: return input.isMissing ? arguments[0] : input
    // The case of a character may have three times as many bytes.
    case .upper: return .string(try work.text(of: input, growth: 3).uppercased())
    case .lower: return .string(try work.text(of: input, growth: 3).lowercased())
    case .trim:
      return .string(try work.text(of: input).trimmingCharacters(in: .whitespacesAndNewlines))
    case .capitalize:
      let text = try work.text(of: input, growth: 2)
      return .string(text.prefix(1).uppercased() + text.dropFirst())
    case .json:
      try work.charge(input.encodedSize)
      return .string(input.description)
    case .urlencode:
      let text = try work.text(of: input, growth: 3)
      return .string(PercentEncoding.url.encoded(text))
    case .urldecode:
      let text = try work.text(of: input)
      return .string(PercentEncoding.decodeIfValid(Substring(text), plusIsSpace: true))
    case .base64:
      return .string(Data(try work.text(of: input, growth: 2).utf8).base64EncodedString())
    case .base64decode:
      // Bytes that are not UTF-8 are replaced by characters of three bytes.
      return Data(base64Encoded: try work.text(of: input, growth: 3)).map {
        .string(String(decoding: $0, as: UTF8.self))
      } ?? .null
    case .length:
      try work.charge(input.approximateSize)
      return input.templateLength.map { .int($0) } ?? .null
    case .string: return .string(try work.text(of: input))
    case .int: return input.truncatedInteger.map { .int($0) } ?? .null
    case .number: return input.templateNumber
    case .bool:
      return .bool(input.isTruthy && !["false", "0", "no"].contains(input.string ?? ""))
    case .first: return try work.elements(of: input).first ?? .null
    case .last: return try work.elements(of: input).last ?? .null
    case .join: return try Self.joined(input, arguments.first ?? ",", &work)
    case .split: return try Self.split(input, arguments[0], &work)
    case .replace: return try Self.replaced(input, arguments, &work)
    case .slice: return try Self.slice(input, arguments, &work)
    case .contains: return .bool(try Self.contains(input, arguments[0], &work))
    case .get:
      if let index = arguments[0].int { return input[index] }
      return input.value(at: [.member(try work.text(of: arguments[0]))])
    case .keys: return .array(try work.members(of: input).map { .string($0.key) })
    case .values: return .array(try work.elements(of: input))
    case .reverse:
      let elements = try work.elements(of: input)
      try work.charge(JSON.elementSize, times: elements.count)
      return .array(elements.reversed())
    case .sort, .sum, .min, .max, .map, .where, .find, .unique:
      return try listValue(of: try work.elements(of: input), arguments, &work)
    case .add: return input.calculated(with: arguments[0], Int.addingReportingOverflow, +)
    case .subtract: return input.calculated(with: arguments[0], Int.subtractingReportingOverflow, -)
    case .multiply:
      return input.calculated(
        with: arguments[0], { left in { left.multipliedReportingOverflow(by: $0) } }, *)
    case .divide: return Self.quotient(input, arguments[0])
    case .round: return Self.rounded(input, arguments.first?.asInteger ?? 0)
    }
  }

  // MARK: Lists and texts

  private static func joined(
    _ value: JSON, _ separator: JSON, _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> JSON {
    let elements = try work.elements(of: value)
    let separator = try work.text(of: separator)
    try work.charge(separator.utf8.count + JSON.elementSize, times: elements.count)
    var texts: [String] = []
    for element in elements { texts.append(try work.text(of: element)) }
    return .string(texts.joined(separator: separator))
  }

  private static func split(
    _ value: JSON, _ separator: JSON, _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> JSON {
    let (text, separator) = (try work.text(of: value), try work.text(of: separator))
    if text.isEmpty { return .array([]) }
    if separator.isEmpty { return [.string(text)] }
    let occurrences = try occurrences(of: separator, in: text, &work)
    try work.charge(2 * JSON.elementSize, times: occurrences.count() + 1)
    return .array(occurrences.pieces.map { .string($0) })
  }

  private static func replaced(
    _ value: JSON, _ arguments: [JSON], _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> JSON {
    let (text, part) = (try work.text(of: value), try work.text(of: arguments[0]))
    let replacement = try work.text(of: arguments[1])
    if part.isEmpty { return .string(text) }
    let occurrences = try occurrences(of: part, in: text, &work)
    try work.charge(replacement.utf8.count + 2 * JSON.elementSize, times: occurrences.count())
    return .string(occurrences.pieces.joined(separator: replacement))
  }

  private static func occurrences(
    of part: String, in text: String, _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> TextOccurrences {
    try work.charge(TextOccurrences.size(of: part, in: text))
    return TextOccurrences(of: part, in: text)
  }

  private static func slice(
    _ value: JSON, _ arguments: [JSON], _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> JSON {
    let start = Swift.max(arguments[0].asInteger ?? 0, 0)
    let count = Swift.max(arguments.count > 1 ? arguments[1].asInteger ?? 0 : .max, 0)
    if case .array(let elements) = value {
      let part = elements.dropFirst(start).prefix(count)
      try work.charge(JSON.elementSize, times: part.count)
      return .array(Array(part))
    }
    return .string(String(try work.text(of: value, growth: 2).dropFirst(start).prefix(count)))
  }

  private static func contains(
    _ value: JSON, _ part: JSON, _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> Bool {
    switch value {
    case .array(let elements):
      for element in elements { try work.charge(element.comparisonSize(with: part)) }
      return elements.contains { TemplateExpression.Comparison.equal.holds($0, part) }
    case .dictionary(let members): return members[try work.text(of: part)] != nil
    default:
      let (text, part) = (try work.text(of: value), try work.text(of: part))
      try work.charge(TextOccurrences.size(of: part, in: text))
      return TextOccurrences.contains(part, in: text)
    }
  }

  // MARK: Numbers

  private static func quotient(_ left: JSON, _ right: JSON) -> JSON {
    guard let left = left.asNumber, let right = right.asNumber, right != 0 else { return .null }
    return exact(left / right)
  }

  private static func rounded(_ value: JSON, _ digits: Int) -> JSON {
    guard let number = value.asNumber else { return .null }
    let scale = pow(10, Double(Swift.min(Swift.max(digits, 0), 15)))
    return exact((number * scale).rounded() / scale)
  }

  /// Returns a number, an integer if it is whole, or `null` if it is not finite.
  private static func exact(_ value: Double) -> JSON {
    Int(exactly: value).map { .int($0) } ?? (value.isFinite ? .double(value) : .null)
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
