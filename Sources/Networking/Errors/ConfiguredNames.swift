import Synchronization

/// The names that clients have said are secret, as they are compared; they only become more.
final class ConfiguredNames: Sendable {
  /// Asked first and without a lock, since mostly there are none.
  private let hasNames = Atomic(false)
  private let names = Mutex<Set<String>>([])

  var isEmpty: Bool { !hasNames.load(ordering: .acquiring) }

  func add(_ more: [String]) {
    names.withLock { $0.formUnion(more.filter { !$0.isEmpty }) }
    hasNames.store(true, ordering: .releasing)
  }

  func contains(_ name: String) -> Bool {
    !isEmpty && names.withLock { $0.contains(name) }
  }
}
