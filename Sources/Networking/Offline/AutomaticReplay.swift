import Promises
import Synchronization

/// Has a client's store replayed whenever the network has come back.
///
/// It watches for as long as it lives, and does not keep the client alive.
final class AutomaticReplay: Sendable {
  /// Begins a replay, and tells what has come of it; nil when there is nobody left to do it.
  typealias Replay = @Sendable () -> Promise<OfflineStore.Report>?

  /// How long a store that somebody else replays is left alone.
  static let busyRetryDelay = Duration.seconds(10)

  private struct State {
    var machine: AutomaticReplayMachine
    var replay: Replay?
    var listening: (seen: UInt64, stop: @Sendable () -> Void)?
  }

  private let reachability: NetworkReachability
  private let scheduler: any Scheduler
  private let state: Mutex<State>

  /// Makes one that does nothing yet.
  ///
  /// - Parameters:
  ///   - reachability: what tells of the network; it is kept alive.
  ///   - scheduler: whose time counts.
  init(_ reachability: NetworkReachability, scheduler: any Scheduler) {
    self.reachability = reachability
    self.scheduler = scheduler
    state = Mutex(State(machine: AutomaticReplayMachine(reachability.change)))
  }

  deinit {
    state.withLock { $0.listening.take() }?.stop()
  }

  /// Begins to watch.
  func start(_ replay: @escaping Replay) {
    state.withLock { $0.replay = replay }
    listen(after: state.withLock { $0.machine.epoch })
  }

  /// The number of the last change of the network's status, which a request takes note of at its start.
  var epoch: UInt64 { state.withLock { $0.machine.epoch } }

  /// A request has been kept that began at a certain epoch.
  func entryStored(since epoch: UInt64) {
    perform(state.withLock { $0.machine.entryStored(since: epoch) })
  }

  private func listen(after seen: UInt64) {
    let stop = reachability.listen(after: seen) { [weak self] change in
      guard let self, let change else { return }
      perform(state.withLock { $0.machine.reachabilityChanged(change) })
      listen(after: change.number)
    }
    // A listener is told once, so those before the latest have done their work; this one too, if it was
    // told before this line.
    let old = state.withLock { state -> (@Sendable () -> Void)? in
      guard seen >= state.listening?.seen ?? 0 else { return nil }
      let old = state.listening?.stop
      state.listening = (seen, stop)
      return old
    }
    withExtendedLifetime(old) {}
  }

  private func perform(_ action: AutomaticReplayMachine.Action?) {
    switch action {
    case .replay:
      guard let finished = state.withLock({ $0.replay })?() else { return }
      finished.always(on: .inline) { [weak self] result in
        guard let self else { return }
        var isBusy = false
        if case .failure(let error as NetworkError) = result {
          isBusy = error.code == .offlineStoreBusy
        }
        perform(
          state.withLock { [isBusy] in isBusy ? $0.machine.storeWasBusy() : $0.machine.ended() })
      }
    case .wait:
      after(Self.busyRetryDelay, scheduler: scheduler).done(on: .inline) { [weak self] in
        guard let self else { return }
        perform(state.withLock { $0.machine.retryDelayElapsed() })
      }
    case nil: break
    }
  }
}

/// When a store is replayed by itself: each time the network has come back, one replay at a time.
struct AutomaticReplayMachine {
  enum Action: Equatable {
    case replay
    /// To wait a while, and say when it is over.
    case wait
  }

  private var current: ReachabilityMachine.Change
  private var isReplaying = false
  /// Whether there may be something that the replay under way has not found.
  private var isReplayQueued = false

  init(_ current: ReachabilityMachine.Change) {
    self.current = current
  }

  /// The number of the last change.
  var epoch: UInt64 { current.number }

  /// The network's status is another.
  ///
  /// What was never away does not come back: when a client is made and the network is found, whoever
  /// made it has not signed in yet.
  mutating func reachabilityChanged(_ change: ReachabilityMachine.Change) -> Action? {
    // Who listens gets the latest change alone, so several may lie in between.
    let wasAway = current.status == .unreachable || change.number > current.number + 1
    current = change
    return wasAway && change.status.isReachable ? startOrQueue() : nil
  }

  /// A request has been kept; when the network has come back since it began, that replay came too early
  /// for it.
  mutating func entryStored(since epoch: UInt64) -> Action? {
    epoch < current.number && current.status.isReachable ? startOrQueue() : nil
  }

  /// Somebody else is at it, in whose report nobody here will see what is left; the replay counts as
  /// under way until the wait is over.
  mutating func storeWasBusy() -> Action? {
    guard current.status.isReachable else { return ended() }
    return .wait
  }

  /// The time to try again has come.
  mutating func retryDelayElapsed() -> Action? {
    isReplayQueued = true
    return ended()
  }

  /// The replay under way is over.
  mutating func ended() -> Action? {
    isReplaying = false
    guard isReplayQueued else { return nil }
    isReplayQueued = false
    return current.status.isReachable ? startOrQueue() : nil
  }

  private mutating func startOrQueue() -> Action? {
    guard !isReplaying else {
      isReplayQueued = true
      return nil
    }
    isReplaying = true
    return .replay
  }
}
