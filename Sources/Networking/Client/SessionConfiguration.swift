import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport, the cookies and the cache of a client.
public enum SessionConfiguration: Sendable {
  /// The platform's transport, shared by all clients with this configuration: `CurlTransport` on
  /// Linux, ``URLSessionTransport`` on Apple platforms.
  ///
  /// The cookies are those of ``CookieJar/shared``, in memory. The cache is ``HTTPCache/shared``, in
  /// memory and on disk.
  case `default`
  /// The platform's transport, a ``CookieJar`` and an ``HTTPCache`` in memory, private to the client.
  ///
  /// Nothing is written to disk.
  case ephemeral
  /// Background transfers.
  ///
  /// Not implemented on any platform yet.
  ///
  /// Every request is rejected with ``NetworkError/Code-swift.enum/unsupported``, except requests
  /// with the transport of a ``TransportProvider``.
  ///
  /// - Parameter identifier: The name of the session.
  case background(identifier: String)
  /// A ``URLSessionTransport`` on a copy of a Foundation configuration, private to the client.
  ///
  /// The client has a private ``HTTPCache`` in memory, and the policy of the configuration's
  /// `requestCachePolicy`, unless its own configuration has another one. It does not use `urlCache`.
  ///
  /// The client uses the cookie storage of the configuration, as ``CookiePolicy/storage(_:)``
  /// describes, unless the configuration disables sending or accepting cookies.
  /// ``URLSessionTransport`` documents how timeouts and other properties apply, which are ignored on
  /// Linux, and which methods of the delegate are called.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - delegate: The delegate of the session. `nil` means none.
  case custom(_ configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil)
}

/// The transport, the cookies and the cache of a client, as made from its ``SessionConfiguration``.
struct Session {
  let transport: any Transport
  /// The cookies.
  ///
  /// `nil` means none.
  let cookies: CookieJar?
  /// The cache.
  ///
  /// `nil` means none.
  let cache: HTTPCache?
  let cachePolicy: Request.CachePolicy

  init(
    transport: any Transport, cookies: CookieJar? = .shared, cache: HTTPCache? = nil,
    cachePolicy: Request.CachePolicy = .default
  ) {
    self.transport = transport
    self.cookies = cookies
    self.cache = cache
    self.cachePolicy = cachePolicy
  }

  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - wallClock: The clock of the jar, if it is private to the client.
  init(_ configuration: SessionConfiguration, wallClock: @escaping @Sendable () -> Date) {
    switch configuration {
    case .default: self.init(transport: Self.sharedTransport, cache: .shared)
    case .ephemeral:
      self.init(
        transport: Self.makeTransport(), cookies: CookieJar(wallClock: wallClock),
        cache: HTTPCache())
    case .background:
      self.init(
        transport: FailingTransport(.unsupported, reason: "Background sessions are not supported"),
        cookies: nil)
    case .custom(let configuration, let delegate):
      self.init(
        transport: URLSessionTransport(configuration: configuration, delegate: delegate),
        cookies: configuration.effectiveCookieStorage.map(CookieJar.mirroring),
        cache: HTTPCache(), cachePolicy: Request.CachePolicy(configuration.requestCachePolicy))
    }
  }

  /// The transport of all clients with the default configuration, so that they share connections.
  ///
  /// It is made outside of all scopes of virtual time, because it outlives them.
  private static let sharedTransport = HandlerScope.$current.withValue(nil) { makeTransport() }

  private static func makeTransport() -> any Transport {
    #if os(Linux)
      CurlTransport()
    #else
      URLSessionTransport()
    #endif
  }
}
