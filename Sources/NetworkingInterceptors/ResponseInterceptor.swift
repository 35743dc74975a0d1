public import Networking
public import Promises

/// An interceptor that inspects each result, and may replace it or send the request again.
///
/// ```swift
/// let maintenance = ResponseInterceptor { result, _ in
///   guard case .success(let response) = result, response.status == 503,
///     response.contentType?.description == "text/html"
///   else { return .pass }
///   return .resend(after: status.untilMaintenanceIsOver())
/// }
/// ```
///
/// Requests that are ``RequestOption/notIntercepted`` are not inspected, so that requests made by the
/// closure do not wait for themselves. ``RefreshInterceptor`` refreshes a token once for all
/// requests.
public struct ResponseInterceptor: Interceptor {
  /// The decision about a result.
  public enum Decision: Sendable {
    /// Deliver the result.
    case pass
    /// Deliver another response.
    case respond(Response)
    /// Send the request through the remaining stages again when the promise is fulfilled.
    ///
    /// If the promise is rejected, the request fails with its error.
    case resend(after: Promise<Void>)
  }

  /// The name of the interceptor in errors.
  public let name: String
  private let limit: Int
  private let decide: InterceptorStep<(Result<Response, any Error>, HTTPRequest), Decision>

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of times that a request is sent again. The result after that is
  ///     delivered without calling the closure.
  ///   - name: The name of the interceptor in errors.
  ///   - decide: The closure. It is called for each result except a cancellation, on its actor or,
  ///     without one, on the thread of the exchange. It must not block. An error that it throws
  ///     rejects the request.
  public init(
    limit: Int = 1, name: String = "ResponseInterceptor",
    @_inheritActorContext _ decide:
      @escaping @Sendable @isolated(any) (
        _ result: Result<Response, any Error>, _ request: HTTPRequest
      ) throws -> Decision
  ) {
    self.limit = limit
    self.name = name
    self.decide = InterceptorStep(IsolatedClosure(decide))
  }

  /// Sends the exchange, and sends it again if the closure decides so.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.isIntercepted else { return next(exchange) }
    return send(exchange, next, resendsLeft: limit)
  }

  private func send(
    _ exchange: Exchange, _ next: @escaping Next, resendsLeft: Int
  ) -> NetworkPromise {
    next(exchange).asResult()
      .then(on: .inline) { result -> NetworkPromise in
        guard resendsLeft > 0 else { return .fulfilled(try result.get()) }
        return decide.perform((result, exchange.request), for: exchange) { decision in
          switch decision {
          case .respond(let response): return .fulfilled(response)
          case .resend(let promise) where exchange.request.body.isRepeatable:
            return promise.then(on: .inline) {
              send(
                try exchange.forResend(after: result), next, resendsLeft: resendsLeft - 1)
            }
          case .pass, .resend: return .fulfilled(try result.get())
          }
        }
      }
  }
}
