import CatenaSystem

/// A store of records in memory, which evicts the least recently used ones, and all of them under
/// memory pressure.
final class MemoryCacheStore: Sendable {
  let limits: HTTPCache.Limits
  let pressure = MemoryPressureObserver()
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var records = RecentlyUsed<CacheKey, CacheRecord>()
    /// The changes after which a record that was read from disk before is out of date.
    var changes = ChangeLog()
  }

  init(_ limits: HTTPCache.Limits) {
    self.limits = limits
    pressure.handle { [weak self] in self?.evictAll() }
  }

  /// The limit for one response: an eighth of the store.
  var maximumResponseSize: Int { limits.bytes / 8 }

  func record(for key: CacheKey) -> CacheRecord? { state.withLock { $0.records.use(key) } }

  func contains(_ key: CacheKey) -> Bool { state.withLock { $0.records.contains(key) } }

  /// The number of changes so far.
  var changeCount: Int { state.withLock { $0.changes.count } }

  /// Changes the record of a URL.
  ///
  /// A record without responses is removed, and one that exceeds the limits loses its oldest
  /// responses.
  ///
  /// - Parameters:
  ///   - key: The URL.
  ///   - change: A closure that changes the record. It runs under the lock.
  func update(_ key: CacheKey, _ change: (inout CacheRecord) -> Void) {
    update(key) { record, changes in
      changes.add(key)
      change(&record)
    }
  }

  /// Adds the responses of a record that was read from disk, unless the URL has changed since.
  ///
  /// - Parameters:
  ///   - read: The record.
  ///   - start: The number of changes before the record was read.
  func insert(_ read: CacheRecord, since start: Int) {
    update(read.key) { record, changes in
      guard !changes.contains(read.key, since: start) else { return }
      for response in read.responses {
        guard case .data = response.body, response.byteCount <= maximumResponseSize,
          !record.responses.contains(where: { $0.selector == response.selector })
        else { continue }
        record.insert(response)
      }
    }
  }

  private func update(
    _ key: CacheKey, _ change: (_ record: inout CacheRecord, _ changes: inout ChangeLog) -> Void
  ) {
    let evicted = state.withLock { state in
      let old = state.records.remove(key)
      var record = old ?? CacheRecord(key)
      change(&record, &state.changes)
      record.evict(downTo: limits.bytes)
      if !record.responses.isEmpty {
        state.records.insert(record, for: key, cost: record.byteCount)
      }
      return (old, state.records.evict(count: limits.entries, cost: limits.bytes))
    }
    // Released after unlocking.
    withExtendedLifetime(evicted) {}
  }

  /// Removes the responses that match a condition.
  func remove(where matches: (CacheKey, StoredResponse) -> Bool) {
    state.withLock { $0.changes.addAll() }
    for record in records where record.responses.contains(where: { matches(record.key, $0) }) {
      update(record.key) { $0.remove { matches(record.key, $0) } }
    }
  }

  /// Evicts all records.
  ///
  /// This is no change: a record that was read from disk before is still current.
  func evictAll() { _ = state.withLock { $0.records.evict(count: 0, cost: 0) } }

  /// The records, unordered.
  var records: [CacheRecord] { state.withLock { $0.records.values } }

  /// The size of the store.
  var size: (entries: Int, bytes: Int) { state.withLock { ($0.records.count, $0.records.cost) } }
}
