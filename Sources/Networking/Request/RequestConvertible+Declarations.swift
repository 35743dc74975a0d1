public import Foundation

// MARK: - Defaults

/// The error of a static base URL that an endpoint type does not declare.
@usableFromInline
struct UndeclaredBaseURL: Error, CustomStringConvertible {
  @usableFromInline init() {}

  @usableFromInline var description: String { "only the values of the type have a baseURL" }
}

extension RequestConvertible {
  /// The static property.
  @inlinable public var baseURL: BaseURLType { get throws { try Self.baseURL } }

  /// The static property.
  @inlinable public var headers: HeadersType { Self.headers }

  /// The static property.
  @inlinable public var queryFormat: QueryFormatType { Self.queryFormat }

  /// Not declared: only the values of the type have a base URL, and it cannot be `nil`.
  @inlinable public static var baseURL: BaseURLType { get throws { throw UndeclaredBaseURL() } }
}

extension RequestConvertible where BaseURLType: ExpressibleByNilLiteral {
  /// `nil`, which uses the client's base URL.
  @inlinable public static var baseURL: BaseURLType { nil }
}

extension RequestConvertible where HeadersType: ExpressibleByDictionaryLiteral {
  /// No header fields.
  @inlinable public static var headers: HeadersType { [:] }
}

extension RequestConvertible where HeadersType: ExpressibleByNilLiteral {
  /// No header fields.
  @inlinable public static var headers: HeadersType { nil }
}

extension RequestConvertible where QueryFormatType: ExpressibleByNilLiteral {
  /// `nil`, which uses the client's format.
  @inlinable public static var queryFormat: QueryFormatType { nil }
}

// The associated types of `RequestConvertible` are the types that an endpoint declares, whatever
// they are. Each method has an implementation for the accepted types, and one that is unavailable.
// An endpoint with a property of another type gets the latter, so that the compiler reports its
// message. If the associated types had constraints, it would ignore the property instead.

extension RequestConvertible where BaseURLType: BaseURLConvertible {
  /// Returns the static property `baseURL` as a URL.
  @inlinable
  public static func resolvedBaseURL() throws -> URL? {
    do {
      return try baseURL.asBaseURL()
    } catch is UndeclaredBaseURL {
      return nil
    }
  }

  /// Returns the instance property `baseURL` as a URL or, if it is `nil`, the static property.
  @inlinable
  public func resolvedBaseURL() throws -> URL? { try baseURL.asBaseURL() ?? Self.resolvedBaseURL() }
}

extension RequestConvertible where HeadersType: HTTPHeadersConvertible {
  /// Returns the static property `headers` as header fields.
  @inlinable
  public static func resolvedHeaders() -> HTTPHeaders { headers.asHeaders() }

  /// Returns the static property `headers` with the fields of the instance property.
  @inlinable
  public func resolvedHeaders() -> HTTPHeaders {
    Self.resolvedHeaders().merging(headers.asHeaders())
  }
}

extension RequestConvertible where QueryFormatType == QueryFormat {
  /// Returns the static property `queryFormat`.
  @inlinable
  public static func resolvedQueryFormat() -> QueryFormat? { queryFormat }

  /// Returns the instance property `queryFormat`.
  @inlinable
  public func resolvedQueryFormat() -> QueryFormat? { queryFormat }
}

extension RequestConvertible where QueryFormatType == QueryFormat? {
  /// Returns the static property `queryFormat`.
  @inlinable
  public static func resolvedQueryFormat() -> QueryFormat? { queryFormat }

  /// Returns the instance property `queryFormat` or, if it is `nil`, the static property.
  @inlinable
  public func resolvedQueryFormat() -> QueryFormat? { queryFormat ?? Self.queryFormat }
}

@available(
  *, unavailable,
  message:
    "'baseURL' must be a URL, a String, a BaseURL or an optional of these, and the same type for the type and its values"
)
extension RequestConvertible {
  /// Unavailable, because the property has another type.
  public static func resolvedBaseURL() throws -> URL? { nil }

  /// Unavailable, because the property has another type.
  public func resolvedBaseURL() throws -> URL? { nil }
}

@available(
  *, unavailable,
  message:
    "'headers' must be HTTPHeaders, [String: String] or an optional of these, and the same type for the type and its values"
)
extension RequestConvertible {
  /// Unavailable, because the property has another type.
  public static func resolvedHeaders() -> HTTPHeaders { [:] }

  /// Unavailable, because the property has another type.
  public func resolvedHeaders() -> HTTPHeaders { [:] }
}

@available(
  *, unavailable,
  message:
    "'queryFormat' must be a QueryFormat or an optional of it, and the same type for the type and its values"
)
extension RequestConvertible {
  /// Unavailable, because the property has another type.
  public static func resolvedQueryFormat() -> QueryFormat? { nil }

  /// Unavailable, because the property has another type.
  public func resolvedQueryFormat() -> QueryFormat? { nil }
}
