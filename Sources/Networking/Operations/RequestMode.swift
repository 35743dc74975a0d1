/// How many requests of one client are under way at once.
public enum RequestMode: Sendable, Hashable {
  /// One at a time, in the order in which they were made.
  case sync
  /// All of them.
  case async
  /// At most so many; a number below 1 counts as 1.
  case limited(Int)

  var width: Int {
    switch self {
    case .sync: 1
    case .async: .max
    case .limited(let width): max(width, 1)
    }
  }
}
