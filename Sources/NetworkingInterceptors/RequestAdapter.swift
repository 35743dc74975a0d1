public import Networking
public import Promises

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
/// It changes all requests, including those that are ``RequestOption/notIntercepted``. If it throws,
/// the request is rejected with the error and not sent.
///
/// A closure that is written in the code of an actor runs on this actor, one call after the other.
/// In particular, a closure in the code of the main actor runs on the main queue.
public struct RequestAdapter: Interceptor {
  /// The name of the interceptor in errors.
  public let name: String
  private let adapt: InterceptorStep<HTTPRequest, HTTPRequest>

  /// Makes a synchronous adapter.
  ///
  /// - Parameters:
  ///   - name: The name of the interceptor in errors.
  ///   - adapt: A closure that returns the request to send. It runs once for each time that the
  ///     exchange passes this interceptor, on its actor or, without one, on the thread of the
  ///     exchange. It must not block.
  public init(
    name: String = "RequestAdapter",
    @_inheritActorContext _ adapt:
      @escaping @Sendable @isolated(any) (_ request: HTTPRequest) throws -> HTTPRequest
  ) {
    self.init(IsolatedClosure(adapt), name: name)
  }

  /// Makes an adapter that returns a promise.
  ///
  /// - Parameters:
  ///   - name: The name of the interceptor in errors.
  ///   - adapt: A closure that returns a promise of the request to send. It runs like that of a
  ///     synchronous adapter. The promise is cancelled with the request.
  public init(
    name: String = "RequestAdapter",
    @_inheritActorContext _ adapt:
      @escaping @Sendable @isolated(any) (_ request: HTTPRequest) throws -> Promise<HTTPRequest>
  ) {
    self.name = name
    self.adapt = InterceptorStep(starting: IsolatedClosure(adapt))
  }

  /// Makes an asynchronous adapter.
  ///
  /// - Parameters:
  ///   - name: The name of the interceptor in errors.
  ///   - adapt: A closure that returns the request to send. It runs in a new task, which is
  ///     cancelled with the request.
  public init(
    name: String = "RequestAdapter",
    @_inheritActorContext _ adapt:
      @escaping @Sendable @isolated(any) (_ request: HTTPRequest) async throws -> HTTPRequest
  ) {
    self.name = name
    self.adapt = InterceptorStep(asynchronous: adapt)
  }

  /// Makes a synchronous adapter.
  init(_ adapt: IsolatedClosure<HTTPRequest, HTTPRequest>, name: String = "RequestAdapter") {
    self.name = name
    self.adapt = InterceptorStep(adapt)
  }

  /// Sends the exchange with the changed request.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    adapt.perform(exchange.request, for: exchange) { request in
      var adapted = exchange
      adapted.request = request
      return next(adapted)
    }
  }
}
