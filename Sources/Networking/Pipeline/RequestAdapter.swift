import Promises

/// Changes each request on its way, at once or after something else.
///
/// ```swift
/// let signing = RequestAdapter { request in try signer.sign(request) }
/// let located = RequestAdapter { request in
///   var request = request
///   request.headers["X-Region"] = try await region.current()
///   return request
/// }
/// ```
///
/// It changes whatever passes, the requests that are ``Request/notIntercepted()`` among them. What it
/// throws rejects the request, of which nothing has been sent then.
public struct RequestAdapter: Interceptor {
  /// What it is called in errors.
  public let name: String
  private let adapt: @Sendable (Exchange, @escaping Next) -> NetworkPromise

  /// Makes an adapter that knows its answer at once.
  ///
  /// - Parameters:
  ///   - name: what it is called in errors.
  ///   - adapt: gives the request to send; it runs on the thread of the exchange, once for each time
  ///     that this is sent through here, and must not block.
  public init(
    name: String = "RequestAdapter",
    _ adapt: @escaping @Sendable (_ request: HTTPRequest) throws -> HTTPRequest
  ) {
    self.name = name
    self.adapt = { exchange, next in
      firstly { next(exchange.with(try adapt(exchange.request))) }
    }
  }

  /// Makes an adapter that promises its answer.
  ///
  /// - Parameters:
  ///   - name: what it is called in errors.
  ///   - adapt: promises the request to send; the promise is cancelled with the request.
  public init(
    name: String = "RequestAdapter",
    _ adapt: @escaping @Sendable (_ request: HTTPRequest) throws -> Promise<HTTPRequest>
  ) {
    self.name = name
    self.adapt = { exchange, next in
      firstly { try adapt(exchange.request) }
        .then(on: .inline) { next(exchange.with($0)) }
        .on(.inline)
    }
  }

  /// Makes an adapter that is asynchronous code.
  ///
  /// - Parameters:
  ///   - name: what it is called in errors.
  ///   - adapt: gives the request to send; it runs in a task of its own, which is cancelled with the
  ///     request.
  public init(
    name: String = "RequestAdapter",
    _ adapt: @escaping @Sendable (_ request: HTTPRequest) async throws -> HTTPRequest
  ) {
    self.init(name: name) { (request: HTTPRequest) -> Promise<HTTPRequest> in
      Promise { try await adapt(request) }
    }
  }

  /// Sends the exchange with the changed request.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - next: the stages further in.
  /// - Returns: a promise of the answer.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    adapt(exchange, next)
  }
}

extension Exchange {
  fileprivate func with(_ request: HTTPRequest) -> Exchange {
    var exchange = self
    exchange.request = request
    return exchange
  }
}

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
