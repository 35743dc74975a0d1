import CatenaSystem
public import Foundation

extension HTTPCache {
  /// A stored response, without its body.
  public struct Entry: Sendable, Hashable {
    /// The URL, without secrets.
    public let url: String
    /// The origin of the URL, such as `https://api.example.com`.
    public let origin: String
    /// The status.
    public let status: Int
    /// The number of bytes of the body.
    public let bodySize: Int
    /// The time at which the response was received, or validated for the last time.
    public let storedAt: Date
    /// The time at which the response becomes stale, by the rules without a caller's lifetime.
    public let expires: Date

    fileprivate init(_ key: CacheKey, _ stored: StoredResponse) {
      url = key.description
      origin = String(key.origin)
      status = stored.head.status
      bodySize = stored.body.count
      storedAt = stored.responseTime
      expires = stored.responseTime.addingTimeInterval(
        stored.rules.lifetime(or: nil) - stored.rules.initialAge)
    }
  }

  /// The size of a cache.
  public struct Usage: Sendable, Hashable {
    /// The number of URLs in memory.
    public var memoryEntries = 0
    /// The number of bytes in memory.
    public var memoryBytes = 0
    /// The number of URLs on disk.
    public var diskEntries = 0
    /// The number of bytes on disk.
    public var diskBytes = 0
    /// The number of responses that could not be written to disk since the cache was created.
    public var failedWrites = 0

    /// Creates an empty usage.
    public init() {}
  }

  /// Returns the stored responses, unordered.
  ///
  /// It reads every record, in the background.
  ///
  /// - Returns: An entry for each response. A response in memory and on disk has one entry.
  public func entries() async -> [Entry] {
    await flush()
    let found = Mutex<[String: Entry]>([:])
    @Sendable func add(_ record: CacheRecord, _ name: String) {
      found.withLock { found in
        for response in record.responses {
          found["\(name) \(response.selector)"] = Entry(record.key, response)
        }
      }
    }
    await diskStore?.forEach(removesUnreadable: false) { access in
      if let record = try? access.read(isUse: false) { add(record, access.name) }
    }
    for record in memory?.records ?? [] {
      add(record, CacheDigest.digest("url", record.key.text) ?? record.key.text)
    }
    return found.withLock { Array($0.values) }
  }

  /// Returns the size of the cache.
  ///
  /// It examines every file, in the background.
  ///
  /// - Returns: The size.
  public func usage() async -> Usage {
    await flush()
    var usage = Usage()
    if let size = memory?.size { (usage.memoryEntries, usage.memoryBytes) = size }
    if let diskStore {
      (usage.diskEntries, usage.diskBytes) = await diskStore.measure()
      usage.failedWrites = diskStore.failedWrites
    }
    return usage
  }

  /// Removes all responses of a URL.
  ///
  /// - Parameter url: The URL. A fragment is ignored.
  public func remove(_ url: URL) async {
    guard let key = CacheKey(url) else { return }
    invalidate(key, awaitedBy: .live)
    await flush()
  }

  /// Removes all responses of an origin.
  ///
  /// - Parameter origin: The scheme, host and port.
  public func remove(_ origin: Origin) async {
    let text = CacheKey.text(of: origin)
    await remove { key, _ in key.origin == text }
  }

  /// Removes the responses that were received, or validated for the last time, before a date.
  ///
  /// - Parameter date: The date.
  public func remove(storedBefore date: Date) async {
    await remove { _, response in response.responseTime < date }
  }

  /// Removes all responses.
  public func removeAll() async {
    await remove { _, _ in true }
  }

  private func remove(
    where matches: @escaping @Sendable (CacheKey, StoredResponse) -> Bool
  ) async {
    invalidateEverything()
    // A record that cannot be read may have responses to remove.
    await diskStore?.forEach(removesUnreadable: true) { access in
      access.update { record in record.remove { matches(access.key, $0) } }
    }
    // Afterwards, because a record that was read from disk before may have been added.
    memory?.remove(where: matches)
  }

  /// Waits until all responses so far are on disk.
  ///
  /// A response is written after its request has ended.
  public func flush() async { await diskStore?.flush() }
}
