/// Turns parameters into a query or a body.
///
/// Conform a type of your own, and put it into the ``ParameterEncoders`` of a client, to send what the
/// encoders here do not: XML, CBOR, a form with names of another kind.
public protocol ParameterEncoding: Sendable {
  /// Encodes parameters.
  ///
  /// It is called when a request is built, on any thread, perhaps on several at once; the same
  /// parameters should give the same result.
  ///
  /// - Parameter parameters: what to encode.
  /// - Returns: a query or a body.
  /// - Throws: ``ParameterEncodingError`` preferably; whatever it is, the request fails with
  ///   ``NetworkError/Code-swift.enum/encodingFailed``.
  func encode(_ parameters: Parameters) throws -> EncodedParameters
}
