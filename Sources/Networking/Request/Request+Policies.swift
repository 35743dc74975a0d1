extension Request {
  /// What becomes of a request for which there is no network.
  ///
  /// It makes no difference to downloads and streams, whose answers would have nowhere to go later.
  public enum StorePolicy: String, Sendable, Hashable, Codable {
    /// It fails.
    case none
    /// It fails, and is kept in the client's offline store, to be sent when that is replayed.
    ///
    /// - It is kept after all retries, when it has failed by a code that is
    ///   ``NetworkError/Code-swift.enum/isForWantOfNetwork``: no answer of the server's has come. A
    ///   status such as 503 is an answer, and what is cancelled is not kept.
    /// - Its promise is rejected once it is on the disk, with the error that it failed with, whose
    ///   ``NetworkError/isKept`` is true; or with `offlineStoreFull` or `offlineStoreFailed`, and then
    ///   nothing of it is kept.
    /// - A request with a field in its query, JSON or form that goes by a secret's name, such as `password`, is not
    ///   kept unless the store ``OfflineStore/keepsSecrets``; it fails as without a policy, and the error's
    ///   ``NetworkError/reason`` names the field.
    /// - It arrives at least once, so it has an `Idempotency-Key` from its first attempt on, which the
    ///   replay sends too; and with that it is retried whatever its method.
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
