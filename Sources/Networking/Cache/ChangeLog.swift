/// A log of the latest changes of a cache, with which work that began before a change is recognized.
struct ChangeLog: Sendable {
  private static let capacity = 64

  /// The number of changes so far.
  private(set) var count = 0
  private var latest: [CacheKey] = []

  mutating func add(_ key: CacheKey) {
    if latest.count == Self.capacity { latest.removeFirst() }
    latest.append(key)
    count += 1
  }

  /// Adds a change of all URLs.
  mutating func addAll() {
    latest = []
    count += 1
  }

  /// Returns whether a URL may have changed after a number of changes.
  func contains(_ key: CacheKey, since start: Int) -> Bool {
    guard start < count else { return false }
    // The log does not have all of them any more.
    guard count - start <= latest.count else { return true }
    return latest.suffix(count - start).contains(key)
  }
}
