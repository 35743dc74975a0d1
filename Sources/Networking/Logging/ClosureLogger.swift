/// A logger that is a closure.
///
/// ```swift
/// configuration.logging.errorLogger = ClosureLogger { entry in alert(entry.description) }
/// ```
public struct ClosureLogger: NetworkLogger {
  private let closure: @Sendable (NetworkLogEntry) -> Void

  /// Makes a logger.
  ///
  /// - Parameter closure: runs as ``NetworkLogger/log(_:)`` does, on a serial queue.
  public init(_ closure: @escaping @Sendable (_ entry: NetworkLogEntry) -> Void) {
    self.closure = closure
  }

  /// Hands the entry to the closure.
  ///
  /// - Parameter entry: what to write.
  public func log(_ entry: NetworkLogEntry) { closure(entry) }
}
