import CatenaSystem
import Dispatch
public import Foundation

/// A persistent store of requests that could not be sent because there was no network.
///
/// ```swift
/// let store = try OfflineStore(folder: folder, lifetime: .seconds(3 * 24 * 3600)) { kept, new in
///   new.method == .put ? .replace : .keepBoth
/// }
/// try store.add(.put("boards/7", parameters: ["title": "Fish"]), baseURL: base, in: "boards")
/// store.replay { entry in send(entry.request, entry.idempotencyKey) }
///   .done { report in
///     print(report.delivered.count, "delivered,", report.kept.count, "still offline")
///   }
/// ```
///
/// - **Durability.** A request is stored when ``add(_:baseURL:in:idempotencyKey:)`` returns. From
///   then on it survives the end of the process, including `kill -9`, and a loss of power. It is
///   sent at least once, unless it expires or is removed. If the process ends after the response
///   and before the removal, the request is sent again with the same ``Entry/idempotencyKey``.
/// - **Order.** The entries of a queue are sent in the order in which they were stored. Each is
///   sent after the previous one has left the store. Queues do not wait for each other.
/// - **Threads and processes.** All members can be used from any thread. Any number of stores, in
///   this process and in others, can use the same folder. Methods block on the disk, and while
///   another thread or process changes the store.
/// - **Secrets.** Header fields that carry credentials are never written. These are
///   `Authorization`, `Proxy-Authorization`, `Cookie`, fields with the name of a secret, such as
///   `X-Api-Key`, and fields with a recognized secret in the value, such as a `Referer` with a
///   token in its query. The caller adds them again at the replay. A URL with a user name or
///   password is rejected. A request whose query, JSON or form has a field with the name of a
///   secret is rejected unless ``storesSecrets`` is `true`. Free text, files of the body, and
///   bodies of other types are not checked. Files are readable by their owner only (mode 0600, in
///   folders of mode 0700). They are not encrypted. An entry of another user is moved to quarantine, and
///   is not sent, except on a disk on which all files have the same owner.
/// - **Disk.** The folder must be on a local disk. The store does not change other files in it.
public final class OfflineStore: Sendable {
  /// A handler that decides about a new request for the same resource as a stored entry.
  ///
  /// It is called for each such entry of the queue, in order, on the thread that calls
  /// ``add(_:baseURL:in:idempotencyKey:)``. If the set of these entries changes before the
  /// request is stored, it is called again for each of them.
  ///
  /// - Parameters:
  ///   - kept: The stored entry.
  ///   - new: The new request.
  /// - Returns: The resolution of the conflict.
  public typealias ConflictHandler =
    @Sendable (_ kept: Entry, _ new: Request) -> ConflictResolution

  /// The folder of the store.
  public let folder: URL
  /// The maximum size of the store.
  public let limits: Limits
  /// The time after which a stored request expires.
  ///
  /// `nil` stores requests until they are sent or removed.
  public let lifetime: Duration?

  /// Whether the store accepts requests with secrets in their query or body.
  ///
  /// The default is `false`. A request has a secret if a field of its query, JSON, form, XML or
  /// CSV has the name of a secret, such as `access_token` or `password`, or, in the store of a
  /// client, one of ``NetworkingConfiguration/secretNames``. Such a request is rejected with
  /// ``NetworkError/Code-swift.enum/offlineStoreRefused``. A client's request then fails with the
  /// original error, and the reason of the error says why it was not stored.
  ///
  /// If this is `true`, the secret is on disk until the entry leaves the store. Any program that
  /// can read the user's files or their backups can read it. Header fields that carry credentials
  /// are never written, regardless of this setting.
  public let storesSecrets: Bool

  let onConflict: ConflictHandler?
  let clock: @Sendable () -> Date
  let directory: EntryDirectory
  /// The serial queue that runs the steps of replays.
  let queue = DispatchQueue(label: "Catena.OfflineStore")
  /// Whether `deinit` removes the folder.
  private let isTemporary: Bool
  /// The cached summaries of the entries, so that `add` need not read every entry.
  let summaries = Mutex<[EntryName: Summary]>([:])

  /// Opens a store and creates its folder if necessary.
  ///
  /// - Parameters:
  ///   - folder: The folder of the store, which should contain nothing else.
  ///   - limits: The maximum size of the store.
  ///   - lifetime: The time after which a stored request expires. `nil` stores requests until they
  ///     are sent or removed.
  ///   - storesSecrets: Whether the store accepts requests with secrets in their query or body, and
  ///     writes them to disk unencrypted; see ``storesSecrets``.
  ///   - clock: A closure that returns the current time, for the lifetime.
  ///   - onConflict: A handler that decides about a new request for the same resource as a stored
  ///     entry. `nil` keeps both.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the folder is not a file URL or cannot be created.
  public convenience init(
    folder: URL, limits: Limits = Limits(), lifetime: Duration? = .seconds(7 * 24 * 3600),
    storesSecrets: Bool = false, clock: @escaping @Sendable () -> Date = { Date() },
    onConflict: ConflictHandler? = nil
  ) throws {
    try self.init(
      folder: folder, limits: limits, lifetime: lifetime, storesSecrets: storesSecrets,
      clock: clock, beforeOperation: { _ in }, onConflict: onConflict)
  }

  deinit {
    if isTemporary { try? FileManager.default.removeItem(at: folder) }
  }

  /// Opens a store with a closure that runs before each step that changes the disk.
  package init(
    folder: URL, isTemporary: Bool = false, limits: Limits = Limits(), lifetime: Duration? = nil,
    storesSecrets: Bool = false, clock: @escaping @Sendable () -> Date = { Date() },
    beforeOperation: @escaping @Sendable (_ step: String) -> Void,
    onConflict: ConflictHandler? = nil
  ) throws {
    guard folder.isFileURL else {
      throw NetworkError(.offlineStoreFailed, "the store's folder is not a file URL")
    }
    self.folder = folder
    self.limits = limits
    self.lifetime = lifetime
    self.storesSecrets = storesSecrets
    self.clock = clock
    self.onConflict = onConflict
    self.isTemporary = isTemporary
    directory = try EntryDirectory(folder, fileSystem: FileSystem(beforeOperation: beforeOperation))
  }
}

extension OfflineStore {
  /// Opens the store with a key in the platform's folder for application data.
  ///
  /// - Parameters:
  ///   - key: The key, which distinguishes this store from others of the program, such as an
  ///     account number.
  ///   - limits: The maximum size of the store.
  ///   - lifetime: The time after which a stored request expires. `nil` stores requests until they
  ///     are sent or removed.
  ///   - storesSecrets: Whether the store accepts requests with secrets in their query or body, and
  ///     writes them to disk unencrypted; see ``storesSecrets``.
  ///   - clock: A closure that returns the current time, for the lifetime.
  ///   - onConflict: A handler that decides about a new request for the same resource as a stored
  ///     entry. `nil` keeps both.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the key is empty or the folder cannot be created.
  public convenience init(
    key: String, limits: Limits = Limits(), lifetime: Duration? = .seconds(7 * 24 * 3600),
    storesSecrets: Bool = false, clock: @escaping @Sendable () -> Date = { Date() },
    onConflict: ConflictHandler? = nil
  ) throws {
    try self.init(
      folder: Self.folder(key: key), limits: limits, lifetime: lifetime,
      storesSecrets: storesSecrets, clock: clock, onConflict: onConflict)
  }

  /// Returns the folder of the store with a key.
  ///
  /// The folder need not exist. It is `Catena/Offline/<key>` in the program's folder for
  /// application data, which is named after the bundle identifier or else the process. That folder
  /// is in `$XDG_DATA_HOME` or `~/.local/share` on Linux, in `Application Support` on Apple's
  /// platforms, and in the caches folder on tvOS, which has no persistent folder.
  ///
  /// - Parameter key: The key, which distinguishes this store from others of the program.
  ///   Characters that are not allowed in file names are percent-encoded.
  /// - Returns: The folder.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the key is empty or the platform has no folder for application data.
  public static func folder(key: String) throws -> URL {
    guard !key.isEmpty else { throw NetworkError(.offlineStoreFailed, "the store's key is empty") }
    guard let data = ProgramFolder.data else {
      throw NetworkError(.offlineStoreFailed, "the platform has no folder for application data")
    }
    return ProgramFolder.url("Offline", key, in: data)
  }

  /// Returns the key for the clients of an endpoint type.
  ///
  /// - Parameter type: The name of the type from `String(reflecting:)`, with its module.
  /// - Returns: The key, which is the same in each run of the program.
  static func key(ofType type: String) -> String {
    // The name of a private type contains an address, which differs in each run.
    type.replacing(/\(unknown context at [^)]*\)\./, with: "")
  }
}

extension OfflineStore {
  /// The maximum size of a store.
  ///
  /// A request that exceeds it is rejected with
  /// ``NetworkError/Code-swift.enum/offlineStoreFull``.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of entries.
    public var entries: Int
    /// The maximum number of bytes, including the copies of payload files.
    public var bytes: Int64

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - entries: The maximum number of entries.
    ///   - bytes: The maximum number of bytes, including the copies of payload files.
    public init(entries: Int = 1_000, bytes: Int64 = 100 << 20) {
      self.entries = entries
      self.bytes = bytes
    }
  }

  /// The resolution of a conflict between a new request and a stored entry for the same resource.
  ///
  /// The resource is the URL without its query, in the same queue, regardless of the method.
  public enum ConflictResolution: Sendable, Hashable {
    /// Both are stored and sent in their order.
    case keepBoth
    /// The new request is stored at the end of its queue, and the old entry is removed.
    case replace
    /// The old entry stays, and the new request is not stored.
    case drop
  }
}
