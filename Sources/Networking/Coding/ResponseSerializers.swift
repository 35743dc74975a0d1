public import Foundation

/// A type that converts responses to values.
public protocol ResponseSerializing<Output>: Sendable {
  /// The type of the value.
  associatedtype Output: Sendable

  /// Converts a response.
  ///
  /// This method runs on the thread that settles the promise or, for a body of more than 16 KiB that
  /// arrives on an I/O thread, on another thread. It must not block.
  ///
  /// - Parameter response: The complete response with status, header fields and body.
  /// - Returns: The value.
  /// - Throws: Any error. The promise is rejected with this error.
  func serialize(_ response: Response) throws -> Output
}

/// A serializer that decodes a JSON body as a `Decodable` value.
///
/// If the response has no body (status 204 or 205, or an empty body), the output is `nil` for an
/// `Optional` type, and a new instance for ``EmptyResponse``. For any other type, the serializer
/// throws ``NetworkError/Code-swift.enum/noData``.
public struct DecodableSerializer<Output: Decodable & Sendable>: ResponseSerializing {
  private let decoder: JSONDecoder?

  /// Creates a serializer.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The decoder. It must not be modified after this call. `nil` uses the decoder of
  ///     the client (``Response/decoder``).
  public init(_ type: Output.Type = Output.self, decoder: JSONDecoder? = nil) {
    self.decoder = decoder
  }

  /// Decodes the body.
  ///
  /// - Parameter response: The response.
  /// - Returns: The value.
  /// - Throws: ``NetworkError`` with the code `decodingFailed` and the decoder's error as
  ///   ``NetworkError/underlying``, or with the code `noData`.
  public func serialize(_ response: Response) throws -> Output {
    try (decoder ?? response.decoder).decodeBody(of: response)
  }
}

extension JSONDecoder {
  /// Decodes the body of a response, as described for ``DecodableSerializer``.
  func decodeBody<Output: Decodable>(of response: Response) throws -> Output {
    let value: Output
    if response.hasNoBody {
      value = try Self.valueWithoutBody(of: response)
    } else {
      do {
        value = try decode(fromText: response.data)
      } catch {
        throw NetworkError(.decodingFailed, response, underlying: error)
      }
    }
    response.statusCheck?.noteDecoding()
    return value
  }

  private static func valueWithoutBody<Output>(of response: Response) throws -> Output {
    if let empty = EmptyResponse() as? Output { return empty }
    if let optional = Output.self as? any ExpressibleByNilLiteral.Type,
      let none = optional.init(nilLiteral: ()) as? Output
    {
      return none
    }
    throw NetworkError(.noData, response)
  }
}

/// The output type for an endpoint whose responses have no body.
public struct EmptyResponse: Sendable, Hashable, Codable {
  /// Creates the value.
  public init() {}
}

/// A serializer that parses a body as ``JSON``.
public struct JSONSerializer: ResponseSerializing {
  /// Creates a serializer.
  public init() {}

  /// Parses the body.
  ///
  /// - Parameter response: The response.
  /// - Returns: The value.
  /// - Throws: ``NetworkError`` with the code `jsonFailed` if the body is not JSON, or with the
  ///   code `noData` if there is no body.
  public func serialize(_ response: Response) throws -> JSON {
    let json = try parse(response)
    response.statusCheck?.noteDecoding()
    return json
  }

  /// Parses the body, for a caller that may still reject the value.
  func parse(_ response: Response) throws -> JSON {
    guard !response.hasNoBody else { throw NetworkError(.noData, response) }
    do {
      return try JSON(parsing: response.data)
    } catch {
      let reason = JSONText.isMalformedUTF8(response.data) ? "it is not valid UTF-8" : nil
      throw NetworkError(.jsonFailed, response, reason, underlying: error)
    }
  }
}

/// A serializer that decodes a body as text.
///
/// The text encoding is the one passed to the initializer, otherwise the `charset` of the content
/// type, otherwise UTF-8. A byte order mark is removed. A `charset` can have any name of the
/// Encoding Standard whose encoding the platform can read, such as `koi8-r` or `euc-jp`. A text that is no
/// such name, such as `none` or `utf8mb4`, counts as no `charset`.
public struct StringSerializer: ResponseSerializing {
  private let encoding: String.Encoding?

  /// Creates a serializer.
  ///
  /// - Parameter encoding: The text encoding, which overrides the `charset` of the response. `nil`
  ///   uses that `charset`, or UTF-8 if there is none.
  public init(encoding: String.Encoding? = nil) {
    self.encoding = encoding
  }

  /// Decodes the body as text.
  ///
  /// An empty body becomes an empty string. A byte order mark at the start is removed.
  ///
  /// - Parameter response: The response.
  /// - Returns: The text.
  /// - Throws: ``NetworkError`` with the code `stringFailed` if the bytes are not valid in the
  ///   encoding, or if the platform cannot read it.
  public func serialize(_ response: Response) throws -> String {
    let charset = response.contentType?.parameters["charset"]
    let encoding = encoding ?? charset.flatMap { String.Encoding(charset: $0) } ?? .utf8
    guard let text = Self.text(response.data, in: encoding) else {
      throw NetworkError(
        .stringFailed, response,
        encoding.isSupported
          ? "the body is not valid text in \(encoding)"
          : "text in \(encoding) is not supported on this platform")
    }
    response.statusCheck?.noteDecoding()
    return text
  }

  /// Returns the text without its byte order mark, or `nil` if the bytes are not valid.
  private static func text(_ data: Data, in encoding: String.Encoding) -> String? {
    var text = encoding.text(data)
    // Foundation removes the mark in UTF-16 and UTF-32, and in UTF-8 on some platforms.
    if encoding == .utf16 || encoding == .utf32 { return text }
    if text?.unicodeScalars.first == "\u{FEFF}" { text?.unicodeScalars.removeFirst() }
    return text
  }
}

extension Response {
  /// Whether the response has no body to decode: the body is empty, or the status has no body.
  ///
  /// Source: RFC 9110 sections 15.3.5 and 15.3.6.
  package var hasNoBody: Bool { data.isEmpty || status == 204 || status == 205 }
}
