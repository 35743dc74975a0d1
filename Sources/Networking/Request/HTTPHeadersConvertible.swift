/// A type whose values can be the header fields of an endpoint.
///
/// ``HTTPHeaders``, `[String: String]` and optionals of these conform to it.
public protocol HTTPHeadersConvertible {
  /// Returns the header fields.
  ///
  /// - Returns: The header fields.
  func asHeaders() -> HTTPHeaders
}

extension HTTPHeaders: HTTPHeadersConvertible {
  /// Returns the header fields themselves.
  public func asHeaders() -> HTTPHeaders { self }
}

extension Dictionary: HTTPHeadersConvertible where Key == String, Value == String {
  /// Returns the fields of the dictionary, sorted by name.
  public func asHeaders() -> HTTPHeaders {
    HTTPHeaders(
      sortedByKey(Array(self)).map { HTTPHeaders.Field(name: $0.key, value: $0.value) })
  }
}

extension Optional: HTTPHeadersConvertible where Wrapped: HTTPHeadersConvertible {
  /// Returns the fields of the wrapped value, or none.
  public func asHeaders() -> HTTPHeaders { self?.asHeaders() ?? [:] }
}
