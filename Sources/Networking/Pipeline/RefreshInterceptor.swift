import CatenaSystem
public import Promises

/// An interceptor that refreshes credentials after the server has rejected them, once for all
/// requests.
///
/// ```swift
/// let refresh = RefreshInterceptor(on: [401]) { _ in
///   networking.fetch(Refresh(tokens.current), .notIntercepted)
///     .tap { fresh in networking.authenticate(bearerToken: fresh.access) }
/// }
/// ```
///
/// - **One refresh.** The first response that the rule covers starts a refresh. Requests that
///   are rejected while it runs wait for it. A request that was sent before the refresh ended and
///   is rejected afterwards does not start another one.
/// - **Resending.** After the refresh each request is sent once more through the remaining stages,
///   with the client's current credentials and the changes of inner adapters. Its own
///   `Authorization` field is not changed. The second response is delivered, whatever its status.
/// - **Failure.** If the refresh fails, all requests that wait for it fail with its error.
/// - **Held requests.** By default a request that is made while a refresh runs is sent at once, with
///   the old credentials. With `holdsRequests` it waits for the refresh and is sent once, with the
///   new ones.
/// - **Cancellation.** Cancelling one request does not affect the refresh. When all requests that
///   wait for it have been cancelled, the refresh is cancelled.
/// - **Requests of the refresh** are the requests made in the closure, in the tasks that it starts
///   and in the handlers attached in them, at any time while the refresh runs. They are never held,
///   and do not wait in the client's queue. They should be ``RequestOption/notIntercepted``. A request
///   that is not marked so, and is rejected, would wait for itself. It fails with an error that
///   states this, and the refresh fails with the same error if it depends on the request.
/// - **Other code of the refresh**, in a detached task or in a block that the closure dispatches to a
///   queue, does not belong to the refresh. If the refresh depends on a request of such code that is
///   not ``RequestOption/notIntercepted``, and this request is rejected or held, both wait until the
///   request times out or is cancelled.
/// - A request ``RequestOption/withoutCredentials`` starts no refresh and keeps its first response.
/// - A request whose body cannot be sent again keeps its first response.
/// - **Users.** A refresh belongs to the user whose request caused it. If the user signs out while it
///   runs, its requests and those that wait for it fail with
///   ``NetworkError/Code-swift.enum/sessionEnded``, and `authenticate` has no effect in it.
///   Requests of the next user do not wait for it, and start a refresh of their own.
public struct RefreshInterceptor: Interceptor {
  private let rule: RejectionRule
  private let holdsRequests: Bool
  private let refresh: InterceptorStep<RefreshCause, Void>
  private let shared = SharedRefresh()

  /// Makes an interceptor with a refresh that returns a promise.
  ///
  /// Copies share the refresh.
  ///
  /// - Parameters:
  ///   - rule: The responses that mean that the credentials were rejected.
  ///   - holdsRequests: Whether requests that are made while a refresh runs wait for it. They fail
  ///     with its error. Requests in flight and their retries are not held, nor are the requests of
  ///     the refresh itself, as the type defines them.
  ///   - refresh: A closure that starts a refresh. It receives the response that caused it, runs on
  ///     its actor or, without one, on the thread of that exchange, and must not block. It is not
  ///     called again before its promise has settled. An error that it throws fails the refresh. The
  ///     value of the promise is ignored.
  public init<Ignored: Sendable>(
    on rule: RejectionRule = [401], holdsRequests: Bool = false,
    @_inheritActorContext _ refresh:
      @escaping @Sendable @isolated(any) (_ response: Response) throws -> Promise<Ignored>
  ) {
    let refresh = IsolatedClosure(refresh)
    self.rule = rule
    self.holdsRequests = holdsRequests
    self.refresh = InterceptorStep(
      starting: refresh.called { (cause: RefreshCause, refresh) in
        try HandlerScope(mark: cause.round).run { try refresh(cause.response).asVoid() }
      })
  }

  /// Makes an interceptor with an asynchronous refresh.
  ///
  /// ```swift
  /// RefreshInterceptor { _ in try await session.renew() }
  /// ```
  ///
  /// Copies share the refresh.
  ///
  /// - Parameters:
  ///   - rule: The responses that mean that the credentials were rejected.
  ///   - holdsRequests: Whether requests that are made while a refresh runs wait for it. They fail
  ///     with its error. Requests in flight and their retries are not held, nor are the requests of
  ///     the refresh itself, as the type defines them.
  ///   - refresh: A closure that refreshes the credentials. It receives the response that caused it,
  ///     and runs in a new task on its actor, which is cancelled with the refresh. It is not called
  ///     again before it has returned. An error that it throws fails the refresh.
  public init(
    on rule: RejectionRule = [401], holdsRequests: Bool = false,
    @_inheritActorContext _ refresh:
      @escaping @Sendable @isolated(any) (_ response: Response) async throws -> Void
  ) {
    self.rule = rule
    self.holdsRequests = holdsRequests
    self.refresh = InterceptorStep(asynchronous: { cause in
      try await HandlerScope(mark: cause.round).run { try await refresh(cause.response) }
    })
  }

  /// Sends the exchange, and sends it again after a refresh.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.isIntercepted, exchange.sendsCredentials else { return next(exchange) }
    guard holdsRequests, let end = shared.endOfRefresh(unlessMadeIn: exchange.call.refresh) else {
      return send(exchange, next)
    }
    exchange.events?.add(.waiting(for: .refresh))
    return end.then(on: .inline) { send(exchange, next) }
  }

  private func send(_ exchange: Exchange, _ next: @escaping Next) -> NetworkPromise {
    // Read before the credentials, so that new credentials are not mistaken for old ones.
    let epoch = shared.epoch
    let first = firstly { next(try exchange.withCurrentCredentials()) }
    return first.then(on: .inline) { response -> NetworkPromise in
      guard rule.applies(response), exchange.request.body.isRepeatable else {
        return .fulfilled(response)
      }
      guard !shared.isInProgress(exchange.call.refresh) else { throw Self.selfWaitError(response) }
      return shared.refreshed(since: epoch, for: exchange.call) { round in
        refresh.start(RefreshCause(response: response, round: round), for: exchange)
      }
      .then(on: .inline) {
        exchange.state.end(.success(response))
        exchange.events?.add(.credentialsRefreshed)
        return next(try exchange.withCurrentCredentials())
      }
    }
  }

  private static func selfWaitError(_ response: Response) -> NetworkError {
    NetworkError(
      .unacceptableStatus(response.status), response,
      "the request is part of the token refresh that it would wait for; make it .notIntercepted"
    )
  }
}

/// The response that caused a refresh, and the identity of the refresh.
private struct RefreshCause: Sendable {
  let response: Response
  let round: RefreshRound
}

/// The state machine of the refresh that all callers share.
///
/// The epoch is the number of refreshes that have ended, successfully or not. A caller reads it
/// before it sends its request. If the request is rejected in the same epoch, a refresh has to
/// start. In a later epoch a refresh has already ended, and its result applies to the caller, too.
///
/// A refresh whose user has signed out in the meantime has no result: no epoch ends with it, and callers
/// of a later session do not wait for it.
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
  private var promise: Promise<Void>?
  /// The sessions of the call that started the running refresh.
  private var sessions: CallSessions?
  private var failure: (any Error)?

  /// The promise that the callers of the running refresh wait for.
  ///
  /// `nil` if none is running whose user is still signed in.
  var current: Promise<Void>? { sessions?.hasEnded == false ? promise : nil }

  /// Returns the error of a refresh that has ended since an epoch, or `nil`.
  func failure(since epoch: Int) -> (any Error)? { epoch == self.epoch ? nil : failure }

  /// Returns whether the refresh with a number is running.
  func isInProgress(_ number: Int) -> Bool { promise != nil && number == self.number }

  /// Handles a rejected request.
  ///
  /// - Parameters:
  ///   - epoch: The epoch in which the request was sent.
  ///   - sessions: The sessions of the request.
  ///   - promise: A closure that makes the promise that joining callers wait for. It is called if a
  ///     refresh has to start.
  /// - Returns: The next step of the caller.
  mutating func requestRejected(
    sentIn epoch: Int, of sessions: CallSessions, _ promise: () -> Promise<Void>
  ) -> Action {
    guard epoch == self.epoch else { return failure.map(Action.fail) ?? .resend }
    // Another user has other credentials, which this request does not refresh.
    if sessions.hasEnded { return .fail(NetworkError.sessionEnded(nil)) }
    if let current { return .join(current) }
    number += 1
    let new = promise()
    (self.promise, self.sessions) = (new, sessions)
    return .start(number: number)
  }

  /// Records the end of a refresh.
  ///
  /// Ignored if the refresh is not the running one.
  mutating func ended(_ number: Int, _ failure: (any Error)?) {
    guard number == self.number, promise != nil else { return }
    let isOfCurrentUser = sessions?.hasEnded == false
    (promise, sessions) = (nil, nil)
    guard isOfCurrentUser else { return }
    epoch += 1
    self.failure = failure
  }

  /// Records that all callers of a refresh were cancelled.
  ///
  /// The next caller starts another one.
  mutating func abandoned(_ number: Int) {
    if number == self.number { (promise, sessions) = (nil, nil) }
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
  /// - Returns: Whether that refresh, or one that caused it, is a running refresh of this instance.
  func isInProgress(_ round: RefreshRound?) -> Bool {
    guard let round else { return false }
    return sequence(first: round, next: \.outer)
      .contains { $0.owner === self && isInProgress($0.number) }
  }

  /// Returns whether the refresh with a number is running.
  func isInProgress(_ number: Int) -> Bool { machine.withLock { $0.isInProgress(number) } }

  /// Returns a promise of the end of the running refresh.
  ///
  /// - Parameter round: The refresh in which the request of the caller was made, if any. A request of
  ///   the running refresh does not wait for it.
  /// - Returns: The promise, which is rejected with the error of the refresh. `nil` if the caller
  ///   need not wait. Cancelling it does not affect other callers.
  func endOfRefresh(unlessMadeIn round: RefreshRound?) -> Promise<Void>? {
    let (current, epoch) = machine.withLock { ($0.current, $0.epoch) }
    guard let current, !isInProgress(round) else { return nil }
    return current.recover(on: .inline, policy: .allErrors) { _ in
      if let failure = self.machine.withLock({ $0.failure(since: epoch) }) { throw failure }
      // All other callers were cancelled just before this one joined. Another refresh may run now.
      return self.endOfRefresh(unlessMadeIn: round) ?? .fulfilled(())
    }
  }

  /// Returns a promise that is fulfilled when the caller may send its request again.
  ///
  /// - Parameters:
  ///   - epoch: The epoch in which the request was sent.
  ///   - call: The call of the request.
  ///   - start: A closure that starts a refresh. It is called before this method returns, if a
  ///     refresh has to start.
  /// - Returns: The promise, which is rejected with the error of the refresh. Cancelling it does
  ///   not affect other callers.
  func refreshed(
    since epoch: Int, for call: Call,
    _ start: @escaping @Sendable (_ round: RefreshRound) -> Promise<Void>
  ) -> Promise<Void> {
    let pending = Promise<Void>.pending(on: .inline)
    let action = machine.withLock {
      $0.requestRejected(sentIn: epoch, of: call.sessions) { pending.promise }
    }
    guard case .start(let number) = action else {
      // Fulfilled, so that the unused promise is not reported as abandoned.
      pending.resolver.fulfill()
      return wait(action, since: epoch, for: call, start)
    }
    // Attached first, so that it runs before waiting callers call `refreshed` again.
    pending.promise.always(on: .inline) { _ in self.machine.withLock { $0.abandoned(number) } }
    let refreshed = wait(.join(pending.promise), since: epoch, for: call, start)
    let round = RefreshRound(owner: self, number: number, in: call.refresh, of: call.sessions)
    // A derived promise, because cancelling the user's own promise could affect its other
    // consumers.
    let work = start(round).map {}.always(on: .inline) { round.finish($0) }
    let resolver = pending.resolver
    resolver.onCancelOrExplain { isCancelled in
      if isCancelled { work.cancel() }
      return ("the refresh that call \(call.id) began", [work])
    }
    work.always(on: .inline) { result in
      let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
      self.machine.withLock { $0.ended(round.number, failure) }
      resolver.resolve(result)
    }
    return refreshed
  }

  private func wait(
    _ action: RefreshMachine.Action, since epoch: Int, for call: Call,
    _ start: @escaping @Sendable (_ round: RefreshRound) -> Promise<Void>
  ) -> Promise<Void> {
    switch action {
    case .fail(let error): .rejected(error)
    case .join(let promise):
      // Either the refresh has failed, and the next call returns its error, or all other callers
      // were cancelled just before this one joined.
      promise.recover(on: .inline, policy: .allErrors) { error in
        // The error of the refresh says more than that of the end of the session.
        if call.sessions.hasEnded, !error.isCancellation { throw error }
        return self.refreshed(since: epoch, for: call, start)
      }
    case .resend, .start: .fulfilled(())
    }
  }
}
