/// The cache of a client, and its use.
///
/// ```swift
/// configuration.caching.storage = .none                       // no cache
/// configuration.caching.lifetime = .seconds(60)               // for servers that declare none
/// configuration.caching.staleWhenOffline = .seconds(86_400)   // yesterday's response is fine
/// ```
public struct CachingConfiguration: Sendable {
  /// The storage of a client's responses.
  public enum Storage: Sendable {
    /// The cache of the client's ``SessionConfiguration``.
    ///
    /// It is ``HTTPCache/shared`` for `default`, and a cache in memory, private to the client, for
    /// `ephemeral` and `custom`. A client on a custom transport has no cache.
    case session
    /// No cache.
    ///
    /// Requests are sent, and responses are delivered, without any change.
    case none
    /// A cache, which several clients can use.
    case cache(HTTPCache)
  }

  /// The storage.
  public var storage = Storage.session
  /// The policy of requests whose own one is ``Request/CachePolicy-swift.enum/default``.
  public var policy = Request.CachePolicy.default
  /// The lifetime of responses whose server declares none.
  ///
  /// `nil`, the default, uses the rules: a tenth of the time since `Last-Modified`, at most a week.
  /// ``Request/cacheLifetime`` overrides it.
  public var lifetime: Duration?
  /// The accepted staleness of a response when the request fails for lack of a network.
  ///
  /// `nil`, the default, fails the request, unless the server allows a stale response with
  /// `stale-if-error`. Responses with `must-revalidate` or `no-cache` are never served in this way.
  public var staleWhenOffline: Duration?
  /// Whether responses of mocks in memory and of recordings are cached.
  ///
  /// The default is `false`, so that each request of a test reaches its mock. A mock server on a
  /// socket is a server like all others.
  public var includesMocks = false

  /// Creates a configuration with the values above.
  public init() {}

  /// Returns the cache of a client.
  ///
  /// - Parameter sessionCache: The cache of the client's session.
  /// - Returns: The cache, or `nil` if responses are not cached.
  func cache(orOfSession sessionCache: HTTPCache?) -> HTTPCache? {
    switch storage {
    case .session: sessionCache
    case .none: nil
    case .cache(let cache): cache
    }
  }
}
