/// Where time comes from: for a program the clock, for a test a ``TestScheduler``.
///
/// Whatever waits in this package takes a scheduler, and reads no other clock.
public protocol Scheduler: Sendable {
  /// The time since a moment of the scheduler's own; it never goes back.
  var now: Duration { get }

  /// Runs an action once a time has passed.
  ///
  /// Actions due at the same time run in the order in which they were scheduled.
  ///
  /// - Parameters:
  ///   - delay: how long to wait; nothing or less than nothing is as soon as possible, but not before
  ///     this call has returned.
  ///   - action: what to run, at most once, on a thread of the scheduler's choice. It must not block:
  ///     others wait behind it.
  /// - Returns: a handle to cancel it by; dropping that changes nothing.
  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction

  /// The context that promises settled by this scheduler's time are to carry in place of another.
  ///
  /// A scheduler that has to know when the handlers it set off have ended, as a ``TestScheduler``
  /// does, returns one that tells it. The one given here returns `context` itself.
  ///
  /// - Parameter context: the context they would carry otherwise.
  /// - Returns: the context to carry.
  func context(for context: ExecutionContext) -> ExecutionContext

  /// Tells that something is under way, outside promises, that may yet schedule an action.
  ///
  /// A scheduler whose time is turned by hand, as a ``TestScheduler``'s is, lets none of it pass until
  /// the ticket ends; so what is under way must not itself wait for that time. The one given here
  /// returns nil, as a clock waits for nobody.
  ///
  /// - Returns: a ticket that ends the activity; nil from a scheduler to which that is no matter.
  func beginActivity() -> ActivityToken?
}

extension Scheduler {
  /// Changes nothing.
  public func context(for context: ExecutionContext) -> ExecutionContext { context }

  /// Does nothing, and returns nil.
  public func beginActivity() -> ActivityToken? { nil }
}

/// A handle on something scheduled.
public struct ScheduledAction: Sendable {
  private let onCancel: @Sendable () -> Void

  /// Makes a handle, for a ``Scheduler`` of your own.
  ///
  /// - Parameter onCancel: sees to it that the action does not run if it has not begun; called any
  ///   number of times, from any thread.
  public init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  /// Keeps the action from running, if it has not begun, and releases it; a repeated call does nothing.
  public func cancel() {
    onCancel()
  }
}
