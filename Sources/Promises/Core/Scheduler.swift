/// A source of time: a clock in a program, a ``TestScheduler`` in a test.
///
/// Delays, timeouts and retries use the scheduler that they receive and no other clock.
public protocol Scheduler: Sendable {
  /// The time since a reference point of the scheduler.
  ///
  /// It never decreases.
  var now: Duration { get }

  /// Runs an action after a delay.
  ///
  /// Actions that are due at the same time run in the order of scheduling.
  ///
  /// - Parameters:
  ///   - delay: The delay. Zero or a negative value means as soon as possible, but not before this
  ///     call returns.
  ///   - action: The closure to run, at most once, on a thread chosen by the scheduler. It must not
  ///     block, because it delays other actions.
  /// - Returns: A handle to cancel the action. Releasing the handle has no effect.
  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction

  /// Returns the context for promises that this scheduler settles.
  ///
  /// A scheduler that must know when the handlers it triggers have ended, such as a
  /// ``TestScheduler``, returns a context that tracks them. The default implementation returns
  /// `context`.
  ///
  /// - Parameter context: The context that the promises would otherwise have.
  /// - Returns: The context for the promises.
  func context(for context: ExecutionContext) -> ExecutionContext

  /// Registers an activity that is not a promise's handler and that may schedule an action.
  ///
  /// A scheduler with virtual time, such as a ``TestScheduler``, does not advance until the token
  /// ends. The activity therefore must not wait for that time. The default implementation returns
  /// `nil`, because real time does not wait for activities.
  ///
  /// - Returns: A token that ends the activity. `nil` from a scheduler that does not track
  ///   activities.
  func beginActivity() -> ActivityToken?
}

extension Scheduler {
  /// Returns `context`.
  public func context(for context: ExecutionContext) -> ExecutionContext { context }

  /// Does nothing and returns `nil`.
  public func beginActivity() -> ActivityToken? { nil }
}

/// A handle to a scheduled action.
public struct ScheduledAction: Sendable {
  private let onCancel: @Sendable () -> Void

  /// Creates a handle, for a custom ``Scheduler``.
  ///
  /// - Parameter onCancel: The closure that prevents the action from running if it has not started.
  ///   It may be called repeatedly, from any thread.
  public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

  /// Prevents the action from running if it has not started, and releases it.
  ///
  /// Repeated calls have no effect.
  public func cancel() { onCancel() }
}
