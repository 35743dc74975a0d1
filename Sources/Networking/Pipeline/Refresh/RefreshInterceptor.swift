import Promises

/// Renews credentials when a server refuses them, once for however many requests were refused.
///
/// ```swift
/// let refresh = RefreshInterceptor(on: [401]) { _ in
///   networking.fetch(Refresh(tokens.current).notIntercepted())
///     .tap { fresh in networking.authenticate(bearerToken: fresh.access) }
/// }
/// ```
///
/// - **Once.** The first response of one of the statuses starts the refresh, and those that come while
///   it runs wait for it. One that was sent before a refresh ended, and is refused after, starts no
///   other.
/// - **Then** each request is sent again, once, through all stages further in: with the client's
///   credentials, and whatever adapters stand behind this interceptor add, as they are then. An
///   `Authorization` field that the request itself brings stays as it is. The second answer is the
///   answer.
/// - **A refresh that fails** fails each request that waits for it, with its error.
/// - **Cancellation.** A request that is cancelled leaves the refresh to the others; when all have gone
///   the refresh is cancelled.
/// - The request that the refresh itself makes has to be ``Request/notIntercepted()``, and passes by. One
///   that is not, and is refused while the refresh runs, would wait for itself: it fails instead, and with it the
///   refresh, by an error that says so. It is known by where it is made, in the closure or in a task that was
///   begun there; one made later, in a handler, waits until a time limit ends it, as does one whose turn in
///   the queue never comes because all before it wait for the refresh.
/// - A request whose body cannot be sent again keeps its first answer.
public struct RefreshInterceptor: Interceptor {
  private let statuses: Set<Int>
  private let refresh: @Sendable (Response) throws -> Promise<Void>
  private let shared = SharedRefresh()

  /// Makes an interceptor; copies of it share their refresh.
  ///
  /// - Parameters:
  ///   - statuses: those that mean that credentials were refused.
  ///   - refresh: starts a refresh, and gets the response that led to it; its value is not used. It
  ///     runs on the thread of that exchange, must not block, and is never run again before its promise
  ///     has settled. What it throws is its failure.
  public init<Ignored>(
    on statuses: Set<Int> = [401],
    _ refresh: @escaping @Sendable (_ response: Response) throws -> Promise<Ignored>
  ) {
    self.statuses = statuses
    self.refresh = { response in try refresh(response).asVoid() }
  }

  /// Sends the exchange, and again after a refresh.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - next: the stages further in.
  /// - Returns: a promise of the answer.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.isIntercepted else { return next(exchange) }
    // Noted before the credentials are taken: those that are new then are not taken for old ones.
    let epoch = shared.epoch
    return next(exchange.withCurrentCredentials()).then(on: .inline) { response -> NetworkPromise in
      guard statuses.contains(response.status), exchange.request.body.isRepeatable else {
        return .fulfilled(response)
      }
      guard !shared.isUnderWay(exchange.call.refresh) else { throw Self.circle(response) }
      return shared.ready(since: epoch) { try refresh(response) }
        .then(on: .inline) {
          exchange.call.trace.end(.success(response))
          exchange.events?.add(.credentialsRefreshed)
          return next(exchange.withCurrentCredentials())
        }
    }
  }

  private static func circle(_ response: Response) -> NetworkError {
    NetworkError(
      .unacceptableStatus(response.status), response,
      "it is asked for by the refresh that it would have to wait for; make it with .notIntercepted()"
    )
  }
}
