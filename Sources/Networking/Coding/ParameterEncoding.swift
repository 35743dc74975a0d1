/// A type that encodes parameters as a query or a body.
///
/// To send other formats, such as XML, CBOR or a form with a different naming scheme, implement
/// this protocol and add the encoder to the ``ParameterEncoders`` of a client.
public protocol ParameterEncoding: Sendable {
  /// Encodes parameters.
  ///
  /// The client calls this method when it builds a request, on any thread and possibly on several
  /// threads at once. Equal parameters should have equal results.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: A query or a body.
  /// - Throws: Preferably ``ParameterEncodingError``. With any error but a ``NetworkError`` the
  ///   request fails with ``NetworkError/Code-swift.enum/encodingFailed``.
  func encode(_ parameters: Parameters) throws -> EncodedParameters
}

/// The result of a parameter encoder.
public enum EncodedParameters: Sendable, Hashable {
  /// A percent-encoded query, such as `a=1&b=2`, which may be empty.
  ///
  /// It is appended to the query of the request's path.
  case query(String)
  /// A body of consecutive pieces.
  ///
  /// `contentType` is the value of the `Content-Type` header field.
  case body([BodyPiece], contentType: String)
}
