import Foundation

/// Something that a client can ask for: an endpoint of a server, or a request by itself.
///
/// An enumeration with one case for each thing to ask is the usual shape.
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
/// Where parameters come from an `Encodable` value, `request` may throw: `var request: Request { get
/// throws { ... } }`.
public protocol RequestConvertible: Sendable {
  /// What the paths are relative to; nil, the default, leaves it to the client.
  static var baseURL: URL? { get }

  /// The header fields of all requests of this type, unless a request has others; none by default.
  static var headers: HTTPHeaders { get }

  /// What to ask.
  var request: Request { get throws }
}

extension RequestConvertible {
  /// None; the client's counts.
  public static var baseURL: URL? { nil }

  /// None.
  public static var headers: HTTPHeaders { [:] }
}

extension Request: RequestConvertible {
  /// The request itself.
  public var request: Request { self }
}
