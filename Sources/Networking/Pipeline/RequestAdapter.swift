import Promises

/// An interceptor that changes each request, synchronously or asynchronously.
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
/// It changes all requests, including those that are ``Request/notIntercepted()``. If it throws,
/// the request is rejected with the error and not sent.
public struct RequestAdapter: Interceptor {
  /// The name of the interceptor in errors.
  public let name: String
  private let adapt: @Sendable (Exchange, @escaping Next) -> NetworkPromise

  /// Makes a synchronous adapter.
  ///
  /// - Parameters:
  ///   - name: The name of the interceptor in errors.
  ///   - adapt: A closure that returns the request to send. It runs on the thread of the exchange,
  ///     once for each time that the exchange passes this interceptor, and must not block.
  public init(
    name: String = "RequestAdapter",
    _ adapt: @escaping @Sendable (_ request: HTTPRequest) throws -> HTTPRequest
  ) {
    self.name = name
    self.adapt = { exchange, next in
      firstly { next(exchange.with(try adapt(exchange.request))) }
    }
  }

  /// Makes an adapter that returns a promise.
  ///
  /// - Parameters:
  ///   - name: The name of the interceptor in errors.
  ///   - adapt: A closure that returns a promise of the request to send. The promise is cancelled
  ///     with the request.
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

  /// Makes an asynchronous adapter.
  ///
  /// - Parameters:
  ///   - name: The name of the interceptor in errors.
  ///   - adapt: A closure that returns the request to send. It runs in a new task, which is
  ///     cancelled with the request.
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
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response.
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

/// An interceptor that adds header fields, unless the request has fields of the same names.
///
/// ```swift
/// HeaderInjector(["X-Client": "catena/1"])
/// HeaderInjector { _ in ["X-Request-ID": UUID().uuidString] }
/// ```
///
/// It adds the fields to all requests. As a hop interceptor it also adds them to redirects to other
/// origins, so it must not be used for credentials.
public struct HeaderInjector: Interceptor {
  private let fields: @Sendable (HTTPRequest) throws -> HTTPHeaders

  /// Makes an injector of constant fields.
  ///
  /// - Parameter headers: The fields.
  public init(_ headers: HTTPHeaders) {
    self.init { _ in headers }
  }

  /// Makes an injector of fields that depend on the request.
  ///
  /// - Parameter fields: A closure that returns the fields for a request. Fields whose names the
  ///   request already has are ignored. The closure runs on the thread of the exchange and must not
  ///   block. An error that it throws rejects the request.
  public init(_ fields: @escaping @Sendable (_ request: HTTPRequest) throws -> HTTPHeaders) {
    self.fields = fields
  }

  /// Sends the exchange with the fields added.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response. It is rejected with
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
