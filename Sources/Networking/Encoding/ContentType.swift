/// How a request carries its parameters.
public enum ContentType: Sendable, Hashable, Codable {
  /// In the URL's query; what `GET`, `HEAD`, `DELETE` and `OPTIONS` do by default.
  case query
  /// As `application/x-www-form-urlencoded`, in the body.
  case formURLEncoded
  /// As `application/json`, in the body; what all other methods do by default.
  case json
  /// As `multipart/form-data`, in the body.
  case multipartFormData
  /// As any other media type, in the body; see ``ParameterEncoders/custom`` for how it is encoded.
  case custom(String)

  /// What a method uses unless its request says otherwise.
  ///
  /// - Parameter method: the method.
  /// - Returns: ``query`` for those whose content has no meaning (RFC 9110 section 9.3), else ``json``.
  public static func standard(for method: HTTPMethod) -> ContentType {
    switch method {
    case .get, .head, .delete, .options, .trace: .query
    default: .json
    }
  }
}
