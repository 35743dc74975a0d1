public import Networking
public import Promises

/// An interceptor that adds header fields, unless the request has fields of the same names.
///
/// ```swift
/// HeaderInjector { _ in ["X-Request-ID": UUID().uuidString] }
/// ```
///
/// It is a ``RequestAdapter`` of header fields, for all requests. At the level
/// ``InterceptorLevel/hop`` it also adds them to redirects to other origins, so it must not be used for
/// credentials.
/// Fields that never change are ``NetworkingConfiguration/headers``.
public struct HeaderInjector: Interceptor {
  private let adapter: RequestAdapter

  /// Makes an injector of the fields of a closure.
  ///
  /// - Parameter fields: A closure that returns the fields for a request. Fields whose names the
  ///   request already has are ignored. The closure runs on its actor or, without one, on the thread
  ///   of the exchange, and must not block. An error that it throws rejects the request.
  public init(
    @_inheritActorContext _ fields:
      @escaping @Sendable @isolated(any) (_ request: HTTPRequest) throws -> HTTPHeaders
  ) {
    adapter = RequestAdapter(
      IsolatedClosure(fields).called { (request: HTTPRequest, fields) in
        var request = request
        request.headers = try fields(request).merging(request.headers)
        try request.headers.validate(of: request)
        return request
      })
  }

  /// Sends the exchange with the fields added.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response. It is rejected with
  ///   ``NetworkError/Code-swift.enum/invalidHeader`` for a field that cannot be sent.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    adapter.intercept(exchange, next: next)
  }
}
