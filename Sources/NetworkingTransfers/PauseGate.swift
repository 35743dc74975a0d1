import CatenaSystem
import Promises

/// The pause of a transfer: its state, the tasks that wait for its end, and its observers.
///
/// Observers are called by one thread at a time. It checks the state again after each round, so that
/// the last call always has the last state.
final class PauseGate: Sendable {
  private struct State {
    var isPaused = false
    /// The number of pauses so far.
    var pauses = 0
    var pausedSince: Duration?
    var pausedTime = Duration.zero
    var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    var observers: [Int: @Sendable (Bool) -> Void] = [:]
    var nextNumber = 0
    /// The number of changes that observers have to be told.
    var changes = 0
    var reportedChanges = 0
    var isReporting = false
  }

  private let scheduler: any Scheduler
  private let state = Mutex(State())

  init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
  }

  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// The number of pauses so far.
  var pauses: Int { state.withLock { $0.pauses } }

  /// Returns the time of all pauses so far, including the current one.
  func pausedTime(at now: Duration) -> Duration {
    state.withLock { state in
      state.pausedTime + (state.pausedSince.map { max(now - $0, .zero) } ?? .zero)
    }
  }

  func setPaused(_ isPaused: Bool) {
    let now = scheduler.now
    let waiters = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
      guard state.isPaused != isPaused else { return [] }
      state.isPaused = isPaused
      state.changes += 1
      if isPaused {
        state.pauses += 1
        state.pausedSince = now
        return []
      }
      if let since = state.pausedSince.take() { state.pausedTime += max(now - since, .zero) }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    report()
    for waiter in waiters { waiter.resume() }
  }

  /// Waits while the transfer is paused.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func pass() async throws {
    try Task.checkCancellation()
    guard isPaused else { return }
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOpen = state.withLock { state in
          // Checked under the lock that the cancellation handler takes, so that one of both finds the
          // waiter.
          if state.isPaused, !Task.isCancelled {
            state.waiters[number] = continuation
            return false
          }
          return true
        }
        if isOpen { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
      waiter?.resume(throwing: CancellationError())
    }
    try Task.checkCancellation()
  }

  /// Adds an observer, which is called with the current state and after each change.
  ///
  /// - Returns: A number to remove it.
  func observe(_ observer: @escaping @Sendable (_ isPaused: Bool) -> Void) -> Int {
    let number = state.withLock { state in
      state.nextNumber += 1
      state.observers[state.nextNumber] = observer
      state.changes += 1
      return state.nextNumber
    }
    report()
    return number
  }

  func removeObserver(_ number: Int) {
    _ = state.withLock { $0.observers.removeValue(forKey: number) }
  }

  private func report() {
    while true {
      let round = state.withLock { state -> (observers: [@Sendable (Bool) -> Void], Bool)? in
        guard !state.isReporting, state.reportedChanges < state.changes else { return nil }
        state.isReporting = true
        state.reportedChanges = state.changes
        return (Array(state.observers.values), state.isPaused)
      }
      guard let round else { return }
      for observer in round.observers { observer(round.1) }
      state.withLock { $0.isReporting = false }
    }
  }
}

/// A source of time that stops while a transfer is paused.
struct PausableScheduler: Scheduler {
  let gate: PauseGate
  let base: any Scheduler

  var now: Duration {
    let now = base.now
    return now - gate.pausedTime(at: now)
  }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    let timer = PausableTimer(delay, gate, base, action)
    timer.start()
    return ScheduledAction { timer.cancel() }
  }

  func context(for context: ExecutionContext) -> ExecutionContext { base.context(for: context) }

  func beginActivity() -> ActivityToken? { base.beginActivity() }
}

/// A timer that stops while a transfer is paused.
private final class PausableTimer: Sendable {
  private struct State {
    var remaining: Duration
    var since = Duration.zero
    var action: (@Sendable () -> Void)?
    var timer: ScheduledAction?
    var observer: Int?
    /// The number of the current run, so that a timer of an earlier run has no effect.
    var run = 0
  }

  private let gate: PauseGate
  private let scheduler: any Scheduler
  private let state: Mutex<State>

  init(
    _ delay: Duration, _ gate: PauseGate, _ scheduler: any Scheduler,
    _ action: @escaping @Sendable () -> Void
  ) {
    self.gate = gate
    self.scheduler = scheduler
    state = Mutex(State(remaining: delay, action: action))
  }

  func start() {
    let number = gate.observe { [self] isPaused in isPaused ? stop() : run() }
    let isOver = state.withLock { state in
      state.observer = number
      return state.action == nil
    }
    if isOver { gate.removeObserver(number) }
  }

  func cancel() {
    _ = end()
  }

  private func run() {
    let now = scheduler.now
    let begun = state.withLock { state -> (remaining: Duration, run: Int)? in
      guard state.action != nil, state.timer == nil else { return nil }
      state.since = now
      state.run += 1
      return (state.remaining, state.run)
    }
    guard let begun else { return }
    let timer = scheduler.schedule(atLimit: begun.remaining) { [self] in fire(begun.run) }
    let isStale = state.withLock { state in
      guard state.action != nil, state.run == begun.run else { return true }
      state.timer = timer
      return false
    }
    if isStale { timer.cancel() }
  }

  private func stop() {
    let now = scheduler.now
    let timer = state.withLock { state -> ScheduledAction? in
      guard let timer = state.timer.take() else { return nil }
      state.remaining = max(state.remaining - (now - state.since), .zero)
      state.run += 1
      return timer
    }
    timer?.cancel()
  }

  private func fire(_ run: Int) {
    guard state.withLock({ $0.run == run }) else { return }
    end()?()
  }

  /// Ends the timer, and returns its action, or `nil` if it had ended before.
  private func end() -> (@Sendable () -> Void)? {
    let (action, timer, observer) = state.withLock { state in
      (state.action.take(), state.timer.take(), state.observer.take())
    }
    timer?.cancel()
    if let observer { gate.removeObserver(observer) }
    return action
  }
}
