import CatenaSystem
import Foundation
import Networking

/// The core schema of YAML: the values of scalars without quotation marks.
///
/// Source: YAML 1.2.2, section 10.3.
enum CoreSchema {
  private static let tagPrefix = "tag:yaml.org,2002:"

  /// Returns the value of a scalar.
  ///
  /// - Parameters:
  ///   - text: The text of the scalar.
  ///   - isPlain: Whether it has no quotation marks and is not a block scalar.
  ///   - tag: The tag, or `nil` if there is none.
  /// - Returns: The value.
  /// - Throws: ``CoreSchemaError`` if the text is not a value of the tag, or has no value in JSON.
  static func value(of text: String, isPlain: Bool, tag: String?) throws(CoreSchemaError) -> JSON {
    guard let tag else { return isPlain ? try value(ofPlain: text) : .string(text) }
    guard tag != "!" else { return .string(text) }
    guard tag.hasPrefix(tagPrefix) else {
      throw CoreSchemaError(reason: "the tag \(tag) is not one of the core schema")
    }
    let value = try value(ofPlain: text)
    switch (tag.dropFirst(tagPrefix.count), value) {
    case ("str", _): return .string(text)
    case ("null", .null), ("bool", .bool), ("int", .int), ("int", .decimal), ("float", .int),
      ("float", .decimal), ("float", .double):
      return value
    default: throw CoreSchemaError(reason: "the value is not one of the tag \(tag)")
    }
  }

  private static func value(ofPlain text: String) throws(CoreSchemaError) -> JSON {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    case ".nan", ".NaN", ".NAN": throw CoreSchemaError(reason: "\(text) has no value in JSON")
    default: break
    }
    guard let first = text.utf8.first, first < 0x3A, first > 0x2A else { return .string(text) }
    return try number(Array(text.utf8)) ?? .string(text)
  }

  /// Returns the value of a number, or `nil` for other texts.
  private static func number(_ text: [UInt8]) throws(CoreSchemaError) -> JSON? {
    if text.starts(with: "0x".utf8) { return try integer(text.dropFirst(2), radix: 16) }
    if text.starts(with: "0o".utf8) { return try integer(text.dropFirst(2), radix: 8) }
    let isNegative = text.first == UInt8(ascii: "-")
    let rest = text.dropFirst(isNegative || text.first == UInt8(ascii: "+") ? 1 : 0)
    if [".inf", ".Inf", ".INF"].contains(where: { rest.elementsEqual($0.utf8) }) {
      throw CoreSchemaError(reason: "an infinite number has no value in JSON")
    }
    let digits = rest.prefix(while: isDigit)
    var tail = rest.dropFirst(digits.count)
    var fraction = tail.prefix(0)
    if tail.first == UInt8(ascii: ".") {
      fraction = tail.dropFirst().prefix(while: isDigit)
      tail = tail.dropFirst(fraction.count + 1)
    }
    guard !digits.isEmpty || !fraction.isEmpty else { return nil }
    var exponent = ""
    if tail.first == UInt8(ascii: "e") || tail.first == UInt8(ascii: "E") {
      tail = tail.dropFirst()
      let hasSign = tail.first == UInt8(ascii: "-") || tail.first == UInt8(ascii: "+")
      let power = tail.dropFirst(hasSign ? 1 : 0).prefix(while: isDigit)
      guard !power.isEmpty else { return nil }
      exponent = "e" + String(decoding: tail.prefix(hasSign ? 1 : 0) + power, as: UTF8.self)
      tail = tail.dropFirst(power.count + (hasSign ? 1 : 0))
    }
    guard tail.isEmpty else { return nil }
    let whole = digits.drop { $0 == UInt8(ascii: "0") }
    var normal = isNegative ? "-" : ""
    normal += whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self)
    if !fraction.isEmpty { normal += "." + String(decoding: fraction, as: UTF8.self) }
    normal += exponent
    return try json(normal)
  }

  /// Returns the value of a number in the syntax of JSON.
  private static func json(_ text: String) throws(CoreSchemaError) -> JSON {
    if let integer = Int(text) { return .int(integer) }
    guard let value = try? JSON(parsing: Data(text.utf8)), value.double?.isFinite == true else {
      throw CoreSchemaError(reason: "the number is out of range")
    }
    return value
  }

  private static func integer(
    _ digits: ArraySlice<UInt8>, radix: Int
  ) throws(CoreSchemaError) -> JSON? {
    let text = String(decoding: digits, as: UTF8.self)
    let isValid = digits.allSatisfy { byte in
      byte.hexDigitValue.map { $0 < radix } ?? false
    }
    guard isValid, !digits.isEmpty else { return nil }
    guard let value = Int(text, radix: radix) else {
      throw CoreSchemaError(reason: "the number is out of range")
    }
    return .int(value)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// An error in a scalar of YAML.
struct CoreSchemaError: Error, Hashable {
  let reason: String
}
