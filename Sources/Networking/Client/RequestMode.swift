/// The limit for the number of running requests of a client.
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.mode = .limited(4)
/// ```
public enum RequestMode: Sendable, Hashable {
  /// One request at a time, in the order in which they were made. It blocks no thread.
  case sync
  /// No limit.
  case async
  /// A given number of requests.
  ///
  /// A number below 1 counts as 1.
  case limited(Int)

  /// The number of requests that may run.
  var width: Int {
    switch self {
    case .sync: 1
    case .async: .max
    case .limited(let width): max(width, 1)
    }
  }
}
