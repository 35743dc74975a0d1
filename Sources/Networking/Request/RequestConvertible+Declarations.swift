public import Foundation

/// A type whose values can be the base URL of an endpoint.
///
/// `URL`, `String`, ``BaseURL`` and optionals of these conform to it. An endpoint with a type of its
/// own, such as an enumeration of environments, declares a property that returns a URL of that type.
/// `resolvedBaseURL()` of ``RequestConvertible`` returns the URL that an endpoint declares.
public protocol BaseURLConvertible {
  /// The base URL. `nil` uses the client's base URL.
  var _endpointBaseURL: URL? { get throws }
}

extension URL: BaseURLConvertible {
  /// The URL itself.
  public var _endpointBaseURL: URL? { self }
}

extension BaseURL: BaseURLConvertible {
  /// The URL.
  public var _endpointBaseURL: URL? { url }
}

extension String: BaseURLConvertible {
  /// The URL with this text.
  ///
  /// The text is parsed at each access.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidURL`` if the text
  ///   is not a URL.
  public var _endpointBaseURL: URL? {
    get throws {
      guard let url = URL(string: self) else {
        throw NetworkError(
          .invalidURL,
          "the base URL \(Redactor.standard.maskedURL(self).debugDescription) is not a URL")
      }
      return url
    }
  }
}

extension Optional: BaseURLConvertible where Wrapped: BaseURLConvertible {
  /// The URL of the wrapped value, or `nil`.
  ///
  /// - Throws: The error of the wrapped value.
  public var _endpointBaseURL: URL? { get throws { try self?._endpointBaseURL } }
}

/// A type whose values can be the header fields of an endpoint.
///
/// ``HTTPHeaders``, `[String: String]` and optionals of these conform to it.
public protocol HTTPHeadersConvertible {
  /// The header fields.
  var _endpointHeaders: HTTPHeaders { get }
}

extension HTTPHeaders: HTTPHeadersConvertible {
  /// The header fields themselves.
  public var _endpointHeaders: HTTPHeaders { self }
}

extension Dictionary: HTTPHeadersConvertible where Key == String, Value == String {
  /// The fields of the dictionary, sorted by name.
  public var _endpointHeaders: HTTPHeaders {
    HTTPHeaders(
      sortedByKey(Array(self)).map { HTTPHeaders.Field(name: $0.key, value: $0.value) })
  }
}

extension Optional: HTTPHeadersConvertible where Wrapped: HTTPHeadersConvertible {
  /// The fields of the wrapped value, or none.
  public var _endpointHeaders: HTTPHeaders { self?._endpointHeaders ?? [:] }
}

/// A type whose values can be the format of an endpoint's parameters.
///
/// ``QueryFormat`` and its optional conform to it.
public protocol QueryFormatConvertible {
  /// The format. `nil` uses the client's format.
  var _endpointQueryFormat: QueryFormat? { get }
}

extension QueryFormat: QueryFormatConvertible {
  /// The format itself.
  public var _endpointQueryFormat: QueryFormat? { self }
}

extension Optional: QueryFormatConvertible where Wrapped: QueryFormatConvertible {
  /// The format of the wrapped value, or `nil`.
  public var _endpointQueryFormat: QueryFormat? { self?._endpointQueryFormat }
}

// MARK: - Defaults

/// The type of a property of ``RequestConvertible`` that an endpoint does not declare.
public struct _NotDeclared: BaseURLConvertible, HTTPHeadersConvertible, QueryFormatConvertible,
  Sendable
{
  /// Creates the value.
  @inlinable
  public init() {}

  /// `nil`.
  @inlinable public var _endpointBaseURL: URL? { nil }

  /// No header fields.
  @inlinable public var _endpointHeaders: HTTPHeaders { [:] }

  /// `nil`.
  @inlinable public var _endpointQueryFormat: QueryFormat? { nil }
}

extension RequestConvertible {
  /// `nil`, which uses the client's base URL.
  public static var baseURL: URL? { nil }

  /// No header fields.
  public static var headers: HTTPHeaders { [:] }

  /// `nil`, which uses the client's format.
  public static var queryFormat: QueryFormat? { nil }

  /// Not declared, so that the static property applies.
  @inlinable public var baseURL: _NotDeclared { _NotDeclared() }

  /// Not declared, so that only the static property applies.
  @inlinable public var headers: _NotDeclared { _NotDeclared() }

  /// Not declared, so that the static property applies.
  @inlinable public var queryFormat: _NotDeclared { _NotDeclared() }

  /// Not declared.
  @inlinable public static var baseUrl: _NotDeclared { _NotDeclared() }

  /// Not declared.
  @inlinable public var baseUrl: _NotDeclared { _NotDeclared() }
}

// The associated types of `RequestConvertible` are the types that an endpoint declares, whatever
// they are. Each method has an implementation for the accepted types, and one that is unavailable.
// An endpoint with a property of another type gets the latter, so that the compiler reports its
// message instead of ignoring the property.

extension RequestConvertible where BaseURLType: BaseURLConvertible {
  /// Returns the static property `baseURL` as a URL.
  @inlinable
  public static func resolvedBaseURL() throws -> URL? { try baseURL._endpointBaseURL }
}

extension RequestConvertible
where BaseURLType: BaseURLConvertible, _InstanceBaseURLType: BaseURLConvertible {
  /// Returns the instance property `baseURL` as a URL or, if it is `nil`, the static property.
  @inlinable
  public func resolvedBaseURL() throws -> URL? {
    try baseURL._endpointBaseURL ?? Self.resolvedBaseURL()
  }
}

extension RequestConvertible where HeadersType: HTTPHeadersConvertible {
  /// Returns the static property `headers` as header fields.
  @inlinable
  public static func resolvedHeaders() -> HTTPHeaders { headers._endpointHeaders }
}

extension RequestConvertible
where HeadersType: HTTPHeadersConvertible, _InstanceHeadersType: HTTPHeadersConvertible {
  /// Returns the static property `headers` with the fields of the instance property.
  @inlinable
  public func resolvedHeaders() -> HTTPHeaders {
    Self.resolvedHeaders().merging(headers._endpointHeaders)
  }
}

extension RequestConvertible where QueryFormatType: QueryFormatConvertible {
  /// Returns the static property `queryFormat` as a format.
  @inlinable
  public static func resolvedQueryFormat() -> QueryFormat? { queryFormat._endpointQueryFormat }
}

extension RequestConvertible
where QueryFormatType: QueryFormatConvertible, _InstanceQueryFormatType: QueryFormatConvertible {
  /// Returns the instance property `queryFormat` as a format or, if it is `nil`, the static property.
  @inlinable
  public func resolvedQueryFormat() -> QueryFormat? {
    queryFormat._endpointQueryFormat ?? Self.resolvedQueryFormat()
  }
}

extension RequestConvertible
where
  _MisspelledBaseURLType == _NotDeclared,
  _MisspelledInstanceBaseURLType == _NotDeclared
{
  /// A no-op.
  @inlinable
  public static func _checkSpelling() {}
}

extension RequestConvertible {
  /// Unavailable, because the property has another type.
  @available(
    *, unavailable, message: "'baseURL' must be a URL, a String, a BaseURL or an optional of these"
  )
  public static func resolvedBaseURL() throws -> URL? { nil }

  /// Unavailable, because the property has another type.
  @available(
    *, unavailable, message: "'baseURL' must be a URL, a String, a BaseURL or an optional of these"
  )
  public func resolvedBaseURL() throws -> URL? { nil }

  /// Unavailable, because the property has another type.
  @available(
    *, unavailable,
    message: "'headers' must be HTTPHeaders, [String: String] or an optional of these"
  )
  public static func resolvedHeaders() -> HTTPHeaders { [:] }

  /// Unavailable, because the property has another type.
  @available(
    *, unavailable,
    message: "'headers' must be HTTPHeaders, [String: String] or an optional of these"
  )
  public func resolvedHeaders() -> HTTPHeaders { [:] }

  /// Unavailable, because the property has another type.
  @available(
    *, unavailable, message: "'queryFormat' must be a QueryFormat or an optional of it"
  )
  public static func resolvedQueryFormat() -> QueryFormat? { nil }

  /// Unavailable, because the property has another type.
  @available(
    *, unavailable, message: "'queryFormat' must be a QueryFormat or an optional of it"
  )
  public func resolvedQueryFormat() -> QueryFormat? { nil }

  /// Unavailable, because the property has another name.
  @available(*, unavailable, message: "rename 'baseUrl' to 'baseURL'")
  public static func _checkSpelling() {}
}
