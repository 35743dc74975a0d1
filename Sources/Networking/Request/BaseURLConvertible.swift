public import Foundation

/// A type whose values can be the base URL of an endpoint.
///
/// `URL`, `String`, ``BaseURL`` and optionals of these conform to it. Another type, such as an
/// enumeration of environments, can conform to it as well:
///
/// ```swift
/// enum Environment: BaseURLConvertible {
///   case staging, production
///
///   func asBaseURL() -> URL? {
///     switch self {
///     case .staging: URL(string: "https://staging.example.com/")
///     case .production: URL(string: "https://api.example.com/")
///     }
///   }
/// }
/// ```
public protocol BaseURLConvertible {
  /// Returns the base URL.
  ///
  /// - Returns: The base URL. `nil` uses the client's base URL.
  /// - Throws: Any error, which rejects the request.
  func asBaseURL() throws -> URL?
}

extension URL: BaseURLConvertible {
  /// Returns the URL itself.
  public func asBaseURL() -> URL? { self }
}

extension BaseURL: BaseURLConvertible {
  /// Returns the URL.
  public func asBaseURL() -> URL? { url }
}

extension String: BaseURLConvertible {
  /// Returns the URL with this text.
  ///
  /// The text is parsed at each call.
  ///
  /// - Returns: The URL.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidURL`` if the text
  ///   is not a URL.
  public func asBaseURL() throws -> URL? {
    guard let url = URL(string: self) else {
      throw NetworkError(
        .invalidURL,
        "the base URL \(Redactor.standard.maskedURL(self).debugDescription) is not a URL")
    }
    return url
  }
}

extension Optional: BaseURLConvertible where Wrapped: BaseURLConvertible {
  /// Returns the URL of the wrapped value, or `nil`.
  ///
  /// - Returns: The URL.
  /// - Throws: The error of the wrapped value.
  public func asBaseURL() throws -> URL? { try self?.asBaseURL() }
}
