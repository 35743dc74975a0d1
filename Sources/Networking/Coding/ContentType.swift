/// The format in which a request sends its parameters.
public enum ContentType: Sendable, Hashable, Codable {
  /// The query of the URL. The default for `GET`, `HEAD`, `DELETE`, `OPTIONS` and `TRACE`.
  case query
  /// A body in the format `application/x-www-form-urlencoded`.
  case formURLEncoded
  /// A body in the format `application/json`. The default for all other methods.
  case json
  /// A body in the format `multipart/form-data`.
  case multipartFormData
  /// A body with another media type. ``ParameterEncoders/custom`` selects the encoder.
  case custom(String)

  /// Returns the default for a method.
  ///
  /// - Parameter method: The method.
  /// - Returns: ``query`` for methods whose content has no defined meaning, otherwise ``json``.
  ///
  /// Source: RFC 9110 section 9.3.
  public static func standard(for method: HTTPMethod) -> ContentType {
    switch method {
    case .get, .head, .delete, .options, .trace: .query
    default: .json
    }
  }
}
