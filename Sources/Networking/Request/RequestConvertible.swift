public import Foundation

/// A type that can be converted to a ``Request``: an endpoint of a server, or a request itself.
///
/// An endpoint type is usually an enumeration with one case for each operation of the server.
///
/// ```swift
/// enum BoardsAPI: RequestConvertible {
///   case boards
///   case board(id: Int)
///
///   static let baseURL = URL(string: "https://api.example.com/v1/")
///
///   var request: Request {
///     switch self {
///     case .boards: .get("boards")
///     case .board(let id): .get("boards/\(id)")
///     }
///   }
/// }
/// ```
///
/// The getters of `request` and `baseURL` may throw, for example when they encode an `Encodable` value
/// or read a setting: `var request: Request { get throws { ... } }`. The error rejects the request.
///
/// The base URL, the header fields and the format of the parameters can also be instance properties,
/// which apply to one value of the type. Each has the type of the static property. Its default is the
/// static property, so that `endpoint.baseURL` is the base URL of any endpoint.
///
/// ```swift
/// var baseURL: URL? {
///   switch self {
///   case .login: URL(string: "https://accounts.example.com")
///   default: nil                                  // uses the static property
///   }
/// }
/// ```
public protocol RequestConvertible: Sendable {
  /// The type of `baseURL`: `URL`, `String`, ``BaseURL``, or an optional of these.
  ///
  /// It is inferred from the declarations of the property. With any other type that is not
  /// ``BaseURLConvertible``, the conformance is a compile-time error.
  associatedtype BaseURLType = URL?

  /// The type of `headers`: ``HTTPHeaders``, `[String: String]`, or an optional of these.
  ///
  /// It is inferred from the declarations of the property. With any other type that is not
  /// ``HTTPHeadersConvertible``, the conformance is a compile-time error.
  associatedtype HeadersType = HTTPHeaders

  /// The type of `queryFormat`: ``QueryFormat``, or an optional of it.
  ///
  /// It is inferred from the declarations of the property. With any other type, the conformance is a
  /// compile-time error.
  associatedtype QueryFormatType = QueryFormat?

  /// The base URL of the paths. The default `nil` uses the client's base URL.
  ///
  /// The getter runs for each request. If only values of the type have a base URL, and its type is not
  /// an optional, this property throws an error.
  static var baseURL: BaseURLType { get throws }

  /// The header fields of all requests of this type. A request can override them. Empty by default.
  static var headers: HeadersType { get }

  /// The format of the parameters in the queries and forms of this type.
  ///
  /// ``RequestOption/queryFormat(_:)`` overrides it for one request. The default `nil` uses the
  /// client's format.
  static var queryFormat: QueryFormatType { get }

  /// The base URL of this value. `nil` uses the static property, which is also the default.
  var baseURL: BaseURLType { get throws }

  /// The header fields of this value, which replace those of the type of the same name. The default
  /// is the static property.
  var headers: HeadersType { get }

  /// The format of this value's parameters. `nil` uses the static property, which is also the default.
  ///
  /// Without a static property, its type is an optional.
  var queryFormat: QueryFormatType { get }

  /// The request for this value.
  var request: Request { get throws }

  /// Returns the base URL that the type declares, whatever its type.
  ///
  /// Generic code uses this method to read the declaration.
  ///
  /// - Returns: The base URL. `nil` uses the client's base URL.
  /// - Throws: The error of the getter. ``NetworkError`` with the code
  ///   ``NetworkError/Code-swift.enum/invalidURL`` for a `String` that is not a URL.
  static func resolvedBaseURL() throws -> URL?

  /// Returns the base URL of this value, whatever its type: that of the instance property if it is not
  /// `nil`, otherwise that of the type.
  ///
  /// - Returns: The base URL. `nil` uses the client's base URL.
  /// - Throws: The same errors as the static method.
  func resolvedBaseURL() throws -> URL?

  /// Returns the header fields that the type declares, whatever their type.
  ///
  /// - Returns: The header fields.
  static func resolvedHeaders() -> HTTPHeaders

  /// Returns the header fields of this value: those of the type, and those of the instance property,
  /// which replace fields of the same name.
  ///
  /// - Returns: The header fields.
  func resolvedHeaders() -> HTTPHeaders

  /// Returns the format of parameters that the type declares, whatever its type.
  ///
  /// - Returns: The format. `nil` uses the client's format.
  static func resolvedQueryFormat() -> QueryFormat?

  /// Returns the format of parameters of this value: that of the instance property if it is not `nil`,
  /// otherwise that of the type.
  ///
  /// - Returns: The format. `nil` uses the client's format.
  func resolvedQueryFormat() -> QueryFormat?
}

/// An endpoint with a response type.
///
/// ```swift
/// struct GetProfile: TypedEndpoint {
///   typealias ResponseType = Profile
///   let id: Int
///   var request: Request { .get("profiles/\(id)") }
/// }
///
/// networking.fetch(GetProfile(id: 1)).done { profile in show(profile) }
/// ```
///
/// An endpoint without a base URL has the base URL, the static header fields and the query format of the
/// endpoint type of the client that fetches it. Its own header fields and its own format override these.
public protocol TypedEndpoint: RequestConvertible {
  /// The type of the decoded response body.
  associatedtype ResponseType: Decodable & Sendable
}

extension Request: RequestConvertible {
  /// The request itself.
  public var request: Request { self }

  /// Returns no header fields, because ``headers`` belong to the request itself.
  ///
  /// - Returns: No header fields.
  public func resolvedHeaders() -> HTTPHeaders { [:] }
}
