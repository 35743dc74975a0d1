import CatenaSystem
import Dispatch
package import Foundation

/// A scheduler on the monotonic clock of the system or, within a scope of virtual time, on the
/// scheduler of the scope.
///
/// See ``Scheduler/live``.
///
/// Actions on the system clock run on one private serial queue. The scheduler uses a single system
/// timer, set to the earliest action.
public final class LiveScheduler: Scheduler {
  /// The timer of the system.
  ///
  /// `@unchecked Sendable` because dispatch sources are thread-safe, although their Swift type does
  /// not declare it on Linux. Setting the timer is also protected by the lock of `state`.
  private struct SystemTimer: @unchecked Sendable { let source: any DispatchSourceTimer }

  private struct State: ~Copyable {
    var timers = TimerQueue()
    /// The time that the system timer is set to.
    ///
    /// `nil` if it is not set.
    var armedTime: Duration?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "Catena.LiveScheduler")
  private let timer: SystemTimer?
  /// The scheduler of a scope of virtual time.
  ///
  /// `nil` for the system clock.
  fileprivate let virtual: (any Scheduler)?
  /// Whether there is a virtual scheduler.
  ///
  /// A copy of an optional existential takes 140 instructions.
  fileprivate let isVirtual: Bool

  init() {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    self.timer = SystemTimer(source: timer)
    (virtual, isVirtual) = (nil, false)
    timer.setEventHandler { [unowned self] in runDueTimers() }
    timer.activate()
  }

  fileprivate init(forwardingTo scheduler: any Scheduler) {
    timer = nil
    (virtual, isVirtual) = (scheduler, true)
  }

  deinit {
    timer?.source.cancel()
  }

  /// The time since the system started, as counted by `DispatchTime`, or the virtual time.
  public var now: Duration {
    if isVirtual, let virtual { return virtual.now }
    return .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  /// Runs an action after a delay, on this scheduler's queue or, in virtual time, on the thread that
  /// advances the time.
  ///
  /// - Parameters:
  ///   - delay: The delay. A negative value counts as zero.
  ///   - action: The closure to run, at most once. It must not block.
  /// - Returns: A handle to cancel the action.
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    schedule(after: delay, hasGrace: false, action)
  }

  fileprivate func schedule(
    after delay: Duration, hasGrace: Bool, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    if let virtual { return virtual.schedule(after: delay, action) }
    let due = now + max(delay, .zero)
    let id = state.withLock { state in
      let id = state.timers.insert(due: due, hasGrace: hasGrace, action)
      // Fast path: most actions are due later than the armed time.
      if state.armedTime.map({ due < $0 }) ?? true { armTimer(&state) }
      return id
    }
    return ScheduledAction { [weak self] in
      let action = self?.state.withLock { $0.timers.cancel(id) }
      withExtendedLifetime(action) {}
    }
  }

  /// Returns `context` or, in virtual time, a context whose handlers the scheduler waits for.
  ///
  /// - Parameter context: The context that runs the handlers.
  /// - Returns: The context for promises that this scheduler settles.
  public func context(for context: ExecutionContext) -> ExecutionContext {
    isVirtual ? virtual?.context(for: context) ?? context : context
  }

  /// Prevents the virtual time from advancing until the returned token ends.
  ///
  /// - Returns: The token. `nil` on the system clock, which does not wait.
  public func beginActivity() -> ActivityToken? { virtual?.beginActivity() }

  private func runDueTimers() {
    state.withLock { $0.armedTime = nil }
    while let (_, action) = state.withLock({ $0.timers.pop(dueBy: now) }) { action() }
    state.withLock { armTimer(&$0) }
  }

  /// Sets the system timer if the next action is due before the armed time.
  private func armTimer(_ state: inout State) {
    guard let due = state.timers.nextDue, state.armedTime.map({ due < $0 }) ?? true else { return }
    state.armedTime = due
    timer?.source.schedule(deadline: DispatchTime(uptimeNanoseconds: due.wholeNanoseconds))
  }
}

extension Scheduler where Self == LiveScheduler {
  /// The shared scheduler on the system clock.
  ///
  /// Within the operation of ``withVirtualTime(_:isolation:_:)``, it is on the virtual time instead.
  /// The code that evaluates `.live` decides: a scheduler that was read outside of the operation, such
  /// as the scheduler of a client that was created before, stays on the system clock.
  public static var live: LiveScheduler {
    HandlerScope.ambientTime.map { LiveScheduler(forwardingTo: $0.scheduler) } ?? .system
  }
}

extension LiveScheduler {
  /// The scheduler of the scope of virtual time in which the caller runs; `nil` outside of a scope.
  package static var virtualTime: (any Scheduler)? { HandlerScope.ambientTime?.scheduler }

  /// The wall clock of the scope of virtual time in which the caller runs, or the system's.
  package static var wallClock: @Sendable () -> Date {
    HandlerScope.ambientTime?.wallClock ?? { @Sendable in Date() }
  }

  /// The shared scheduler on the system clock, also within a scope of virtual time.
  package static let system = LiveScheduler()
}

/// The rule for a check of a time limit that is late, because the process was suspended or had no
/// processor.
///
/// A response that arrived in the meantime has not been read yet. The check is therefore repeated
/// after a grace period. It is repeated again only after another suspension, so that a limit also ends
/// on a machine that is always late.
package enum LateCheck {
  /// The lateness up to which a check counts as punctual.
  package static let tolerance = Duration.milliseconds(100)
  /// The time from a late check to its repetition.
  package static let grace = Duration.seconds(2)
  /// The lateness of a repetition from which it is postponed again.
  package static let suspension = Duration.seconds(10)
}

extension Scheduler {
  /// Runs an action at the end of a time limit.
  ///
  /// On the system clock, ``LateCheck`` applies. Another scheduler runs the action as
  /// ``schedule(after:_:)`` does: virtual time is never late.
  ///
  /// - Parameters:
  ///   - limit: The limit, from now.
  ///   - action: The closure to run, at most once. It must not block.
  /// - Returns: A handle to cancel the action.
  package func schedule(
    atLimit limit: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    guard let live = self as? LiveScheduler else { return schedule(after: limit, action) }
    return live.schedule(after: limit, hasGrace: true, action)
  }

  /// The grace period for limits that are checked without a timer, or `nil` if time is virtual.
  package var grace: Duration? {
    (self as? LiveScheduler).flatMap { $0.isVirtual ? nil : LateCheck.grace }
  }
}

extension Duration {
  /// The time in nanoseconds, rounded up and between 0 and 292 years, for clocks of the system.
  package var wholeNanoseconds: UInt64 {
    guard self > .zero else { return 0 }
    guard self < .nanoseconds(Int64.max) else { return UInt64(Int64.max) }
    let (seconds, attoseconds) = components
    return UInt64(seconds) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
  }
}
