import Promises
import Synchronization

/// Has a client's store replayed whenever the network has come back.
///
/// It watches for as long as it lives, and does not keep the client alive.
final class AutomaticReplay: Sendable {
  /// Begins a replay, and tells when it is over; nil when there is nobody left to do it.
  typealias Replay = @Sendable () -> Promise<Void>?

  private struct State {
    var machine: AutomaticReplayMachine
    var replay: Replay?
    var listening: (seen: UInt64, stop: @Sendable () -> Void)?
  }

  private let reachability: NetworkReachability
  private let state: Mutex<State>

  /// Makes one that does nothing yet.
  ///
  /// - Parameter reachability: what tells of the network; it is kept alive.
  init(_ reachability: NetworkReachability) {
    self.reachability = reachability
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
  func kept(since epoch: UInt64) {
    perform(state.withLock { $0.machine.kept(since: epoch) })
  }

  private func listen(after seen: UInt64) {
    let stop = reachability.listen(after: seen) { [weak self] change in
      guard let self, let change else { return }
      perform(state.withLock { $0.machine.changed(change) })
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
    guard case .replay = action, let replay = state.withLock({ $0.replay }) else { return }
    guard let over = replay() else { return }
    over.always(on: .inline) { [weak self] _ in
      guard let self else { return }
      perform(state.withLock { $0.machine.ended() })
    }
  }
}
