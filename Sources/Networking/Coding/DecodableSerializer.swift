public import Foundation

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
