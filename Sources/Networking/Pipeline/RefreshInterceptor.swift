import Promises
import Synchronization

/// An interceptor that refreshes credentials after the server has rejected them, once for all
/// requests.
///
/// ```swift
/// let refresh = RefreshInterceptor(on: [401]) { _ in
///   networking.fetch(Refresh(tokens.current).notIntercepted())
///     .tap { fresh in networking.authenticate(bearerToken: fresh.access) }
/// }
/// ```
///
/// - **One refresh.** The first response with one of the statuses starts a refresh. Requests that
///   are rejected while it runs wait for it. A request that was sent before the refresh ended and
///   is rejected afterwards does not start another one.
/// - **Resending.** After the refresh each request is sent once more through the remaining stages,
///   with the client's current credentials and the changes of inner adapters. Its own
///   `Authorization` field is not changed. The second response is delivered, whatever its status.
/// - **Failure.** If the refresh fails, all requests that wait for it fail with its error.
/// - **Cancellation.** Cancelling one request does not affect the refresh. When all requests that
///   wait for it have been cancelled, the refresh is cancelled.
/// - **Requests of the refresh** must be ``Request/notIntercepted()``. A request that is not marked
///   so, and is rejected while the refresh runs, would wait for itself. It fails with an error that
///   states this, and the refresh fails with the same error. This covers requests made in the
///   closure or in a task started there. Two cases are not detected, and wait until they time out:
///   a request made later in a handler, and a request that waits in the queue behind requests that
///   wait for the refresh.
/// - A request whose body cannot be sent again keeps its first response.
public struct RefreshInterceptor: Interceptor {
  private let statuses: Set<Int>
  private let refresh: @Sendable (Response) throws -> Promise<Void>
  private let shared = SharedRefresh()

  /// Makes an interceptor.
  ///
  /// Copies share the refresh.
  ///
  /// - Parameters:
  ///   - statuses: The statuses that mean that the credentials were rejected.
  ///   - refresh: A closure that starts a refresh. It receives the response that caused it, runs on
  ///     the thread of that exchange, and must not block. It is not called again before its promise
  ///     has settled. An error that it throws fails the refresh. The value of the promise is
  ///     ignored.
  public init<Ignored>(
    on statuses: Set<Int> = [401],
    _ refresh: @escaping @Sendable (_ response: Response) throws -> Promise<Ignored>
  ) {
    self.statuses = statuses
    self.refresh = { response in try refresh(response).asVoid() }
  }

  /// Sends the exchange, and sends it again after a refresh.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.isIntercepted else { return next(exchange) }
    // Read before the credentials, so that new credentials are not mistaken for old ones.
    let epoch = shared.epoch
    return next(exchange.withCurrentCredentials()).then(on: .inline) { response -> NetworkPromise in
      guard statuses.contains(response.status), exchange.request.body.isRepeatable else {
        return .fulfilled(response)
      }
      guard !shared.isInProgress(exchange.call.refresh) else { throw Self.selfWaitError(response) }
      return shared.refreshed(since: epoch) { try refresh(response) }
        .then(on: .inline) {
          exchange.state.end(.success(response))
          exchange.events?.add(.credentialsRefreshed)
          return next(exchange.withCurrentCredentials())
        }
    }
  }

  private static func selfWaitError(_ response: Response) -> NetworkError {
    NetworkError(
      .unacceptableStatus(response.status), response,
      "the request is part of the token refresh that it would wait for; make it .notIntercepted()"
    )
  }
}

/// The state machine of the refresh that all callers share.
///
/// The epoch is the number of refreshes that have ended, successfully or not. A caller reads it
/// before it sends its request. If the request is rejected in the same epoch, a refresh has to
/// start. In a later epoch a refresh has already ended, and its result applies to the caller, too.
struct RefreshMachine {
  /// The next step of a caller whose request was rejected.
  enum Action {
    /// Start a refresh with this number, and wait for it.
    case start(number: Int)
    /// Wait for the running refresh.
    case join(Promise<Void>)
    /// Send the request again, because a refresh has ended in the meantime.
    case resend
    /// Fail with the error of a refresh that has ended in the meantime.
    case fail(any Error)
  }

  /// The number of refreshes that have ended.
  private(set) var epoch = 0
  private var number = 0
  private var current: Promise<Void>?
  private var failure: (any Error)?

  /// Returns whether the refresh with a number is running.
  func isInProgress(_ number: Int) -> Bool { current != nil && number == self.number }

  /// Handles a rejected request.
  ///
  /// - Parameters:
  ///   - epoch: The epoch in which the request was sent.
  ///   - promise: A closure that makes the promise that joining callers wait for. It is called if a
  ///     refresh has to start.
  /// - Returns: The next step of the caller.
  mutating func requestRejected(sentIn epoch: Int, _ promise: () -> Promise<Void>) -> Action {
    guard epoch == self.epoch else { return failure.map(Action.fail) ?? .resend }
    if let current { return .join(current) }
    number += 1
    current = promise()
    return .start(number: number)
  }

  /// Records the end of a refresh.
  ///
  /// Ignored if the refresh is not the running one.
  mutating func ended(_ number: Int, _ failure: (any Error)?) {
    guard number == self.number, current != nil else { return }
    current = nil
    epoch += 1
    self.failure = failure
  }

  /// Records that all callers of a refresh were cancelled.
  ///
  /// The next caller starts another one.
  mutating func abandoned(_ number: Int) {
    if number == self.number { current = nil }
  }
}

/// A refresh that all callers share, and that is cancelled when all of them have been cancelled.
final class SharedRefresh: Sendable {
  private let machine = Mutex(RefreshMachine())

  /// The current epoch, which a caller reads before it sends its request.
  var epoch: Int { machine.withLock { $0.epoch } }

  /// Returns whether a request made inside a refresh would wait for itself.
  ///
  /// - Parameter round: The refresh in which the request was made, if any.
  /// - Returns: Whether that is a running refresh of this instance.
  func isInProgress(_ round: RefreshRound?) -> Bool {
    guard let round, round.owner === self else { return false }
    return machine.withLock { $0.isInProgress(round.number) }
  }

  /// Returns a promise that is fulfilled when the caller may send its request again.
  ///
  /// - Parameters:
  ///   - epoch: The epoch in which the request was sent.
  ///   - start: A closure that starts a refresh. It is called before this method returns, if a
  ///     refresh has to start.
  /// - Returns: The promise, which is rejected with the error of the refresh. Cancelling it does
  ///   not affect other callers.
  func refreshed(
    since epoch: Int, _ start: @escaping @Sendable () throws -> Promise<Void>
  ) -> Promise<Void> {
    let pending = Promise<Void>.pending(on: .inline)
    let action = machine.withLock { $0.requestRejected(sentIn: epoch) { pending.promise } }
    guard case .start(let number) = action else {
      // Fulfilled, so that the unused promise is not reported as abandoned.
      pending.resolver.fulfill()
      return wait(action, since: epoch, start)
    }
    // Attached first, so that it runs before waiting callers call `refreshed` again.
    pending.promise.always(on: .inline) { _ in self.machine.withLock { $0.abandoned(number) } }
    let refreshed = wait(.join(pending.promise), since: epoch, start)
    run(number, start, for: pending.resolver)
    return refreshed
  }

  private func wait(
    _ action: RefreshMachine.Action, since epoch: Int,
    _ start: @escaping @Sendable () throws -> Promise<Void>
  ) -> Promise<Void> {
    switch action {
    case .fail(let error): .rejected(error)
    case .join(let promise):
      // Either the refresh has failed, and the next call returns its error, or all other callers
      // were cancelled just before this one joined.
      promise.recover(on: .inline, policy: .allErrors) { _ in self.refreshed(since: epoch, start) }
    case .resend, .start: .fulfilled(())
    }
  }

  private func run(
    _ number: Int, _ start: () throws -> Promise<Void>, for resolver: Resolver<Void>
  ) {
    // A derived promise, because cancelling the user's own promise could affect its other
    // consumers.
    let round = RefreshRound(owner: self, number: number)
    let work = firstly { try RefreshRound.$current.withValue(round) { try start() } }.map {}
    resolver.onCancel { work.cancel() }
    work.always(on: .inline) { result in
      let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
      self.machine.withLock { $0.ended(number, failure) }
      resolver.resolve(result)
    }
  }
}
