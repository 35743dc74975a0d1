extension Request {
  /// What becomes of a request for which there is no network.
  ///
  /// It is kept with the request, but clients do not act on it yet: without a network every request
  /// fails.
  public enum StorePolicy: String, Sendable, Hashable, Codable {
    /// It fails.
    case none
    /// It fails, and is kept to be sent when it is replayed.
    case offline
  }

  /// How a request uses the cache; the names are those of `fetch`.
  ///
  /// It is kept with the request, but clients do not act on it yet: they have no cache.
  ///
  /// Source: the Fetch Standard (WHATWG) section 2.2.5, cache mode.
  public enum CachePolicy: String, Sendable, Hashable, Codable {
    /// As HTTP says: what is fresh is taken from the cache, what is stale is asked for again.
    case `default`
    /// Neither taken from the cache nor put into it.
    case noStore
    /// Not taken from the cache, but put into it.
    case reload
    /// Always asked for, with the validators that the cache has.
    case noCache
    /// Taken from the cache, fresh or stale; asked for only when it is not there.
    case forceCache
    /// Taken from the cache, fresh or stale; fails when it is not there.
    case onlyIfCached
  }

  /// Which requests go first when several wait.
  public enum Priority: String, Sendable, Hashable, Codable, CaseIterable {
    /// After all others.
    case veryLow
    /// After the normal ones.
    case low
    /// As they come.
    case normal
    /// Before the normal ones.
    case high
    /// Before all others.
    case veryHigh
  }
}
