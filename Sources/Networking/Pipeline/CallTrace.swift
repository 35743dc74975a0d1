import Promises
import Synchronization

/// What the stages of one call have done so far, for those further out and for errors to tell.
struct CallTrace: ~Copyable, Sendable {
  // Not private, since the compiler (6.3) cannot lay out a class that holds a lock around a private type.
  struct State {
    var log = AttemptLog()
    var clock: (any Scheduler)?
    var idempotencyKey: String?
    var holder: String?
  }

  /// Tells those who watch; nil when nobody does.
  let events: CallEvents?
  private let state = Mutex(State())

  init(telling events: CallEvents? = nil) {
    self.events = events
  }

  /// The interceptor that has the exchange in its hands; nil when none has that is watched.
  var holder: String? {
    get { state.withLock { $0.holder } }
    nonmutating set { state.withLock { $0.holder = newValue } }
  }

  /// Begins an attempt.
  ///
  /// - Parameters:
  ///   - delay: how long was waited before it.
  ///   - clock: whose time counts from now on.
  func begin(after delay: Duration = .zero, by clock: any Scheduler) {
    let now = clock.now
    state.withLock { state in
      state.clock = clock
      state.log.begin(after: delay, at: now)
    }
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

  /// How many attempts have begun.
  var attemptCount: Int { state.withLock { $0.log.count } }

  /// All attempts that have begun, one under way among them.
  var attempts: [Attempt] {
    let now = now
    return state.withLock { $0.log.attempts(at: now) }
  }

  private var now: Duration { state.withLock { $0.clock }?.now ?? .zero }

  /// The number of the repetition that would be the next, from 1.
  var nextRepetition: Int { state.withLock { $0.log.repetitions + 1 } }

  /// Counts a repetition.
  func repeats() {
    state.withLock { $0.log.repetitions += 1 }
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
