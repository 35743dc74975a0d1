import Foundation

/// A request as it goes over the wire: everything decided, nothing left to be looked up.
///
/// It is what a `Request` becomes once its URL is absolute and its parameters are encoded, and what a
/// ``Transport`` performs.
public struct HTTPRequest: Sendable, Hashable {
  /// The method.
  public var method: HTTPMethod
  /// The absolute URL, `http` or `https`.
  public var url: URL
  /// The header fields in order, without those that the transport adds: `Host`, `Content-Length`,
  /// `Transfer-Encoding`, `Connection`.
  public var headers: HTTPHeaders
  /// The body.
  public var body: HTTPBody
  /// How long the transport may take to connect, TLS included; nil is without limit.
  public var connectTimeout: Duration?
  /// How long a connection may be silent while something is awaited from it; nil is without limit.
  public var idleTimeout: Duration?
  /// Whether somebody watches, and wants to hear of the connection.
  ///
  /// It is no part of what is asked for: requests that differ in it alone are equal.
  package var isWatched: Bool {
    get { watched.isOn }
    set { watched.isOn = newValue }
  }
  private var watched = Watched()

  private struct Watched: Sendable, Hashable {
    var isOn = false

    static func == (_: Watched, _: Watched) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - url: the absolute URL.
  ///   - headers: the header fields.
  ///   - body: the body.
  ///   - connectTimeout: how long the transport may take to connect; nil is without limit.
  ///   - idleTimeout: how long a connection may be silent; nil is without limit.
  public init(
    method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .none,
    connectTimeout: Duration? = nil, idleTimeout: Duration? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
  }
}
