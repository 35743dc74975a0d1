import CatenaSystem
public import Foundation

extension OfflineStore {
  /// Stores a request.
  ///
  /// When this method returns, the request is on disk. It stays in the store until it leaves in
  /// ``replay(concurrency:scheduler:policy:progress:_:)``, expires, is replaced in a conflict, or is
  /// removed. Files of its payload are copied, so the originals may be deleted. If the store has an
  /// entry with the same idempotency key, the request is not stored again.
  ///
  /// If the folder cannot be synchronized after the entry is in place, the entry is taken out again
  /// and this method throws. If the disk fails there, too, the entry stays in place and is returned:
  /// it is sent in a replay, but may not survive a loss of power.
  ///
  /// If the store is full, expired entries are removed first. A request that has a field with the
  /// name of a secret is rejected unless ``storesSecrets`` is `true`. A client also rejects its
  /// ``NetworkingConfiguration/secretNames``.
  ///
  /// - Parameters:
  ///   - request: The request, including any header fields of its endpoint type.
  ///   - baseURL: The URL that the path is relative to, or `nil` if the path is absolute.
  ///   - queue: The name of the queue that the request joins.
  ///   - idempotencyKey: The key by which a server recognizes a repeated request. If the request
  ///     has been sent before, the key of that attempt.
  /// - Returns: The new entry, the entry with the same key, or the entry for which the conflict
  ///   handler returned ``ConflictResolution/drop``.
  /// - Throws: ``NetworkError`` with one of these codes, and the request is not stored:
  ///   `invalidURL` if the URL is not valid; `encodingFailed` if a parameter cannot be encoded or
  ///   the body is a stream; `offlineStoreFull` if one of the ``limits`` is reached;
  ///   `offlineStoreRefused` if a field has the name of a secret, which the error contains without
  ///   the value; `offlineStoreFailed` if the disk is full or fails, or a file of the payload
  ///   cannot be read.
  @discardableResult
  public func add(
    _ request: Request, baseURL: URL? = nil, in queue: String = "", idempotencyKey: UUID = UUID()
  ) throws -> Entry {
    try add(request, baseURL, queue, idempotencyKey, inheritsDefaults: nil)
  }

  /// Stores a request, and whether it has the defaults of the client's endpoint type, if that is known.
  func add(
    _ request: Request, _ baseURL: URL?, _ queue: String, _ idempotencyKey: UUID,
    inheritsDefaults: Bool?
  ) throws -> Entry {
    do {
      if !storesSecrets, let name = SecretFieldSearch(request).name {
        throw NetworkError(.offlineStoreRefused, Self.refusal(naming: name))
      }
      let candidate = Candidate(
        request: request, baseURL: baseURL, queue: queue, key: idempotencyKey,
        inheritsDefaults: inheritsDefaults, resource: try Self.resource(request, baseURL))
      while true {
        // The conflict handler runs without the lock. `add` checks under the lock that the
        // conflicts are still the same.
        let decision = try decide(on: candidate)
        let now = clock()
        if let entry = try directory.withExclusiveLock({ try add(candidate, decision, at: now, $0) }
        ) {
          return entry
        }
      }
    } catch var error as NetworkError {
      error.request = error.request ?? .init(request)
      throw error
    } catch {
      throw NetworkError(.encodingFailed, request: .init(request), underlying: error)
    }
  }

  private static func refusal(naming field: String) -> String {
    let name = NetworkError.singleLine(String(field.prefix(80)))
    return "the field \"\(name)\" has the name of a secret, and the store does not accept secrets"
  }

  private struct Candidate: ~Copyable {
    let request: Request
    let baseURL: URL?
    let queue: String
    let key: UUID
    let inheritsDefaults: Bool?
    let resource: String
  }

  private struct Decision: ~Copyable {
    /// The entries that the conflict handler was called for, including unreadable ones.
    var conflicts: [EntryName] = []
    var replaced: Set<EntryName> = []
    var existingEntry: Entry?
  }

  private func decide(on candidate: borrowing Candidate) throws -> Decision {
    var decision = Decision()
    guard let onConflict else { return decision }
    for name in conflicts(candidate, summaries(of: try directory.list().names)) {
      // Unreadable entries are listed too, so that the list equals the one computed under the lock.
      decision.conflicts.append(name)
      guard let record = try? directory.read(name) else { continue }
      let entry = entry(record)
      switch onConflict(entry, candidate.request) {
      case .keepBoth: break
      case .replace: decision.replaced.insert(name)
      case .drop: decision.existingEntry = entry
      }
    }
    return decision
  }

  private func conflicts(
    _ candidate: borrowing Candidate, _ summaries: [EntryName: Summary]
  ) -> [EntryName] {
    guard onConflict != nil else { return [] }
    return summaries.filter {
      $0.value.queue == candidate.queue && $0.value.resource == candidate.resource
        && $0.key.key != candidate.key
    }
    .keys.sortedByPositions(by: <)
  }

  /// Applies a decision, or returns `nil` if the conflicts have changed since then.
  private func add(
    _ candidate: borrowing Candidate, _ decision: borrowing Decision, at now: Date,
    _ lock: borrowing FileLock
  ) throws -> Entry? {
    let names = try directory.list().names
    if let same = names.first(where: { $0.key == candidate.key }) {
      do {
        if let record = try directory.read(same) { return entry(record) }
      } catch is CorruptEntryError {
        // The next replay moves it to quarantine. The new entry replaces it.
      }
    }
    var summaries = summaries(of: names)
    guard conflicts(candidate, summaries) == decision.conflicts else { return nil }
    if let existing = decision.existingEntry { return existing }
    for name in decision.replaced { summaries[name] = nil }
    if summaries.count >= limits.entries { try removeExpired(&summaries, at: now) }
    guard summaries.count < limits.entries else {
      throw NetworkError(
        .offlineStoreFull, "the limit of entries, \(limits.entries), is reached")
    }
    let number = max(try lock.number, names.last?.number ?? 0) + 1
    guard number <= EntryName.maximumNumber else {
      throw NetworkError(.offlineStoreFailed, "the store has no entry numbers left")
    }
    let name = EntryName(number: number, key: candidate.key)
    try lock.writeNumber(number)
    let (request, withheld) = candidate.request.removingCredentialHeaders()
    func add() throws -> (record: EntryRecord, byteCount: Int64)? {
      // Never subtracts more than there is, because the sum of the lengths may overflow.
      let freeBytes = summaries.values.reduce(limits.bytes) { $0 - min($1.byteCount, max($0, 0)) }
      return try directory.add(name, copying: request.files, limit: freeBytes) { copies in
        EntryRecord(
          number: number, key: candidate.key, queue: candidate.queue, baseURL: candidate.baseURL,
          request: request.replacingFiles { _, _ in URL(fileURLWithPath: "/") },
          withheld: withheld, inheritsDefaults: candidate.inheritsDefaults, created: now,
          expires: lifetime.map { now.addingTimeInterval($0 / .seconds(1)) }, attempts: 0,
          files: copies)
      }
    }
    var added = try add()
    if added == nil, try removeExpired(&summaries, at: now) { added = try add() }
    guard let added else {
      throw NetworkError(.offlineStoreFull, "the limit of \(limits.bytes) bytes would be exceeded")
    }
    self.summaries.withLock { [added] in
      $0[name] = Summary(
        queue: candidate.queue, resource: candidate.resource, byteCount: added.byteCount,
        lifespan: added.record.lifespan)
    }
    // Removed after the new entry is stored. If the process dies in between, both remain.
    for name in decision.replaced { _ = try? directory.remove(name) }
    return entry(added.record)
  }

  /// Removes expired entries to make room.
  ///
  /// - Returns: Whether an entry was removed.
  @discardableResult
  private func removeExpired(
    _ summaries: inout [EntryName: Summary], at now: Date
  ) throws -> Bool {
    let expired = summaries.filter { $0.value.lifespan?.isExpired(at: now) ?? false }.keys
    for name in expired {
      try directory.remove(name)
      summaries[name] = nil
    }
    return !expired.isEmpty
  }
}
