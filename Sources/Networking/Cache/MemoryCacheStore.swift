import Synchronization

/// A store of records in memory, which evicts the least recently used ones.
final class MemoryCacheStore: Sendable {
  let limits: HTTPCache.Limits
  private let state = Mutex(RecentlyUsed<CacheKey, CacheRecord>())

  init(_ limits: HTTPCache.Limits) {
    self.limits = limits
  }

  /// The limit for one response: an eighth of the store.
  var maximumResponseSize: Int { limits.bytes / 8 }

  func record(for key: CacheKey) -> CacheRecord? {
    state.withLock { $0.use(key) }
  }

  /// Changes the record of a URL.
  ///
  /// A record without responses is removed.
  ///
  /// - Parameters:
  ///   - key: The URL.
  ///   - change: A closure that changes the record. It runs under the lock.
  func update(_ key: CacheKey, _ change: (inout CacheRecord) -> Void) {
    let evicted = state.withLock { records in
      let old = records.remove(key)
      var record = old ?? CacheRecord(key)
      change(&record)
      let count = record.byteCount
      if !record.responses.isEmpty, count <= limits.bytes {
        _ = records.insert(record, for: key, cost: count)
      }
      return (old, records.evict(count: limits.entries, cost: limits.bytes))
    }
    // Released after unlocking.
    withExtendedLifetime(evicted) {}
  }

  /// Removes the responses that match a condition.
  func remove(where matches: (CacheKey, StoredResponse) -> Bool) {
    for record in records {
      let selectors = record.responses.filter { matches(record.key, $0) }.map(\.selector)
      guard !selectors.isEmpty else { continue }
      update(record.key) { record in
        for selector in selectors { _ = record.remove(selector) }
      }
    }
  }

  /// The records, unordered.
  var records: [CacheRecord] { state.withLock { $0.values } }

  /// The size of the store.
  var size: (entries: Int, bytes: Int) { state.withLock { ($0.count, $0.cost) } }
}
