import Dispatch
import Foundation
import Synchronization

/// A folder that keeps requests for which there was no network, until they can be sent.
///
/// ```swift
/// let store = try OfflineStore(folder: folder, lifetime: .seconds(3 * 24 * 3600)) { kept, new in
///   new.method == .put ? .replace : .keepBoth
/// }
/// try store.keep(.put("boards/7", parameters: ["title": "Fish"]), baseURL: base, in: "boards")
/// store.replay { entry in send(entry.request, entry.idempotencyKey) }
///   .done { report in print(report.delivered.count, "delivered,", report.kept.count, "still offline") }
/// ```
///
/// - **Durability.** A request is accepted when ``keep(_:baseURL:in:idempotencyKey:)`` has returned: from
///   then on neither the end of the process, `kill -9` included, nor that of the machine's power loses or
///   harms it. It is sent at least once; a process that ends between an answer and the removal leads to
///   its being sent again, with the same ``Entry/idempotencyKey``.
/// - **Order.** Entries of one queue are sent in the order in which they were accepted, each after the
///   one before it has left the store. Queues do not wait for one another.
/// - **Threads and processes.** Everything may be called from any thread, and any number of stores, in
///   this process and in others, may be on one folder. Methods block for as long as the disk takes,
///   and while another process or thread changes the store.
/// - **Secrets.** Header fields that carry credentials are never written: `Authorization`,
///   `Proxy-Authorization`, `Cookie`, those whose names tell, such as `X-Api-Key`, and those with a secret
///   in their value that can be told, such as a `Referer` with a token in its query. They are for
///   whoever replays to add anew. A URL with a user name or password in it is refused, and so
///   is a request whose query, JSON or form has a field that goes by a secret's name, unless the store
///   ``storesSecrets``. Text that says nothing of the kind, files of a payload and bodies of other kinds are
///   not looked into. Files are readable for their owner alone (mode 0600, in folders of 0700), and are not
///   encrypted.
/// - **Disk.** The folder has to be on a disk of this machine. What lies beside the store's own
///   folders in it is left alone.
public final class OfflineStore: Sendable {
  /// What becomes of a new request that is for the same resource as one that is kept.
  ///
  /// It is called for each such entry of the same queue, in their order, on the thread that calls
  /// ``keep(_:baseURL:in:idempotencyKey:)``; again when meanwhile they have become others.
  public typealias ConflictHandler =
    @Sendable (_ kept: Entry, _ new: Request) -> ConflictResolution

  /// Where it is.
  public let folder: URL
  /// How much it takes.
  public let limits: Limits
  /// How long a request is kept; nil is until it is sent or removed.
  public let lifetime: Duration?

  /// Whether requests with secrets in their query or body are kept; not at first.
  ///
  /// A request has a secret when a field of its query, of its JSON or of its form goes by a name that tells so, such as
  /// `access_token`, `password` or one of ``NetworkingConfiguration/secretNames``. It is refused by
  /// ``NetworkError/Code-swift.enum/offlineStoreRefused``, and a client's request fails then as it would without
  /// an offline store, with a word on why it was not kept.
  ///
  /// Where this is true such requests are kept like all others: whoever can read the user's files, or a backup of them, reads
  /// the secret, until the entry has left the store. It makes no difference to header fields, which
  /// are never written when they carry credentials.
  public let storesSecrets: Bool

  let onConflict: ConflictHandler?
  let clock: @Sendable () -> Date
  let files: EntryDirectory
  /// Where replays do their work, one step at a time.
  let queue = DispatchQueue(label: "Catena.OfflineStore")
  /// Whether the folder goes with this object.
  private let isTemporary: Bool
  /// What is known of the entries, so that accepting one need not read all others.
  let summaries = Mutex<[EntryName: Summary]>([:])

  /// Opens a store, and makes its folder when it is not there.
  ///
  /// - Parameters:
  ///   - folder: where it is; its own, since nothing else has a business there.
  ///   - limits: how much it takes.
  ///   - lifetime: how long a request is kept; nil is until it is sent or removed.
  ///   - storesSecrets: whether requests with secrets in their query or body are kept, and so written to the
  ///     disk as they are: ``storesSecrets``.
  ///   - clock: what time it is, for the lifetime.
  ///   - onConflict: what becomes of a new request that is for the same resource as one that is kept;
  ///     nil keeps both.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   there is no folder to be had.
  public convenience init(
    folder: URL, limits: Limits = Limits(), lifetime: Duration? = .seconds(7 * 24 * 3600),
    storesSecrets: Bool = false, clock: @escaping @Sendable () -> Date = { Date() },
    onConflict: ConflictHandler? = nil
  ) throws {
    try self.init(
      folder: folder, limits: limits, lifetime: lifetime, storesSecrets: storesSecrets,
      clock: clock, beforeOperation: { _ in },
      onConflict: onConflict)
  }

  /// Opens a store whose folder is removed when the last of its users has gone.
  convenience init(temporaryFolder folder: URL) throws {
    try self.init(folder: folder, isTemporary: true, beforeOperation: { _ in })
  }

  deinit {
    if isTemporary { try? FileManager.default.removeItem(at: folder) }
  }

  /// The same, with a closure that is called before each step that changes something on the disk.
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
    files = try EntryDirectory(folder, disk: FileSystem(beforeOperation: beforeOperation))
  }
}

extension OfflineStore {
  /// Opens the store of a key, in the place that the platform has for the data of programs.
  ///
  /// - Parameters:
  ///   - key: what tells it from other stores of this program, such as an account's number.
  ///   - limits: how much it takes.
  ///   - lifetime: how long a request is kept; nil is until it is sent or removed.
  ///   - storesSecrets: whether requests with secrets in their query or body are kept, and so written to the
  ///     disk as they are: ``storesSecrets``.
  ///   - clock: what time it is, for the lifetime.
  ///   - onConflict: what becomes of a new request that is for the same resource as one that is kept;
  ///     nil keeps both.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   there is no folder to be had.
  public convenience init(
    key: String, limits: Limits = Limits(), lifetime: Duration? = .seconds(7 * 24 * 3600),
    storesSecrets: Bool = false, clock: @escaping @Sendable () -> Date = { Date() },
    onConflict: ConflictHandler? = nil
  ) throws {
    try self.init(
      folder: Self.folder(key: key), limits: limits, lifetime: lifetime,
      storesSecrets: storesSecrets, clock: clock, onConflict: onConflict)
  }

  /// Where the store of a key is; the folder need not be there.
  ///
  /// It is `Catena/Offline` and the key below a folder of the program's own, which is called like its
  /// bundle or else like the program: on Linux in `$XDG_DATA_HOME` or `~/.local/share`, on Apple's
  /// platforms in `Application Support`, on tvOS, which has nothing that lasts, among the caches.
  ///
  /// - Parameter key: what tells it from other stores of this program; what cannot stand in the name of
  ///   a file is percent-encoded.
  /// - Returns: the folder.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   the key is empty, or there is no such place.
  public static func folder(key: String) throws -> URL {
    guard !key.isEmpty else { throw NetworkError(.offlineStoreFailed, "the store's key is empty") }
    #if os(tvOS)
      let place = FileManager.SearchPathDirectory.cachesDirectory
    #else
      let place = FileManager.SearchPathDirectory.applicationSupportDirectory
    #endif
    guard let data = FileManager.default.urls(for: place, in: .userDomainMask).first else {
      throw NetworkError(.offlineStoreFailed, "there is no folder for the data of programs")
    }
    let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return [fileName(program), "Catena", "Offline", fileName(key)].reduce(data) {
      $0.appendingPathComponent($1, isDirectory: true)
    }
  }

  /// The key of the clients of a type of endpoints: its name, with its module's.
  ///
  /// - Parameter type: the name as `String(reflecting:)` gives it.
  /// - Returns: the key, which is the same in every run.
  static func key(ofType type: String) -> String {
    // A private type's name has where it lies in memory, which is another in each run.
    type.replacing(/\(unknown context at [^)]*\)\./, with: "")
  }

  private static func fileName(_ text: String) -> String {
    let name = text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    return name.hasPrefix(".") ? "%2E" + name.dropFirst() : name
  }

  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
}

extension OfflineStore {
  /// How much a store takes; a request beyond that is refused by
  /// ``NetworkError/Code-swift.enum/offlineStoreFull``.
  public struct Limits: Sendable, Hashable {
    /// How many entries at the most.
    public var entries: Int
    /// How many bytes at the most, the copies of payloads' files included.
    public var bytes: Int64

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - entries: how many entries at the most.
    ///   - bytes: how many bytes at the most, the copies of payloads' files included.
    public init(entries: Int = 1_000, bytes: Int64 = 100 << 20) {
      self.entries = entries
      self.bytes = bytes
    }
  }
}

extension OfflineStore {
  /// What becomes of a new request that is for the same resource as one that is kept.
  ///
  /// The same resource is the same URL but for the query, in the same queue, whatever the methods.
  public enum ConflictResolution: Sendable, Hashable {
    /// Both are kept, and sent in their order.
    case keepBoth
    /// The new one is kept, at the end of its queue, and the kept one is removed.
    case replace
    /// The kept one stays, and the new one is not kept.
    case drop
  }
}
