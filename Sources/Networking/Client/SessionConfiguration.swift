import Promises

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The transport, the cookies and the cache of a client.
public enum SessionConfiguration: Sendable {
  /// The platform's transport, shared by all clients with this configuration: `CurlTransport` on
  /// Linux, ``URLSessionTransport`` on Apple platforms and in a build without libcurl.
  ///
  /// The cookies are those of ``CookieJar/shared``, in memory. The cache is ``HTTPCache/shared``, in
  /// memory and on disk.
  case `default`
  /// The platform's transport, a ``CookieJar`` and an ``HTTPCache`` in memory, private to the client.
  ///
  /// Nothing is written to disk.
  case ephemeral
  /// A background session of the system: downloads to files and uploads of files go on while the
  /// program is suspended, and after the system has terminated it.
  ///
  /// Only on Apple platforms. Elsewhere every request is rejected with
  /// ``NetworkError/Code-swift.enum/unsupported``, because the initializer of a client does not throw;
  /// ``checked()`` reports it before the client is made. Mocks do not need the session, so that
  /// tests run on every platform.
  ///
  /// - **Requests.** `download(_:to:)`, and the request of `Request.upload(file:to:)`. All others are
  ///   rejected with ``NetworkError/Code-swift.enum/unsupported`` and the alternative: bodies in memory,
  ///   forms and streams, downloads with a body, responses without an upload or a file, transfers that
  ///   can be paused, compression, a time limit of a request, ``Networking/hopInterceptors``, and the
  ///   store policy `offline`.
  /// - **Client.** ``Networking/beforeEach``, ``Networking/middleware``,
  ///   ``Networking/preProcessRequest``, ``Networking/interceptors`` and credentials apply when a request
  ///   starts. What an interceptor does with a response, such as a retry, applies only in the run of
  ///   the program that has made the request. There are no cookies, caches, retry policies, redirect
  ///   policies, circuit breakers and deadlines of the client: the system retries and follows redirects.
  ///   Its only limit is `timeoutIntervalForResource`, a week unless a ``custom(_:delegate:)``
  ///   configuration changes it. The mode of the client does not limit the number of transfers.
  /// - **Redirects.** The system removes `Authorization` at a redirect to another origin, and keeps other
  ///   fields. Do not send secrets in other fields to a server that redirects to others.
  /// - **Relaunch.** ``Networking/handleBackgroundEvents(identifier:file:line:)`` and the guide about
  ///   uploads and downloads describe how transfers of an earlier run are found again.
  /// - **Other tasks.** A task of the session that this module has not made is cancelled, because no
  ///   call could find it.
  /// - **Sharing.** All clients of the process with one identifier share the session, with the settings
  ///   of the first client. If another one has other ``TLSOptions``, its requests are rejected with
  ///   ``NetworkError/Code-swift.enum/unsupported``. The session lives as long as the process.
  ///
  /// A ``custom(_:delegate:)`` configuration of `URLSessionConfiguration.background(withIdentifier:)`
  /// also makes such a session, with its `isDiscretionary`, `allowsCellularAccess`,
  /// `sharedContainerIdentifier` and so on.
  ///
  /// - Parameter identifier: The name of the session, which is the same in each run of the program.
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
  /// Another configuration with TLS settings, and a transport that is private to the client.
  ///
  /// ``trusting(_:)`` and ``identifying(as:to:)`` make it.
  ///
  /// - Parameters:
  ///   - configuration: The other configuration.
  ///   - tls: The TLS settings.
  indirect case secured(_ configuration: SessionConfiguration, _ tls: TLSOptions)
}

extension SessionConfiguration {
  /// Returns the configuration with another trust in servers.
  ///
  /// The client has a transport of its own then: connections and TLS sessions are not shared with other
  /// clients. The cookies remain those of this configuration. The cache is in memory, and private to
  /// the client.
  ///
  /// ```swift
  /// let networking = try Networking<BoardsAPI>(
  ///   sessionConfiguration: .default.trusting(["api.example.com": .pinnedKeys([current, backup])]))
  /// ```
  ///
  /// - Parameter trust: The trust in servers.
  /// - Returns: The configuration.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidTLSOptions`` and the
  ///   name of an item that cannot be used, or ``NetworkError/Code-swift.enum/unsupported``.
  public func trusting(_ trust: ServerTrust) throws(NetworkError) -> SessionConfiguration {
    try secured(
      with: TLSOptions(
        trust: trust, identities: tls.identities, minimumVersion: tls.minimumVersion,
        maximumVersion: tls.maximumVersion, wallClock: tls.compiled.wallClock))
  }

  /// Returns the configuration with an identity for some hosts, in addition to those for other hosts.
  ///
  /// - Parameters:
  ///   - identity: The identity.
  ///   - hosts: The hosts that receive it.
  /// - Returns: The configuration.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidTLSOptions`` and the
  ///   name of an item that cannot be used, or ``NetworkError/Code-swift.enum/unsupported``.
  public func identifying(
    as identity: ClientIdentity, to hosts: HostPattern...
  ) throws(NetworkError) -> SessionConfiguration {
    let identities = tls.identities.identities + hosts.map { (hosts: $0, identity: identity) }
    return try secured(
      with: TLSOptions(
        trust: tls.trust, identities: ClientIdentities(identities),
        minimumVersion: tls.minimumVersion, maximumVersion: tls.maximumVersion,
        wallClock: tls.compiled.wallClock))
  }

  /// Returns the configuration with TLS settings in place of its own.
  ///
  /// - Parameter tls: The settings.
  /// - Returns: The configuration.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/unsupported`` if the
  ///   transport of the configuration does not support them: on Linux, background sessions and the
  ///   sessions of Foundation.
  public func secured(with tls: TLSOptions) throws(NetworkError) -> SessionConfiguration {
    switch self {
    case .default, .ephemeral: return .secured(self, tls)
    case .custom:
      try URLSessionTrust.requireSupport(of: tls)
      return .secured(self, tls)
    case .background: return .secured(try checked(), tls)
    case .secured(let configuration, _): return try configuration.secured(with: tls)
    }
  }

  /// Returns the configuration if the platform supports it.
  ///
  /// ```swift
  /// let networking = try Networking<FilmsAPI>(
  ///   sessionConfiguration: .background(identifier: "films").checked())
  /// ```
  ///
  /// - Returns: The configuration, unchanged.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/unsupported`` for
  ///   ``background(identifier:)`` on a platform without background sessions, or with an empty
  ///   identifier.
  public func checked() throws(NetworkError) -> SessionConfiguration {
    switch self {
    case .default, .ephemeral, .custom: return self
    case .background(let identifier):
      guard Self.supportsBackgroundSessions else {
        throw NetworkError(.unsupported, Self.backgroundRefusal)
      }
      if identifier.isEmpty {
        throw NetworkError(.unsupported, "missing identifier")
      }
      return self
    case .secured(let configuration, let tls): return .secured(try configuration.checked(), tls)
    }
  }

  /// Whether the platform has background sessions: `true` on Apple platforms.
  public static var supportsBackgroundSessions: Bool {
    #if canImport(FoundationNetworking)
      false
    #else
      true
    #endif
  }

  /// The reason of the error on a platform without background sessions.
  static let backgroundRefusal =
    "The platform has no background sessions: use another session, and resumable transfers"

  private var tls: TLSOptions {
    if case .secured(_, let tls) = self { tls } else { TLSOptions() }
  }
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
  ///   - tls: The TLS settings of a transport that is private to the client. `nil` means the default.
  init(
    _ configuration: SessionConfiguration, wallClock: @escaping @Sendable () -> Date,
    tls: TLSOptions? = nil
  ) {
    switch configuration {
    case .secured(let configuration, let tls):
      self.init(configuration, wallClock: wallClock, tls: tls)
    case .default:
      // Responses that were received with another trust are not for this client.
      self.init(
        transport: tls.map(PlatformTransport.make) ?? Self.sharedTransport,
        cache: tls == nil ? .shared : HTTPCache())
    case .ephemeral:
      self.init(
        transport: PlatformTransport.make(tls ?? TLSOptions()),
        cookies: CookieJar(wallClock: wallClock), cache: HTTPCache())
    case .background(let identifier):
      self.init(
        transport: Self.backgroundTransport(identifier, tls ?? TLSOptions()), cookies: nil)
    case .custom(let configuration, let delegate):
      self.init(
        transport: URLSessionTransport(
          configuration, delegate, checked: tls ?? TLSOptions(), .live),
        cookies: configuration.effectiveCookieStorage.map(CookieJar.mirroring),
        cache: HTTPCache(), cachePolicy: Request.CachePolicy(configuration.requestCachePolicy))
    }
  }

  /// The transport of all clients with the default configuration, so that they share connections.
  ///
  /// It is made outside of all scopes of virtual time, because it outlives them.
  static let sharedTransport = HandlerScope.outside { PlatformTransport.make() }

  private static func backgroundTransport(
    _ identifier: String, _ tls: TLSOptions
  ) -> any Transport {
    FailingTransport(.unsupported, reason: SessionConfiguration.backgroundRefusal)
  }
}

/// The default transport of the platform.
package enum PlatformTransport {
  /// Makes a `CurlTransport` on Linux, and a ``URLSessionTransport`` on Apple platforms and in a build
  /// without libcurl.
  ///
  /// - Parameter tls: The TLS settings, which the platform supports.
  /// - Returns: The transport.
  package static func make(_ tls: TLSOptions = TLSOptions()) -> any Transport {
    #if CATENA_CURL
      CurlTransport(options: .init(tls: tls))
    #else
      URLSessionTransport(nil, nil, checked: tls, .live)
    #endif
  }
}
