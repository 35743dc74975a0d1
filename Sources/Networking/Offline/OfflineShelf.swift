import Dispatch
import Foundation
import Synchronization

/// A client's offline store, opened when it is first needed, and what the client has to remember of
/// the requests that it has put there.
final class OfflineShelf: Sendable {
  /// Gives what performs a request in place of the client's transport, as it was asked for first.
  typealias Choice = @Sendable () -> StandIn?

  /// Where whatever touches the disk runs: no thread of a transport's waits for a disk.
  let queue = DispatchQueue(label: "Catena.OfflineShelf")
  private let policy: OfflinePolicy
  /// The name of the client's type of endpoints.
  private let type: String
  private let opened = Mutex<OfflineStore?>(nil)
  private let standIns = Mutex<[UUID: Choice]>([:])

  /// Makes a shelf.
  ///
  /// - Parameters:
  ///   - policy: where the store is.
  ///   - type: the client's type of endpoints, by which the automatic one is called.
  init(_ policy: OfflinePolicy, for type: Any.Type) {
    self.policy = policy
    self.type = String(reflecting: type)
  }

  /// Whether there is no store, and is to be none.
  var isAbsent: Bool {
    if case .none = policy { true } else { false }
  }

  /// The store; the first call blocks for as long as opening it takes.
  var store: OfflineStore {
    get throws {
      if let store = opened.withLock({ $0 }) { return store }
      // Opened without the lock, as that is the disk's time; of two, the first one counts.
      let store = try open()
      return opened.withLock { opened in
        if let first = opened { return first }
        opened = store
        return store
      }
    }
  }

  private func open() throws -> OfflineStore {
    switch policy {
    case .automatic: return try OfflineStore(key: OfflineStore.key(ofType: type))
    case .store(let store): return store
    case .temporary:
      return try OfflineStore(
        temporaryFolder: FileManager.default.temporaryDirectory
          .appendingPathComponent("catena-offline-\(UUID().uuidString)", isDirectory: true))
    case .none: throw NetworkError(.offlineStoreFailed, "this client has no offline store")
    }
  }

  /// Remembers what may stand in for the server when an entry is replayed.
  func remember(_ standIn: @escaping Choice, for entry: UUID) {
    standIns.withLock { $0[entry] = standIn }
  }

  /// What was remembered of an entry.
  func standIn(for entry: UUID) -> Choice? {
    standIns.withLock { $0[entry] }
  }

  /// Forgets what was remembered of the entries that are no longer there.
  func forgetOthers(than entries: some Sequence<UUID>) {
    let known = standIns.withLock { $0 }
    guard !known.isEmpty else { return }
    let entries = Set(entries)
    let gone = standIns.withLock { standIns in
      let before = standIns
      // Those that came meanwhile stay.
      standIns = before.filter { known[$0.key] == nil || entries.contains($0.key) }
      return before
    }
    withExtendedLifetime(gone) {}
  }
}
