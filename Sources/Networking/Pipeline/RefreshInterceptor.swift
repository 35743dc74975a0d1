import Promises
import Synchronization

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
      guard !shared.isInProgress(exchange.call.refresh) else { throw Self.circle(response) }
      return shared.refreshed(since: epoch) { try refresh(response) }
        .then(on: .inline) {
          exchange.state.end(.success(response))
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

/// One refresh at a time, for however many callers.
///
/// Epochs are numbered by the refreshes that have ended, well or badly. A caller notes the epoch before
/// it is sent. When it is refused later in the same epoch a refresh is due; in a later one a refresh has
/// been tried since, and its outcome is the caller's as well.
struct RefreshMachine {
  /// What a refused caller is to do.
  enum Action {
    /// Start a refresh, under this number, and wait for it.
    case start(number: Int)
    /// Wait for the one under way.
    case join(Promise<Void>)
    /// Go again: there has been one meanwhile.
    case resend
    /// Fail: there has been one meanwhile, and it failed with this.
    case fail(any Error)
  }

  /// How many refreshes have ended.
  private(set) var epoch = 0
  private var number = 0
  private var current: Promise<Void>?
  private var failure: (any Error)?

  /// Whether the refresh of a number has begun and not ended.
  func isInProgress(_ number: Int) -> Bool { current != nil && number == self.number }

  /// A caller was refused that had been sent in an epoch.
  ///
  /// - Parameters:
  ///   - epoch: when it was sent.
  ///   - promise: makes the promise that those who join wait for, when a refresh is to be started.
  /// - Returns: what the caller is to do.
  mutating func responseRefused(sentIn epoch: Int, _ promise: () -> Promise<Void>) -> Action {
    guard epoch == self.epoch else { return failure.map(Action.fail) ?? .resend }
    if let current { return .join(current) }
    number += 1
    current = promise()
    return .start(number: number)
  }

  /// A refresh has ended; one that is not under way any more says nothing.
  mutating func ended(_ number: Int, _ failure: (any Error)?) {
    guard number == self.number, current != nil else { return }
    current = nil
    epoch += 1
    self.failure = failure
  }

  /// All who waited for a refresh have gone, so that it was broken off: the next caller starts another.
  mutating func abandoned(_ number: Int) {
    if number == self.number { current = nil }
  }
}

/// One refresh, which the requests are known by that it makes itself.
struct RefreshRound: Sendable {
  /// The refresh whose closure runs here, or that began the task that runs here.
  @TaskLocal static var current: RefreshRound?

  let shared: SharedRefresh
  let number: Int
}

/// Runs a refresh for however many callers wait for it, and breaks it off when all of them have gone.
final class SharedRefresh: Sendable {
  private let machine = Mutex(RefreshMachine())

  /// What a caller notes before it is sent.
  var epoch: Int { machine.withLock { $0.epoch } }

  /// Whether one of its refreshes is still under way.
  ///
  /// - Parameter round: a refresh, of this one or another; nil is none.
  /// - Returns: whether a request that was made inside of it, and now waited for a refresh, would wait for itself.
  func isInProgress(_ round: RefreshRound?) -> Bool {
    guard let round, round.shared === self else { return false }
    return machine.withLock { $0.isInProgress(round.number) }
  }

  /// A promise that a caller may go again.
  ///
  /// - Parameters:
  ///   - epoch: what the caller noted before it was sent.
  ///   - start: starts a refresh, if one is due; runs here and now.
  /// - Returns: a promise rejected with the refresh's error; cancelling it leaves the refresh to the
  ///   others that wait for it.
  func refreshed(
    since epoch: Int, _ start: @escaping @Sendable () throws -> Promise<Void>
  ) -> Promise<Void> {
    let pending = Promise<Void>.pending(on: .inline)
    let action = machine.withLock { $0.responseRefused(sentIn: epoch) { pending.promise } }
    guard case .start(let number) = action else {
      // Nobody waits for it, and nobody is to hear that it was abandoned.
      pending.resolver.fulfill()
      return wait(action, since: epoch, start)
    }
    // Attached first, so that it is known before any who waited ask again.
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
      // Either it has failed, and asking again tells that, or all the others have gone and broken it off
      // just before this one came.
      promise.recover(on: .inline, policy: .allErrors) { _ in self.refreshed(since: epoch, start) }
    case .resend, .start: .fulfilled(())
    }
  }

  private func run(
    _ number: Int, _ start: () throws -> Promise<Void>, for resolver: Resolver<Void>
  ) {
    // A promise of its own, as cancelling the user's would take it from others that have it.
    let round = RefreshRound(shared: self, number: number)
    let work = firstly { try RefreshRound.$current.withValue(round) { try start() } }.map {}
    resolver.onCancel { work.cancel() }
    work.always(on: .inline) { result in
      let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
      self.machine.withLock { $0.ended(number, failure) }
      resolver.resolve(result)
    }
  }
}
