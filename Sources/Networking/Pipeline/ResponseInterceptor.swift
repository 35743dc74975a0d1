import Promises

/// Looks at each outcome, and may have the request sent again after something else has happened.
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
/// Requests that are ``Request/notIntercepted()`` pass by, so that what the closure itself asks for does
/// not wait for itself. For a token's refresh that many share see ``RefreshInterceptor``.
public struct ResponseInterceptor: Interceptor {
  /// What is to be done about an outcome.
  public enum Decision: Sendable {
    /// Nothing: it is the answer.
    case pass
    /// Take this for the answer.
    case respond(Response)
    /// Send the request again, through all stages further in, once the promise is fulfilled; fail with
    /// its error when it is rejected.
    case resend(after: Promise<Void>)
  }

  /// Decides about an outcome: a response of any status or an error, and the request.
  public typealias DecisionHandler =
    @Sendable (_ result: Result<Response, any Error>, _ request: HTTPRequest) throws -> Decision

  /// What it is called in errors.
  public let name: String
  private let limit: Int
  private let decide: DecisionHandler

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - limit: how many times a request is sent again at the most; the outcome after that is the answer,
  ///     whatever the closure would say.
  ///   - name: what it is called in errors.
  ///   - decide: gets each outcome but a cancellation. It runs on the thread of the exchange, and must
  ///     not block. What it throws rejects the request.
  public init(
    limit: Int = 1, name: String = "ResponseInterceptor", _ decide: @escaping DecisionHandler
  ) {
    self.limit = limit
    self.name = name
    self.decide = decide
  }

  /// Sends the exchange, and again as the closure decides.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - next: the stages further in.
  /// - Returns: a promise of the answer.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.isIntercepted else { return next(exchange) }
    return send(exchange, next, resendsLeft: limit)
  }

  private func send(
    _ exchange: Exchange, _ next: @escaping Next, resendsLeft: Int
  ) -> NetworkPromise {
    next(exchange).asResult()
      .then(on: .inline) { result -> NetworkPromise in
        guard resendsLeft > 0 else { return settled(result) }
        switch try decide(result, exchange.request) {
        case .respond(let response): return .fulfilled(response)
        case .resend(let promise) where exchange.request.body.isRepeatable:
          return promise.then(on: .inline) {
            exchange.state.end(result)
            exchange.reportResend(after: result)
            return send(exchange.withCurrentCredentials(), next, resendsLeft: resendsLeft - 1)
          }
        case .pass, .resend: return settled(result)
        }
      }
  }

  private func settled(_ result: Result<Response, any Error>) -> NetworkPromise {
    switch result {
    case .success(let response): .fulfilled(response)
    case .failure(let error): .rejected(error)
    }
  }
}
