import Foundation

extension OfflineStore {
  /// A request that is kept, as it was when it was looked at.
  public struct Entry: Sendable, Hashable, Identifiable {
    /// Its place in the order of the store: later ones have greater numbers.
    public let number: Int
    /// What tells a server that a request sent twice is one; the same each time it is sent.
    public let idempotencyKey: UUID
    /// The queue whose order it is part of.
    public let queue: String
    /// What to send, without credentials; files of its payload are the store's copies, which go with
    /// the entry.
    public let request: Request
    /// What the request's path is relative to, or nil when that is absolute.
    public let baseURL: URL?
    /// The names of the header fields that carried credentials, and were left out.
    public let removedCredentialHeaders: [String]
    /// When it was accepted.
    public let created: Date
    /// From when on it is sent no more; nil is never.
    ///
    /// A replay moves it, with ``created``, when the store's clock cannot have been right when it was accepted.
    public let expires: Date?
    /// How many replays have tried to send it, and left it.
    public let attempts: Int

    /// The same as ``idempotencyKey``.
    public var id: UUID { idempotencyKey }

    /// The key that goes out with it: that which it was first sent with, also when that is no UUID.
    var effectiveIdempotencyKey: String {
      request.headers[HTTPHeaders.idempotencyKeyName] ?? idempotencyKey.uuidString
    }

    var name: EntryName { EntryName(number: number, key: idempotencyKey) }
  }

  /// An entry of its record, its payload's files being where they are now.
  func entry(_ record: EntryRecord) -> Entry {
    let name = EntryName(number: record.number, key: record.key)
    return Entry(
      number: record.number, idempotencyKey: record.key, queue: record.queue,
      request: record.request.replacingFiles { position, _ in files.fileURL(name, position) },
      baseURL: record.baseURL, removedCredentialHeaders: record.withheld, created: record.created,
      expires: record.expires, attempts: record.attempts)
  }
}

extension OfflineStore {
  /// What is kept, in order, those that have expired included.
  ///
  /// What cannot be read is left out; a replay reports it, and sets it aside when it is no entry.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   the folder cannot be read.
  public var entries: [Entry] {
    get throws {
      try files.list().names.compactMap { name in (try? files.read(name)).map(entry) }
    }
  }

  /// How many entries there are, those that cannot be read included; no more than their names are read.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   the folder cannot be read.
  public var count: Int {
    get throws { try files.list().names.count }
  }

  /// The idempotency keys of the entries; no more than their names are read.
  var keys: [UUID] {
    get throws { try files.list().names.map(\.key) }
  }

  /// What replays have found that was no entry, and have set unthrottledQueue.
  ///
  /// They are files and folders, for people to look at. They stay until ``emptyQuarantine()``, and count for no limit.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   the folder cannot be read.
  public var quarantined: [URL] {
    get throws { try files.quarantined() }
  }

  /// Removes an entry, so that it is not sent; one that is being sent goes on its way.
  ///
  /// - Parameter entry: the entry.
  /// - Returns: false when it had gone before.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``.
  @discardableResult
  public func remove(_ entry: Entry) throws -> Bool {
    try files.withExclusiveLock { _ in try files.remove(entry.name) }
  }

  /// Removes all entries, so that they are not sent; those that are being sent go on their way.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``; those
  ///   that could be removed are.
  public func removeAll() throws {
    try files.withExclusiveLock { _ in
      for name in try files.list().names { try files.remove(name) }
    }
  }

  /// Removes all that was set unthrottledQueue.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``; what
  ///   could be removed is.
  public func emptyQuarantine() throws {
    try files.withExclusiveLock { _ in try files.emptyQuarantine() }
  }
}

extension OfflineStore {
  /// What has to be known of an entry to accept another, and never changes.
  struct Summary: Sendable {
    /// Why it cannot be read now; nothing else is known of it then.
    var problem: (any Error)?
    var queue = ""
    /// The URL without its query; nil for what is no entry.
    var resource: String?
    var byteCount: Int64 = 0
    /// Nil for what is no entry.
    ///
    /// It may have been begun anew since, which makes no difference to what is over.
    var lifespan: Lifespan?
  }

  /// The summaries of entries, read from the disk only where they are not known yet.
  func summaries(of names: [EntryName]) -> [EntryName: Summary] {
    let known = summaries.withLock { $0 }
    var present: [EntryName: Summary] = [:]
    for name in names {
      if let summary = known[name] ?? summary(of: name) { present[name] = summary }
    }
    // What cannot be read now may well be later.
    let lasting = present.filter { $0.value.problem == nil }
    summaries.withLock { $0 = lasting }
    return present
  }

  private func summary(of name: EntryName) -> Summary? {
    do {
      guard let record = try files.read(name) else { return nil }
      return Summary(
        queue: record.queue, resource: try? Self.resource(record.request, record.baseURL),
        byteCount: record.files.reduce(Int64(try record.encoded().count)) { $0 + $1.byteCount },
        lifespan: record.lifespan)
    } catch is CorruptEntryError {
      return Summary()
    } catch {
      return Summary(problem: error)
    }
  }

  /// What a request is for: its URL without the query.
  ///
  /// - Throws: ``NetworkError`` when it has no proper URL.
  static func resource(_ request: Request, _ baseURL: URL?) throws -> String {
    let base = try baseURL.map { try BaseURL($0) }
    let url = try BaseURL.resolve(request.path, against: base, query: "").absoluteString
    return String(url.prefix { $0 != "?" })
  }
}
