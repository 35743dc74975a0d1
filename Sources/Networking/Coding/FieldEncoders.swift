import Foundation

/// An encoder that puts parameters into the query of the URL.
///
/// All characters except unreserved ones are percent-encoded. A space becomes `%20` and a plus sign
/// `%2B`, because all servers decode these in the same way.
///
/// Source: RFC 3986 section 3.4.
public struct QueryEncoder: ParameterEncoding, Hashable {
  /// The style of field names and values.
  public var naming: FieldNaming

  /// Creates an encoder.
  ///
  /// - Parameter naming: The style of field names and values.
  public init(naming: FieldNaming = FieldNaming()) {
    self.naming = naming
  }

  /// Encodes a dictionary as a query.
  ///
  /// `null` becomes an empty query.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: The query.
  /// - Throws: ``ParameterEncodingError`` if a number is not finite, if the root is neither a
  ///   dictionary nor `null`, or if the values are nested too deeply.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    let query = try naming.encodedFields(of: parameters, with: .url)
    return .query(String(decoding: query, as: UTF8.self))
  }
}

/// An encoder that sends parameters like an HTML form without files.
///
/// Source: the URL Standard (WHATWG) section 5.2, application/x-www-form-urlencoded serializing.
public struct FormURLEncoder: ParameterEncoding, Hashable {
  /// The style of field names and values.
  public var naming: FieldNaming

  /// Creates an encoder.
  ///
  /// - Parameter naming: The style of field names and values.
  public init(naming: FieldNaming = FieldNaming()) {
    self.naming = naming
  }

  /// Encodes a dictionary as a form.
  ///
  /// `null` becomes an empty form.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: A body with the content type `application/x-www-form-urlencoded`.
  /// - Throws: ``ParameterEncodingError`` if a number is not finite, if the root is neither a
  ///   dictionary nor `null`, or if the values are nested too deeply.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    .body(
      [.data(Data(try naming.encodedFields(of: parameters, with: .form)))],
      contentType: "application/x-www-form-urlencoded")
  }
}

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
  /// to the names of all members. Values may be nested 128 levels deep, and 512 without an encoder.
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

/// The percent-encoding of a URL or of a form.
enum PercentEncoding {
  /// The encoding for URLs. It keeps the unreserved characters.
  ///
  /// Source: RFC 3986 section 2.3.
  case url
  /// The encoding for `application/x-www-form-urlencoded`.
  ///
  /// A space becomes `+`. Unlike in a URL, `~` is encoded and `*` is not.
  ///
  /// Source: the URL Standard (WHATWG) section 5.2.
  case form

  /// Appends the encoded text to a buffer.
  func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      if isUnescaped(byte) {
        bytes.append(byte)
      } else if self == .form, byte == UInt8(ascii: " ") {
        bytes.append(UInt8(ascii: "+"))
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(Self.hexDigit(byte >> 4))
        bytes.append(Self.hexDigit(byte & 15))
      }
    }
  }

  /// Returns the encoded text, which is the same string if no character must be encoded.
  func encoded(_ text: String) -> String {
    if text.utf8.allBytesSatisfy({ isUnescaped($0) }) { return text }
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func isUnescaped(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    case UInt8(ascii: "~"): self == .url
    case UInt8(ascii: "*"): self == .form
    default: false
    }
  }

  /// Returns the uppercase hexadecimal digit of a value from 0 to 15.
  static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
