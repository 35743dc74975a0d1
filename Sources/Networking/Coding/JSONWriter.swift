import CatenaSystem
public import Foundation

/// An encoder that sends parameters as JSON.
///
/// The root may be a value of any kind. Members keep their order, data is encoded as Base64, and a
/// date as the number of seconds since the start of 2001. With a `JSONEncoder`, its strategies for
/// keys, dates, data and numbers apply instead, and the order of members is that of the encoder:
///
/// ```swift
/// let encoder = JSONEncoder()
/// encoder.keyEncodingStrategy = .convertToSnakeCase
/// encoder.dateEncodingStrategy = .iso8601
/// encoder.outputFormatting = .sortedKeys
/// configuration.encoder = encoder
/// ```
///
/// ``NetworkingConfiguration/encoder`` sets the `JSONEncoder` of a client, and
/// ``ParameterEncoders/json`` also the content type.
///
/// Source: RFC 8259.
public struct JSONParameterEncoder: ParameterEncoding, Hashable {
  /// The value of the `Content-Type` header field.
  public var contentType: String
  /// The encoder of the JSON text.
  ///
  /// `nil` writes the text directly, with the members in their order. The strategy for keys applies
  /// to the names of all members. Values may be nested 64 levels deep, and 128 without an encoder.
  public var encoder: JSONEncoder?

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - contentType: The value of the `Content-Type` header field.
  ///   - encoder: The encoder of the JSON text. It must not be modified after this call. `nil`
  ///     writes the text directly.
  public init(contentType: String = "application/json", encoder: JSONEncoder? = nil) {
    self.contentType = contentType
    self.encoder = encoder
  }

  /// Encodes parameters as a JSON text.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: The body.
  /// - Throws: ``ParameterEncodingError`` with the key path of the value if a number is not finite
  ///   or if the values are nested too deeply.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    let data =
      if let encoder { try JSONWriter.data(parameters, encoder: encoder) } else {
        try JSONWriter.data(parameters)
      }
    return .body([.data(data)], contentType: contentType)
  }

  /// Returns whether both have the same content type and the same instance of a `JSONEncoder`.
  public static func == (left: Self, right: Self) -> Bool {
    left.contentType == right.contentType && left.encoder === right.encoder
  }

  /// Hashes the content type and the identity of the `JSONEncoder`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(contentType)
    hasher.combine(encoder.map { ObjectIdentifier($0) })
  }
}

/// An encoder that sends a string or data unchanged.
///
/// It is the fallback for custom content types that have no encoder and are not JSON.
struct TextEncoder: ParameterEncoding {
  let contentType: String

  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    switch parameters {
    case .string(let text): .body([.data(Data(text.utf8))], contentType: contentType)
    case .data(let data): .body([.data(data)], contentType: contentType)
    default:
      throw ParameterEncodingError(
        keyPath: "",
        reason: "must be a string or data, because there is no encoder for \(contentType)")
    }
  }
}

/// A writer of JSON texts that keeps the order of members.
///
/// Foundation's encoders do not keep it.
///
/// Source: RFC 8259.
struct JSONWriter {
  private var bytes: [UInt8] = []

  /// Returns parameters as a JSON text in UTF-8.
  ///
  /// - Throws: ``ParameterEncodingError`` with the key path of the value if a number is not finite
  ///   or if the values are nested too deeply.
  static func data(_ parameters: Parameters) throws -> Data {
    var writer = JSONWriter()
    writer.bytes.reserveCapacity(128)
    do throws(Failure) {
      try writer.write(parameters, depth: 0)
    } catch {
      let path = error.path.reversed().joined()
      let keyPath = path.hasPrefix(".") ? String(path.dropFirst()) : path
      throw error.isTooDeep
        ? ParameterEncodingError.tooDeep(keyPath) : ParameterEncodingError.notFinite(keyPath)
    }
    return Data(writer.bytes)
  }

  /// The reason for a failure, and the path to the value.
  ///
  /// Each level adds its step to the path when it rethrows, so that a successful run does not track
  /// paths.
  private struct Failure: Error {
    var isTooDeep: Bool
    /// The steps of the path, innermost first.
    var path: [String] = []
    func appending(_ step: String) -> Failure { Failure(isTooDeep: isTooDeep, path: path + [step]) }
  }

  private mutating func write(_ value: Parameters, depth: Int) throws(Failure) {
    switch value {
    case .array(let values):
      guard depth < ParameterEncodingError.depthLimit else { throw Failure(isTooDeep: true) }
      bytes.append(UInt8(ascii: "["))
      for (position, value) in values.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        do throws(Failure) {
          try write(value, depth: depth + 1)
        } catch { throw error.appending("[\(position)]") }
      }
      bytes.append(UInt8(ascii: "]"))
    case .dictionary(let members):
      guard depth < ParameterEncodingError.depthLimit else { throw Failure(isTooDeep: true) }
      bytes.append(UInt8(ascii: "{"))
      for (position, member) in members.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        write(member.name)
        bytes.append(UInt8(ascii: ":"))
        do throws(Failure) {
          try write(member.value, depth: depth + 1)
        } catch { throw error.appending(".\(member.name)") }
      }
      bytes.append(UInt8(ascii: "}"))
    default: try writeScalar(value)
    }
  }

  /// Writes a value that is neither an array nor a dictionary.
  ///
  /// It is outside of ``write(_:depth:)``, so that the frames of the recursion are small.
  private mutating func writeScalar(_ value: Parameters) throws(Failure) {
    switch value {
    case .null, .array, .dictionary: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .int(let value): bytes += value.description.utf8
    case .decimal(let value):
      guard value.isFinite else { throw Failure(isTooDeep: false) }
      bytes += value.description.utf8
    case .double(let value):
      guard value.isFinite else { throw Failure(isTooDeep: false) }
      bytes += Self.text(of: value).utf8
    case .string(let value): write(value)
    case .data(let value): write(value.base64EncodedString())
    case .date(let value):
      guard value.timeIntervalSinceReferenceDate.isFinite else { throw Failure(isTooDeep: false) }
      bytes += Self.text(of: value.timeIntervalSinceReferenceDate).utf8
    }
  }

  /// Returns a finite number as text.
  ///
  /// Beyond 2^53 the shortest text of a double is that of another integer. All digits of such a double
  /// are written, so that it differs from that integer.
  static func text(of value: Double) -> String {
    guard (0x1p53..<1e37).contains(value.magnitude) else { return value.description }
    return String(format: "%.1f", value)
  }

  /// Writes a string.
  ///
  /// Quotation marks, reverse solidi and control characters must be escaped.
  ///
  /// Source: RFC 8259 section 7.
  private mutating func write(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
      case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
      case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
      case 0..<0x20:
        bytes += #"\u00"#.utf8
        bytes += byte.hexadecimalDigits
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSONWriter {
  /// Returns parameters as a JSON text that a `JSONEncoder` writes.
  ///
  /// - Throws: ``ParameterEncodingError`` with the key path of the value if the encoder rejects a
  ///   value or if the values are nested too deeply.
  static func data(_ parameters: Parameters, encoder: JSONEncoder) throws -> Data {
    do {
      return try encoder.encode(EncodableParameters(parameters: parameters, depth: 0))
    } catch EncodingError.invalidValue(_, let context) {
      // The description of the context may contain the value.
      throw ParameterEncodingError(
        keyPath: keyPath(context.codingPath), reason: "is rejected by the JSON encoder")
    }
  }

  fileprivate static func keyPath(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
  }
}

/// Parameters that an encoder encodes as plain JSON values.
private struct EncodableParameters: Encodable {
  /// The maximum depth, which is lower than without an encoder, because each level needs several
  /// frames on the stack.
  private static let depthLimit = JSON.maximumCodingDepth

  /// The name of a member.
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) {
      return nil
    }
  }

  let parameters: Parameters
  let depth: Int

  func encode(to encoder: any Encoder) throws {
    switch parameters {
    case .array(let values):
      try checkDepth(encoder)
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(nested(value)) }
    case .dictionary(let members):
      try checkDepth(encoder)
      var container = encoder.container(keyedBy: Name.self)
      for member in members {
        try container.encode(nested(member.value), forKey: Name(stringValue: member.name))
      }
    default:
      var container = encoder.singleValueContainer()
      switch parameters {
      case .bool(let value): try container.encode(value)
      case .int(let value): try container.encode(value)
      case .decimal(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .data(let value): try container.encode(value)
      case .date(let value): try container.encode(value)
      case .null, .array, .dictionary: try container.encodeNil()
      }
    }
  }

  private func nested(_ value: Parameters) -> EncodableParameters {
    EncodableParameters(parameters: value, depth: depth + 1)
  }

  private func checkDepth(_ encoder: any Encoder) throws {
    guard depth < Self.depthLimit else {
      throw ParameterEncodingError.tooDeep(JSONWriter.keyPath(encoder.codingPath))
    }
  }
}

extension Decimal {
  fileprivate var isFinite: Bool { !isNaN && !isInfinite }
}
