import Foundation

/// Puts parameters into the URL's query.
///
/// Everything but unreserved characters is percent-encoded, a space as `%20` and a plus as `%2B`, which
/// every server reads alike.
///
/// Source: RFC 3986 section 3.4.
public struct QueryEncoder: ParameterEncoding, Hashable {
  /// How the tree becomes flat names.
  public var naming: FieldNaming

  /// Makes an encoder.
  ///
  /// - Parameter naming: how the tree becomes flat names.
  public init(naming: FieldNaming = FieldNaming()) {
    self.naming = naming
  }

  /// Encodes a dictionary; null is an empty query.
  ///
  /// - Parameter parameters: what to encode.
  /// - Returns: a query.
  /// - Throws: ``ParameterEncodingError`` for a number that is not finite, and for a root that is not
  ///   a dictionary.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    .query(String(decoding: try naming.joined(parameters, by: .url), as: UTF8.self))
  }
}

/// Sends parameters as a plain HTML form does.
///
/// Source: the URL Standard (WHATWG) section 5.2, application/x-www-form-urlencoded serializing.
public struct FormURLEncoder: ParameterEncoding, Hashable {
  /// How the tree becomes flat names.
  public var naming: FieldNaming

  /// Makes an encoder.
  ///
  /// - Parameter naming: how the tree becomes flat names.
  public init(naming: FieldNaming = FieldNaming()) {
    self.naming = naming
  }

  /// Encodes a dictionary; null is an empty form.
  ///
  /// - Parameter parameters: what to encode.
  /// - Returns: a body of the type `application/x-www-form-urlencoded`.
  /// - Throws: ``ParameterEncodingError`` for a number that is not finite, and for a root that is not
  ///   a dictionary.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    .body(
      [.data(Data(try naming.joined(parameters, by: .form)))],
      contentType: "application/x-www-form-urlencoded")
  }
}

/// Sends text or bytes as they are; what a custom content type without an encoder gets.
struct TextEncoder: ParameterEncoding {
  let contentType: String

  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    switch parameters {
    case .string(let text): .body([.data(Data(text.utf8))], contentType: contentType)
    case .data(let data): .body([.data(data)], contentType: contentType)
    default:
      throw ParameterEncodingError(
        keyPath: "",
        reason: "must be a string or data, as there is no encoder for \(contentType)")
    }
  }
}

/// Sends parameters as JSON.
///
/// Members keep their order, data becomes Base64, and a root of any kind is taken.
///
/// Source: RFC 8259.
public struct JSONParameterEncoder: ParameterEncoding, Hashable {
  /// The value of `Content-Type`.
  public var contentType: String

  /// Makes an encoder.
  ///
  /// - Parameter contentType: the value of `Content-Type`.
  public init(contentType: String = "application/json") {
    self.contentType = contentType
  }

  /// Encodes any parameters.
  ///
  /// - Parameter parameters: what to encode.
  /// - Returns: a body.
  /// - Throws: ``ParameterEncodingError`` naming the key path of a number that is not finite.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    .body([.data(try JSONWriter.data(parameters))], contentType: contentType)
  }
}

/// The two ways in which text gets into a URL or a form.
enum PercentEncoding {
  /// Everything but the unreserved characters.
  ///
  /// Source: RFC 3986 section 2.3.
  case url
  /// `application/x-www-form-urlencoded`: a space is `+`, and `~` is encoded, `*` not.
  ///
  /// Source: the URL Standard (WHATWG) section 5.2.
  case form

  /// Appends text, encoded.
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

  /// Text, encoded; itself where nothing has to be.
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

  /// The digit of a number up to 15, in upper case.
  static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
