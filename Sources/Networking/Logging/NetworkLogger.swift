/// Writes down what a client says about its calls.
///
/// ```swift
/// struct Journal: NetworkLogger {
///   func log(_ entry: NetworkLogEntry) { journal.append(entry.description) }
/// }
///
/// configuration.logging = LoggingConfiguration(.info, to: Journal())
/// ```
public protocol NetworkLogger: Sendable {
  /// Takes an entry.
  ///
  /// The entries of a client come one at a time, on a serial queue of its own, in the order in which things happened;
  /// those of two clients may come at once. It may take its time: calls do not wait, and what happens meanwhile is
  /// kept for it, without limit.
  ///
  /// - Parameter entry: what to write; without secrets.
  func log(_ entry: NetworkLogEntry)
}
