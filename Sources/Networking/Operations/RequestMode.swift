/// How many requests of one client are under way at once.
public enum RequestMode: Sendable, Hashable {
  /// One at a time, in the order in which they were made.
  case sync
  /// All of them.
  case async
  /// At most so many; at least 1, anything else is a programmer's error and stops the program.
  case limited(Int)

  var width: Int {
    switch self {
    case .sync: return 1
    case .async: return .max
    case .limited(let width):
      precondition(
        width >= 1, "RequestMode.limited: the number is \(width), but must be at least 1")
      return width
    }
  }
}
