import Promises

/// Adds header fields to each request that has none of their names.
///
/// ```swift
/// HeaderInjector(["X-Client": "catena/1"])
/// HeaderInjector { _ in ["X-Request-ID": UUID().uuidString] }
/// ```
///
/// It adds to whatever passes, to redirects to other origins as well where it stands a hop at a time; so
/// it is no place for credentials.
public struct HeaderInjector: Interceptor {
  private let fields: @Sendable (HTTPRequest) throws -> HTTPHeaders

  /// Makes an injector of the same fields each time.
  ///
  /// - Parameter headers: the fields.
  public init(_ headers: HTTPHeaders) {
    self.init { _ in headers }
  }

  /// Makes an injector of fields made each time.
  ///
  /// - Parameter fields: gives the fields for a request, of which those are added whose names it has
  ///   not; it runs on the thread of the exchange, and must not block. What it throws rejects the
  ///   request.
  public init(_ fields: @escaping @Sendable (_ request: HTTPRequest) throws -> HTTPHeaders) {
    self.fields = fields
  }

  /// Sends the exchange with the fields added.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - next: the stages further in.
  /// - Returns: a promise of the answer, rejected with
  ///   ``NetworkError/Code-swift.enum/invalidHeader`` for a field that cannot be sent.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    firstly {
      var exchange = exchange
      let headers = exchange.request.headers
      exchange.request.headers = try self.fields(exchange.request).merging(headers)
      if let problem = exchange.request.headers.lazy.compactMap({ HTTPHeaders.problem(of: $0) })
        .first
      {
        throw NetworkError(
          .invalidHeader, problem, request: NetworkError.RequestSummary(exchange.request))
      }
      return next(exchange)
    }
  }
}
