import Promises

/// A logger that calls a closure.
///
/// ```swift
/// configuration.logging.errorLogger = ClosureLogger { entry in alert(entry.description) }
/// ```
///
/// A closure that is written in the code of an actor runs on this actor.
public struct ClosureLogger: NetworkLogger {
  let closure: IsolatedClosure<NetworkLogEntry, Void>

  /// Creates a logger.
  ///
  /// - Parameter closure: The handler of each entry. It receives one entry at a time, in order, on
  ///   its actor or, without one, on a serial queue, like ``NetworkLogger/log(_:)``.
  public init(
    @_inheritActorContext _ closure:
      @escaping @Sendable @isolated(any) (_ entry: NetworkLogEntry) -> Void
  ) {
    self.closure = IsolatedClosure(closure)
  }

  /// Passes an entry to the closure.
  ///
  /// If the closure is isolated to an actor, this method returns before the closure has run.
  ///
  /// - Parameter entry: The entry.
  public func log(_ entry: NetworkLogEntry) { closure.run(entry, awaitedBy: nil) }
}
