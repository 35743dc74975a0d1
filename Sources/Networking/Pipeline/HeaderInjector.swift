public import Promises

/// An interceptor that adds header fields, unless the request has fields of the same names.
///
/// ```swift
/// HeaderInjector { _ in ["X-Request-ID": UUID().uuidString] }
/// ```
///
/// Fields that never change are ``NetworkingConfiguration/headers``.
///
/// It adds the fields to all requests. As a hop interceptor it also adds them to redirects to other
/// origins, so it must not be used for credentials.
public struct HeaderInjector: Interceptor {
  private let fields: InterceptorStep<HTTPRequest, HTTPHeaders>

  /// Makes an injector of the fields of a closure.
  ///
  /// - Parameter fields: A closure that returns the fields for a request. Fields whose names the
  ///   request already has are ignored. The closure runs on its actor or, without one, on the thread
  ///   of the exchange, and must not block. An error that it throws rejects the request.
  public init(
    @_inheritActorContext _ fields:
      @escaping @Sendable @isolated(any) (_ request: HTTPRequest) throws -> HTTPHeaders
  ) {
    self.fields = InterceptorStep(fields)
  }

  /// Sends the exchange with the fields added.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response. It is rejected with
  ///   ``NetworkError/Code-swift.enum/invalidHeader`` for a field that cannot be sent.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    fields.perform(exchange.request, for: exchange) { next(try exchange.adding($0)) }
  }
}

extension Exchange {
  /// Returns the exchange with additional fields, except those whose names the request has.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidHeader`` for a
  ///   field that cannot be sent.
  fileprivate func adding(_ fields: HTTPHeaders) throws -> Exchange {
    var exchange = self
    exchange.request.headers = fields.merging(request.headers)
    let problems = exchange.request.headers.fields.lazy.compactMap { HTTPHeaders.problem(of: $0) }
    if let problem = problems.first {
      throw NetworkError(.invalidHeader, problem, request: .init(exchange.request))
    }
    return exchange
  }
}
