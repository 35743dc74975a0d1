import Promises
import Synchronization

/// What the stages of one call have done so far, for those further out and for errors to tell.
final class CallTrace: Sendable {
  private struct State {
    var log = AttemptLog()
    var clock: (any Scheduler)?
    var idempotencyKey: String?
    var activeInterceptor: String?
    var shared: CallTrace?
    var isRefusedLocally = false
  }

  /// Tells those who watch; nil when nobody does.
  let events: CallEvents?
  private let state = Mutex(State())

  init(reportingTo events: CallEvents? = nil) {
    self.events = events
  }

  /// The interceptor that has the exchange in its hands; nil when none has that is watched.
  var activeInterceptor: String? {
    get {
      let (activeInterceptor, shared) = state.withLock { ($0.activeInterceptor, $0.shared) }
      return activeInterceptor ?? shared?.activeInterceptor
    }
    set { state.withLock { $0.activeInterceptor = newValue } }
  }

  /// Begins an attempt.
  ///
  /// - Parameters:
  ///   - delay: how long was waited before it.
  ///   - clock: whose time counts from now on.
  /// - Returns: how many have begun.
  @discardableResult
  func begin(after delay: Duration = .zero, by clock: any Scheduler) -> Int {
    let now = clock.now
    let (count, shared) = state.withLock { state in
      state.clock = clock
      state.isRefusedLocally = false
      state.log.begin(after: delay, at: now)
      return (state.log.count, state.shared)
    }
    return count + (shared?.attemptCount ?? 0)
  }

  /// Ends the attempt under way; without one it changes nothing.
  func end(_ result: Result<Response, any Error>) {
    let outcome: Attempt.Outcome =
      switch result {
      case .success(let response): .status(response.status)
      case .failure(let error): .failure(error)
      }
    let now = now
    state.withLock { $0.log.end(outcome, at: now) }
  }

  /// The attempt under way ends on this machine, as there is no network: another one would end the same.
  ///
  /// - Parameter hasSent: whether it has sent anything; one that has not counts for none.
  func refuseLocally(hasSent: Bool) {
    state.withLock { state in
      state.isRefusedLocally = true
      if !hasSent { state.log.withdraw() }
    }
  }

  /// Whether the attempt begun last has ended so.
  var isRefusedLocally: Bool { state.withLock { $0.isRefusedLocally } }

  /// How many attempts have begun.
  var attemptCount: Int {
    let (count, shared) = state.withLock { ($0.log.count, $0.shared) }
    return count + (shared?.attemptCount ?? 0)
  }

  /// All attempts that have begun, one under way among them.
  var attempts: [Attempt] {
    let now = now
    var (log, shared) = state.withLock { ($0.log, $0.shared) }
    guard let shared else { return log.attempts(at: now) }
    log.append(shared.attempts)
    return log.attempts(at: now)
  }

  /// Has the attempts of an exchange that is shared count for this call, too.
  ///
  /// - Parameter trace: the exchange's own, in place of one followed before, whose attempts are kept.
  /// - Returns: whether the call has had attempts before.
  func attach(_ trace: CallTrace) -> Bool {
    let earlier = state.withLock { $0.shared }?.attempts ?? []
    return state.withLock { state in
      state.log.append(earlier)
      state.shared = trace
      return state.log.count > 0
    }
  }

  private var now: Duration { state.withLock { $0.clock }?.now ?? .zero }

  /// The number of the repetition that would be the next, from 1.
  var nextRetry: Int { state.withLock { $0.log.retryCount + 1 } }

  /// Counts a repetition.
  func countRetry() {
    state.withLock { $0.log.retryCount += 1 }
  }

  /// The key of the call, made the first time that it is asked for.
  func idempotencyKey(_ make: () -> String) -> String {
    if let key = state.withLock({ $0.idempotencyKey }) { return key }
    // Made without the lock, as it may be somebody else's code; the first one counts.
    let made = make()
    return state.withLock { state in
      let key = state.idempotencyKey ?? made
      state.idempotencyKey = key
      return key
    }
  }
}

/// The attempts of a call, as they begin and end.
struct AttemptLog {
  private var finished: [Attempt] = []
  private var current: (delay: Duration, start: Duration)?
  /// How many of them a retry policy has asked for, which a limit counts.
  var retryCount = 0

  /// How many have begun.
  var count: Int { finished.count + (current == nil ? 0 : 1) }

  /// Begins an attempt; one that nobody has ended is unfinished.
  mutating func begin(after delay: Duration, at now: Duration) {
    end(.unfinished, at: now)
    current = (delay, now)
  }

  /// Takes back the attempt under way, which has sent nothing.
  mutating func withdraw() {
    current = nil
  }

  /// Ends the attempt under way; without one it changes nothing.
  mutating func end(_ outcome: Attempt.Outcome, at now: Duration) {
    guard let (delay, start) = current.take() else { return }
    finished.append(
      Attempt(number: finished.count + 1, delay: delay, duration: now - start, outcome: outcome))
  }

  /// Adds what came of attempts that were made elsewhere, numbered on from those that are here.
  mutating func append(_ attempts: [Attempt]) {
    for attempt in attempts {
      finished.append(
        Attempt(
          number: finished.count + 1, delay: attempt.delay, duration: attempt.duration,
          outcome: attempt.outcome))
    }
  }

  /// All that have begun, in order.
  func attempts(at now: Duration) -> [Attempt] {
    var log = self
    log.end(.unfinished, at: now)
    return log.finished
  }
}
