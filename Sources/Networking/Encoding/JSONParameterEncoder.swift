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
