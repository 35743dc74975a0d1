import CatenaSystem
public import Foundation

extension OfflineStore {
  /// A snapshot of a stored request.
  public struct Entry: Sendable, Hashable, Identifiable {
    /// The number of the entry in the store, which increases with each entry.
    public let number: Int
    /// The key by which a server recognizes a repeated request.
    ///
    /// It is the same each time the request is sent.
    public let idempotencyKey: UUID
    /// The name of the queue that the entry belongs to.
    public let queue: String
    /// The request without credentials.
    ///
    /// The files of its payload are the copies in the store, which are removed with the entry.
    public let request: Request
    /// The URL that the path is relative to, or `nil` if the path is absolute.
    public let baseURL: URL?
    /// The names of the header fields that were removed because they carry credentials.
    public let removedCredentialHeaders: [String]
    /// Whether the request has the defaults of the client's endpoint type.
    ///
    /// `nil` if that is not known, as for a request that the program has added to the store itself.
    let inheritsDefaults: Bool?
    /// The time at which the request was stored.
    public let created: Date
    /// The time at which the entry expires, or `nil` if it does not expire.
    ///
    /// A replay resets this time and ``created`` if the store's clock was evidently wrong when the
    /// request was stored.
    public let expires: Date?
    /// The number of replays in which the request was sent and stayed in the store.
    public let attempts: Int

    /// The identity of the entry, which is its ``idempotencyKey``.
    public var id: UUID { idempotencyKey }

    /// The idempotency key of the first attempt, which need not be a UUID.
    var effectiveIdempotencyKey: String {
      request.headers[HTTPHeaders.idempotencyKeyName] ?? idempotencyKey.uuidString
    }

    var name: EntryName { EntryName(number: number, key: idempotencyKey) }
  }

  /// Returns the entry of a record, with the current locations of its payload files.
  func entry(_ record: EntryRecord) -> Entry {
    Entry(
      number: record.number, idempotencyKey: record.key, queue: record.queue,
      request: record.request.replacingFiles { position, _ in
        directory.fileURL(record.name, position)
      },
      baseURL: record.baseURL, removedCredentialHeaders: record.withheld,
      inheritsDefaults: record.inheritsDefaults, created: record.created, expires: record.expires,
      attempts: record.attempts)
  }

  // MARK: Inspection and removal

  /// The entries in order, including expired ones.
  ///
  /// Unreadable entries are omitted. A replay reports them, and moves corrupt ones to quarantine.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the folder cannot be read.
  public var entries: [Entry] {
    get throws {
      try directory.list().names.compactMap { name in (try? directory.read(name)).map(entry) }
    }
  }

  /// The number of entries, including unreadable ones.
  ///
  /// Only the names of the entries are read.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the folder cannot be read.
  public var count: Int {
    get throws { try directory.list().names.count }
  }

  /// The idempotency keys of the entries; only the names of the entries are read.
  var keys: [UUID] { get throws { try directory.list().names.map(\.key) } }

  /// The files and folders that replays have moved to quarantine because they are not valid
  /// entries.
  ///
  /// They stay for inspection until ``emptyQuarantine()``. They do not count toward the limits.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the folder cannot be read.
  public var quarantined: [URL] {
    get throws { try directory.quarantined() }
  }

  /// Removes an entry.
  ///
  /// A request that is being sent is not cancelled.
  ///
  /// - Parameter entry: The entry.
  /// - Returns: `false` if the entry was no longer in the store.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the entry cannot be removed.
  @discardableResult
  public func remove(_ entry: Entry) throws -> Bool {
    try directory.withExclusiveLock { _ in try directory.remove(entry.name) }
  }

  /// Removes all entries.
  ///
  /// Requests that are being sent are not cancelled.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   at the first entry that cannot be removed. The entries before it have been removed.
  public func removeAll() throws {
    try directory.withExclusiveLock { _ in
      for name in try directory.list().names { try directory.remove(name) }
    }
  }

  /// Removes all files and folders in quarantine.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   at the first file that cannot be removed. The files before it have been removed.
  public func emptyQuarantine() throws {
    try directory.withExclusiveLock { _ in try directory.emptyQuarantine() }
  }

  // MARK: Summaries

  /// The immutable facts about an entry that `add` and replays need.
  struct Summary: Sendable {
    /// The error if the entry cannot be read now; the other facts are unknown then.
    var readError: (any Error)?
    var queue = ""
    /// The URL without its query, or `nil` if the entry is corrupt.
    var resource: String?
    var byteCount: Int64 = 0
    /// The lifespan, or `nil` if the entry is corrupt.
    ///
    /// A replay may have restarted the lifespan on disk because it was implausible. The cached
    /// lifespan is then still implausible, which does not count as expired.
    var lifespan: Lifespan?
  }

  /// Returns the summaries of entries, which are read from disk only if they are not cached.
  func summaries(of names: [EntryName]) -> [EntryName: Summary] {
    let known = summaries.withLock { $0 }
    var present: [EntryName: Summary] = [:]
    for name in names {
      if let summary = known[name] ?? summary(of: name) { present[name] = summary }
    }
    // An entry that cannot be read now may be readable later, so its error is not cached.
    let lasting = present.filter { $0.value.readError == nil }
    summaries.withLock { $0 = lasting }
    return present
  }

  private func summary(of name: EntryName) -> Summary? {
    do {
      guard let record = try directory.read(name) else { return nil }
      return Summary(
        queue: record.queue, resource: try? Self.resource(record.request, record.baseURL),
        byteCount: record.files.reduce(Int64(try record.encoded().count)) { $0 + $1.byteCount },
        lifespan: record.lifespan)
    } catch is CorruptEntryError {
      return Summary()
    } catch {
      return Summary(readError: error)
    }
  }

  /// Returns the resource of a request: its URL without the query.
  ///
  /// - Throws: ``NetworkError`` if the URL is not valid.
  static func resource(_ request: Request, _ baseURL: URL?) throws -> String {
    String(try url(request, baseURL).absoluteString.prefix { $0 != "?" })
  }

  /// Returns the URL of a request without its parameters.
  ///
  /// - Throws: ``NetworkError`` if the URL is not valid.
  static func url(_ request: Request, _ baseURL: URL?) throws -> URL {
    let base = try baseURL.map { try BaseURL($0) }
    return try BaseURL.resolve(request.path, against: base, query: "")
  }
}
