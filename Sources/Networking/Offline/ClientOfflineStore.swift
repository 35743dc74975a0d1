import CatenaSystem
import Dispatch
import Foundation

/// The offline store of a client, opened on first use, and the functions of the endpoints of its
/// entries.
final class ClientOfflineStore: Sendable {
  /// A closure that selects the transport of a replay, as for the original request.
  ///
  /// It returns `nil` when the client is gone.
  typealias TransportSelection = @Sendable () -> SelectedTransport?

  /// The functions of the endpoint of an entry, which are not stored on disk.
  ///
  /// A replay uses them if the same client has stored the entry.
  struct ReplaySource: Sendable {
    /// A closure that selects the transport of the replay.
    ///
    /// `nil` selects the client's own.
    var selectTransport: TransportSelection?
    /// A closure that returns the current header fields of the endpoint and its request.
    ///
    /// `nil` if the entry contains all of them.
    var headers: (@Sendable () -> HTTPHeaders)?
    /// Returns whether the session of the user who made the request has ended.
    ///
    /// The client does not send it any more, because it would have the credentials of another user.
    var sessionEnd: (@Sendable () -> Bool)?

    /// Whether the session of the user who made the request has ended.
    var hasSessionEnded: Bool { sessionEnd?() == true }
  }

  /// The queue for disk operations, so that no transport thread blocks on the disk.
  let queue = DispatchQueue(label: "Catena.ClientOfflineStore")
  /// The replay in progress.
  let replay = SharedReplay()
  /// The rules of the client's replays.
  let replayPolicy: ReplayPolicy
  /// Whether the client has no store.
  let isDisabled: Bool
  private let open: @Sendable () throws -> OfflineStore
  private let opened = Mutex<OfflineStore?>(nil)
  private let sources = Mutex<[UUID: ReplaySource]>([:])

  /// Creates the store of a client without opening it.
  ///
  /// - Parameters:
  ///   - policy: The location of the store.
  ///   - replayPolicy: The rules of the client's replays.
  ///   - type: The client's endpoint type, whose name is the key of the automatic store.
  ///   - isMocked: Whether the client has a mock provider. Its automatic store is temporary.
  init(
    _ policy: OfflinePolicy, _ replayPolicy: ReplayPolicy = .standard, for type: Any.Type,
    isMocked: Bool = false
  ) {
    self.replayPolicy = replayPolicy
    isDisabled = if case .none = policy { true } else { false }
    let scope = TransportScope.innermost
    open = {
      let type = String(reflecting: type)
      switch policy {
      case .automatic:
        if let scope { return try scope.sharedObject(for: type) { try Self.temporaryStore() } }
        return isMocked
          ? try Self.temporaryStore() : try OfflineStore(key: OfflineStore.key(ofType: type))
      case .store(let store): return store
      case .temporary: return try Self.temporaryStore()
      case .none: throw NetworkError(.offlineStoreFailed, "this client has no offline store")
      }
    }
  }

  /// The store; the first access blocks until it is opened.
  var store: OfflineStore {
    get throws {
      if let store = opened.withLock({ $0 }) { return store }
      // Opened outside the lock because it blocks on the disk. If two threads open a store, the
      // first one is kept.
      let store = try open()
      return opened.withLock { opened in
        opened = opened ?? store
        return opened ?? store
      }
    }
  }

  private static func temporaryStore() throws -> OfflineStore {
    try OfflineStore(
      folder: FileManager.default.temporaryDirectory
        .appendingPathComponent("catena-offline-\(UUID().uuidString)", isDirectory: true),
      isTemporary: true, beforeOperation: { _ in })
  }

  /// Keeps the functions that the replay of an entry needs.
  func keep(_ source: ReplaySource, for entry: OfflineStore.Entry) {
    var source = source
    if entry.removedCredentialHeaders.isEmpty { source.headers = nil }
    guard source.selectTransport != nil || source.headers != nil || source.sessionEnd != nil else {
      return
    }
    let old = sources.withLock { [source] in $0.updateValue(source, forKey: entry.id) }
    withExtendedLifetime(old) {}
  }

  /// Returns the functions for the replay of an entry.
  ///
  /// `nil` if this client has not stored the entry.
  func replaySource(of entry: UUID) -> ReplaySource? { sources.withLock { $0[entry] } }

  /// Removes the functions for the replay of all other entries.
  func removeReplaySources(except entries: some Sequence<UUID>) {
    let known = sources.withLock { $0 }
    guard !known.isEmpty else { return }
    let entries = Set(entries)
    let old = sources.withLock { sources in
      let before = sources
      // Those that were added in the meantime stay.
      sources = before.filter { known[$0.key] == nil || entries.contains($0.key) }
      return before
    }
    withExtendedLifetime(old) {}
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

  /// Returns the request with the files of its payload replaced.
  ///
  /// - Parameter replacement: A closure that gets the position of each file, from 0, and its URL,
  ///   and returns the new URL.
  /// - Returns: The changed request.
  /// - Throws: The error that `replacement` throws.
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

  /// Returns the request without header fields that carry credentials, and the names of those
  /// fields.
  func removingCredentialHeaders() -> (request: Request, withheld: [String]) {
    let redactor = attributes.redactor
    let secret = headers.filter { Self.carriesCredentials($0, redactor) }
    guard !secret.isEmpty else { return (self, []) }
    var request = self
    request.headers.removeNames(of: HTTPHeaders(secret))
    return (request, secret.map(\.name))
  }

  /// Returns whether a header field carries credentials.
  ///
  /// These are the standard fields, fields with the name of a secret, such as `X-Api-Key`, and
  /// fields with a recognized secret in the value, such as a `Referer` with a token.
  static func carriesCredentials(_ field: HTTPHeaders.Field, _ redactor: Redactor) -> Bool {
    ["Authorization", "Proxy-Authorization", "Cookie"]
      .contains { HTTPHeaders.areNamesEqual($0, field.name) }
      || field.isSecret(by: redactor)
  }
}
