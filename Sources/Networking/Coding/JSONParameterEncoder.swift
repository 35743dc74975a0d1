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
  /// `nil` writes the text directly, with the members in their order. The strategy for keys applies to
  /// the names of all members, except the keys of dictionaries and of ``JSON`` that `json:` or
  /// `Parameters(encoding:)` has encoded. These encode a value before the client is known, so the
  /// `userInfo` of the encoder does not apply to it. Values may be nested 64 levels deep, and 128 without an encoder.
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

extension JSONWriter {
  /// Returns parameters as a JSON text that a `JSONEncoder` writes.
  ///
  /// - Throws: ``ParameterEncodingError`` with the key path of the value if the encoder rejects a
  ///   value or if the values are nested too deeply.
  static func data(_ parameters: Parameters, encoder: JSONEncoder) throws -> Data {
    do {
      return try encoder.encode(EncodableParameters(parameters: parameters, depth: 0))
    } catch EncodingError.invalidValue(_, let context) {
      let keyPath = FieldWriter.text(of: JSONValuePath(context.codingPath).steps)
      // The description of another context may contain the value.
      throw context.debugDescription == EncodableParameters.tooDeep
        ? ParameterEncodingError.tooDeep(keyPath)
        : ParameterEncodingError(keyPath: keyPath, reason: "is rejected by the JSON encoder")
    }
  }
}

/// Parameters that an encoder encodes as plain JSON values.
struct EncodableParameters: Encodable {
  /// The description of the error of values that are nested too deeply.
  static let tooDeep = "It is nested more than \(JSON.maximumCodingDepth) levels deep."

  let parameters: Parameters
  /// The depth, because an encoder takes time to tell it.
  let depth: Int

  func encode(to encoder: any Encoder) throws {
    switch parameters {
    case .array(let values):
      try checkDepth(encoder)
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(nested(value)) }
    case .dictionary(let members) where members.keepsNames:
      try checkDepth(encoder)
      var container = encoder.singleValueContainer()
      try container.encode(
        Dictionary(uniqueKeysWithValues: members.map { ($0.name, nested($0.value)) }))
    case .dictionary(let members):
      try checkDepth(encoder)
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for member in members {
        try container.encode(nested(member.value), forKey: AnyCodingKey(stringValue: member.name))
      }
    default:
      var container = encoder.singleValueContainer()
      try parameters.encodeScalar(in: &container)
    }
  }

  private func nested(_ value: Parameters) -> EncodableParameters {
    EncodableParameters(parameters: value, depth: depth + 1)
  }

  private func checkDepth(_ encoder: any Encoder) throws {
    guard depth < JSON.maximumCodingDepth else {
      throw Self.depthError(Parameters.null, of: encoder)
    }
  }

  /// Returns the error of values that are nested too deeply.
  ///
  /// - Parameters:
  ///   - placeholder: A value in place of the encoded one, which the error must not contain.
  ///   - encoder: The encoder.
  /// - Returns: The error.
  static func depthError(_ placeholder: Any, of encoder: any Encoder) -> EncodingError {
    .invalidValue(
      placeholder, .init(codingPath: encoder.codingPath, debugDescription: tooDeep))
  }
}

extension Parameters {
  /// Returns the parameters as a compact JSON text, with the members in their order.
  ///
  /// - Returns: The text in UTF-8.
  /// - Throws: ``ParameterEncodingError``, as ``JSON/data()``.
  package func jsonText() throws -> Data { try JSONWriter.data(self) }

  /// Encodes a value that is neither an array nor a dictionary as the corresponding Swift type.
  ///
  /// It is outside of the recursive methods, so that the frames of the recursion are small.
  func encodeScalar(in container: inout any SingleValueEncodingContainer) throws {
    switch self {
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
