import Dispatch
import Foundation
import Synchronization

/// Where a client keeps the requests that ask for it and for which there is no network.
///
/// ```swift
/// let networking = Networking<BoardsAPI>()              // nothing need be set up
///
/// networking.request(BoardsAPI.delete(board.id).storing(.offline))
///   .validate()
///   .done { _ in list.remove(board) }
///   .fail { error in
///     if (error as? NetworkError)?.isKept == true { note("will be deleted once there is a network") }
///   }
///
/// networking.replay { progress in print("\(progress.completed) of \(progress.total)") }
///   .done { report in print(report.delivered.count, "delivered,", report.kept.count, "still offline") }
///
/// try networking.offlineStore.removeAll()               // the user has signed out
/// ```
///
/// What is laid down when a client is made:
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.offline = .store(try OfflineStore(key: "account-\(user.id)", lifetime: .seconds(3_600)))
/// configuration.whenUnreachable = .fail                 // or .wait(atMost: .seconds(30)); nil tries
/// configuration.replaysWhenReachable = true
/// let networking = Networking<BoardsAPI>(configuration: configuration)
/// networking.onAutomaticReplay = { result in log(result) }
/// ```
public enum OfflinePolicy: Sendable {
  /// In ``OfflineStore/folder(key:)`` for the name of the client's type of endpoints, opened when the
  /// first request is to be kept or replayed: clients of one type share it, in whatever runs of the program.
  /// It keeps no requests with secrets in them (``OfflineStore/storesSecrets``).
  ///
  /// Where one program serves several users, each of them should have a ``store(_:)`` of their own, as
  /// what is kept is replayed with the credentials that are in force then.
  case automatic
  /// In a store of your own.
  case store(OfflineStore)
  /// In a temporary folder, which is removed with the client: for tests and previews.
  ///
  /// A client that lives to the end of the process leaves it to whoever cleans temporary folders.
  case temporary
  /// Nowhere: such requests fail like all others, and the error says that they were not kept.
  case none
}

/// A client's offline store, opened when it is first needed, and what the client has to remember of
/// the requests that it has put there.
final class ClientOfflineStore: Sendable {
  /// Selects the transport of a replay, as for the original request. `nil` when the client is gone.
  typealias TransportSelection = @Sendable () -> SelectedTransport?

  /// Where whatever touches the disk runs: no thread of a transport's waits for a disk.
  let queue = DispatchQueue(label: "Catena.ClientOfflineStore")
  private let policy: OfflinePolicy
  /// The name of the client's type of endpoints.
  private let type: String
  private let opened = Mutex<OfflineStore?>(nil)
  private let selections = Mutex<[UUID: TransportSelection]>([:])

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
  var isDisabled: Bool {
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

  /// Stores the transport selection for the replay of an entry.
  func setTransportOverride(_ selection: @escaping TransportSelection, for entry: UUID) {
    selections.withLock { $0[entry] = selection }
  }

  /// Returns the stored transport selection of an entry.
  func transportSelection(for entry: UUID) -> TransportSelection? {
    selections.withLock { $0[entry] }
  }

  /// Forgets what was remembered of the entries that are no longer there.
  func removeOverrides(than entries: some Sequence<UUID>) {
    let known = selections.withLock { $0 }
    guard !known.isEmpty else { return }
    let entries = Set(entries)
    let gone = selections.withLock { selections in
      let before = selections
      // Those that came meanwhile stay.
      selections = before.filter { known[$0.key] == nil || entries.contains($0.key) }
      return before
    }
    withExtendedLifetime(gone) {}
  }
}

extension Request {
  /// The files of the payload, in order.
  var files: [URL] {
    var files: [URL] = []
    _ = replacingFiles { _, file in
      files.append(file)
      return file
    }
    return files
  }

  /// The same request with other files in its payload.
  ///
  /// - Parameter replacement: gets each file's position, from 0, and its URL.
  /// - Returns: the changed request.
  /// - Throws: what `replacement` throws.
  func replacingFiles(_ replacement: (_ position: Int, _ file: URL) throws -> URL) rethrows
    -> Request
  {
    var request = self
    switch payload {
    case .file(let file): request.payload = .file(try replacement(0, file))
    case .multipart(var form):
      var position = 0
      for index in form.parts.indices {
        guard case .file(let file) = form.parts[index].content else { continue }
        form.parts[index].content = .file(try replacement(position, file))
        position += 1
      }
      request.payload = .multipart(form)
    case .data, .stream, nil: break
    }
    return request
  }

  /// The same request without the header fields that carry credentials, and the names of those.
  func withoutCredentials() -> (request: Request, withheld: [String]) {
    let secret = headers.filter { Self.carriesCredentials($0) }
    guard !secret.isEmpty else { return (self, []) }
    var request = self
    for field in secret { request.headers.remove(field.name) }
    return (request, secret.map(\.name))
  }

  /// Those of HTTP, whatever has a telling name, such as `X-Api-Key`, and a `Referer` with a token in it.
  ///
  /// An idempotency key is none, whatever it looks like: with another one the server would do the work twice.
  private static func carriesCredentials(_ field: HTTPHeaders.Field) -> Bool {
    if HTTPHeaders.areNamesEqual(HTTPHeaders.idempotencyKeyName, field.name) { return false }
    return ["Authorization", "Proxy-Authorization", "Cookie"]
      .contains { HTTPHeaders.areNamesEqual($0, field.name) }
      || Redactor.standard.isSecret(name: field.name) || field.redactedValue != field.value
  }
}
