import Dispatch
import Synchronization

/// Real time, of the machine's monotonic clock; see ``Scheduler/live``.
///
/// Its actions run on one serial queue of its own. However many wait, one timer of the system's is
/// set, for the earliest.
public final class LiveScheduler: Scheduler {
  private struct State {
    var timers = TimerQueue()
    /// What the system's timer is set to; nil when to nothing.
    var armedTime: Duration?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "Catena.LiveScheduler")
  // `nonisolated(unsafe)` because dispatch sources may be used from any thread, which their Swift type
  // does not say; setting it is protected by `state`'s lock besides.
  nonisolated(unsafe) private let timer: any DispatchSourceTimer

  init() {
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [unowned self] in runDueTimers() }
    timer.activate()
  }

  deinit {
    timer.cancel()
  }

  /// The time since the machine started, as `DispatchTime` counts it.
  public var now: Duration {
    .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  /// Runs an action once a time has passed, on this scheduler's queue.
  ///
  /// - Parameters:
  ///   - delay: how long to wait; less than nothing is nothing.
  ///   - action: what to run, at most once; it must not block.
  /// - Returns: a handle to cancel it by.
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    let due = now + max(delay, .zero)
    let id = state.withLock { state in
      let id = state.timers.insert(due: due, action)
      // Most are due after what is set already.
      if state.armedTime.map({ due < $0 }) ?? true { armTimer(&state) }
      return id
    }
    return ScheduledAction { [weak self] in
      let action = self?.state.withLock { $0.timers.cancel(id) }
      withExtendedLifetime(action) {}
    }
  }

  private func runDueTimers() {
    state.withLock { $0.armedTime = nil }
    while let (_, action) = state.withLock({ $0.timers.pop(dueBy: now) }) { action() }
    state.withLock { armTimer(&$0) }
  }

  /// Sets the system's timer when the next action comes before what it is set to.
  private func armTimer(_ state: inout State) {
    guard let due = state.timers.nextDue, state.armedTime.map({ due < $0 }) ?? true else { return }
    state.armedTime = due
    timer.schedule(deadline: DispatchTime(uptimeNanoseconds: due.wholeNanoseconds))
  }
}

extension Scheduler where Self == LiveScheduler {
  /// The clock on the wall, for programs.
  public static var live: LiveScheduler { .shared }
}

extension LiveScheduler {
  fileprivate static let shared = LiveScheduler()
}

extension Duration {
  /// Rounded up, so that a timer never goes off early; what does not fit counts as for ever.
  fileprivate var wholeNanoseconds: UInt64 {
    guard self < .nanoseconds(Int64.max) else { return UInt64(Int64.max) }
    let (seconds, attoseconds) = components
    return UInt64(seconds) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
  }
}
