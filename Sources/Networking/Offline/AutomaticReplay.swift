import CatenaSystem
import Promises

/// The automatic replay of a client's store, each time the network becomes reachable again.
///
/// It monitors reachability until it is deallocated. It does not retain the client.
final class AutomaticReplay: Sendable {
  /// A closure that starts a replay, or returns `nil` if the client is gone.
  typealias Replay = @Sendable () -> Promise<OfflineStore.Report>?

  /// The delay before another attempt if another replay of the store is running.
  static let busyRetryDelay = Duration.seconds(10)

  private struct State: ~Copyable {
    var machine: AutomaticReplayMachine
    var replay: Replay?
    var listener: (after: UInt64, stop: @Sendable () -> Void)?
  }

  private let reachability: NetworkReachability
  private let scheduler: any Scheduler
  private let state: Mutex<State>

  /// Creates an automatic replay, which does nothing until ``start(_:)``.
  ///
  /// - Parameters:
  ///   - reachability: The source of network status changes, which is retained.
  ///   - scheduler: The scheduler for delays.
  init(_ reachability: NetworkReachability, scheduler: any Scheduler) {
    self.reachability = reachability
    self.scheduler = scheduler
    state = Mutex(State(machine: AutomaticReplayMachine(reachability.state.change)))
  }

  deinit {
    state.withLock { $0.listener.take() }?.stop()
  }

  /// Starts to monitor reachability.
  func start(_ replay: @escaping Replay) {
    let epoch = state.withLock { state in
      state.replay = replay
      return state.machine.epoch
    }
    listen(after: epoch)
  }

  /// The number of the last status change; each request records it at its start.
  var epoch: UInt64 { state.withLock { $0.machine.epoch } }

  /// Handles a request that has been stored and that started at a given epoch.
  func entryStored(since epoch: UInt64) {
    perform(state.withLock { $0.machine.entryStored(since: epoch) })
  }

  private func listen(after seen: UInt64) {
    let stop = reachability.state.listen(for: { $0.number > seen }) { [weak self] change in
      guard let self, let change else { return }
      perform(state.withLock { $0.machine.reachabilityChanged(change) })
      listen(after: change.number)
    }
    // Each listener is called once, so all listeners before the latest are done. If this one has
    // been called already, a later one is stored, and this one is not needed.
    let old = state.withLock { state -> (@Sendable () -> Void)? in
      guard seen >= state.listener?.after ?? 0 else { return nil }
      let old = state.listener?.stop
      state.listener = (seen, stop)
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
        let isBusy = result.isOfflineStoreBusy
        perform(state.withLock { isBusy ? $0.machine.storeWasBusy() : $0.machine.replayEnded() })
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

extension Result<OfflineStore.Report, any Error> {
  /// Whether another client or process is replaying the store.
  var isOfflineStoreBusy: Bool {
    guard case .failure(let error as NetworkError) = self else { return false }
    return error.code == .offlineStoreBusy
  }
}

/// A state machine that starts a replay when the network returns, one at a time.
struct AutomaticReplayMachine {
  enum Action: Equatable {
    case replay
    /// Waits for the retry delay, then calls `retryDelayElapsed`.
    case wait
  }

  private var current: ReachabilityMachine.Change
  private var isReplaying = false
  /// Whether another replay follows, for entries that the running one may have missed.
  private var isReplayQueued = false

  init(_ current: ReachabilityMachine.Change) { self.current = current }

  /// The number of the last change.
  var epoch: UInt64 { current.number }

  /// Handles a change of the network status.
  ///
  /// Starts a replay only if the network was unreachable before. The first status of a new client
  /// does not start one, because the user may not have signed in yet.
  mutating func reachabilityChanged(_ change: ReachabilityMachine.Change) -> Action? {
    // A listener gets only the latest change, so there may have been others in between.
    let wasUnreachable = current.status == .unreachable || change.number > current.number + 1
    current = change
    return wasUnreachable && change.status.isReachable ? startOrQueue() : nil
  }

  /// Handles a stored request.
  ///
  /// If the network has returned since the request started, the replay at that time was too early
  /// for it, so another one starts.
  mutating func entryStored(since epoch: UInt64) -> Action? {
    epoch < current.number && current.status.isReachable ? startOrQueue() : nil
  }

  /// Handles a replay that failed because another replay of the store is running.
  ///
  /// The report of the other replay is not available here, so entries may remain. This replay
  /// counts as running until the retry delay has elapsed.
  mutating func storeWasBusy() -> Action? {
    guard current.status.isReachable else { return replayEnded() }
    return .wait
  }

  /// Handles the end of the retry delay.
  mutating func retryDelayElapsed() -> Action? {
    isReplayQueued = true
    return replayEnded()
  }

  /// Handles the end of the running replay.
  mutating func replayEnded() -> Action? {
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
