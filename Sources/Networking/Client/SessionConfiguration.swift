package import Foundation
import Promises

/// The transport, the cookies and the cache of a client.
///
/// The module `NetworkingTransfers` adds background sessions.
public struct SessionConfiguration: Sendable {
  private let source: any SessionSource
  /// The TLS settings, with a transport that is private to the client.
  ///
  /// `nil` if the client has those of the source.
  private(set) var tls: TLSOptions?

  /// Makes a configuration.
  ///
  /// - Parameter source: The maker of the session.
  package init(_ source: any SessionSource) { self.source = source }

  /// The platform's transport, shared by all clients with this configuration: `CurlTransport` on
  /// Linux, ``URLSessionTransport`` on Apple platforms and in a build without libcurl.
  ///
  /// The cookies are those of ``CookieJar/shared``, in memory. The cache is ``HTTPCache/shared``, in
  /// memory and on disk.
  public static let `default` = SessionConfiguration(BuiltInSession.default)
  /// The platform's transport, a ``CookieJar`` and an ``HTTPCache`` in memory, private to the client.
  ///
  /// Nothing is written to disk.
  public static let ephemeral = SessionConfiguration(BuiltInSession.ephemeral)

  /// Makes the session of a client.
  func makeSession(wallClock: @escaping @Sendable () -> Date) -> Session {
    source.makeSession(tls, wallClock: wallClock)
  }
}

extension SessionConfiguration {
  /// Returns the configuration with another trust in servers.
  ///
  /// The client has a transport of its own then: connections are not shared with other clients, and
  /// neither are TLS sessions on a `CurlTransport`. On Apple platforms the sessions belong to the
  /// process; see ``URLSessionTransport``. The cookies remain those of this configuration. The cache is in
  /// memory, and private to the client.
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
    try secured(trust: trust)
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
    let identities = hosts.map { (hosts: $0, identity: identity) }
    return try secured(
      identities: ClientIdentities((tls?.identities.identities ?? []) + identities))
  }

  private func secured(
    trust: ServerTrust? = nil, identities: ClientIdentities? = nil
  ) throws(NetworkError) -> SessionConfiguration {
    let tls = tls ?? TLSOptions()
    return try secured(
      with: TLSOptions(
        trust: trust ?? tls.trust, identities: identities ?? tls.identities,
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
    try source.checkSupport(of: tls)
    return copy(of: self) { $0.tls = tls }
  }

  /// Returns the configuration if the platform supports it.
  ///
  /// ```swift
  /// let networking = try Networking<FilmsAPI>(
  ///   sessionConfiguration: .background(identifier: "films").checked())
  /// ```
  ///
  /// - Returns: The configuration, unchanged.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/unsupported`` for a
  ///   background session on a platform without them, with an empty identifier, or that is made by
  ///   ``custom(_:delegate:)``.
  public func checked() throws(NetworkError) -> SessionConfiguration {
    try source.check()
    return self
  }
}

/// A maker of the sessions of clients with one ``SessionConfiguration``.
package protocol SessionSource: Sendable {
  /// Throws ``NetworkError`` with the code ``NetworkError/Code-swift.enum/unsupported`` if the platform
  /// does not support the sessions.
  func check() throws(NetworkError)

  /// Throws ``NetworkError`` with the code ``NetworkError/Code-swift.enum/unsupported`` if the sessions do
  /// not support TLS settings.
  func checkSupport(of tls: TLSOptions) throws(NetworkError)

  /// Makes the session of a client.
  ///
  /// - Parameters:
  ///   - tls: The TLS settings of a transport that is private to the client. `nil` means the default.
  ///   - wallClock: The clock of the client.
  /// - Returns: The session.
  func makeSession(_ tls: TLSOptions?, wallClock: @escaping @Sendable () -> Date) -> Session
}

/// The sessions with the transport of the platform.
private enum BuiltInSession: SessionSource {
  case `default`
  case ephemeral

  func check() {}

  func checkSupport(of tls: TLSOptions) {}

  func makeSession(_ tls: TLSOptions?, wallClock: @escaping @Sendable () -> Date) -> Session {
    switch self {
    case .default:
      // Responses that were received with another trust are not for this client.
      Session(
        transport: tls.map(PlatformTransport.make) ?? Session.sharedTransport,
        cache: tls == nil ? .shared : HTTPCache())
    case .ephemeral:
      Session(
        transport: PlatformTransport.make(tls ?? TLSOptions()),
        cookies: CookieJar(wallClock: wallClock), cache: HTTPCache())
    }
  }
}

/// The transport, the cookies and the cache of a client, as made from its ``SessionConfiguration``.
package struct Session {
  let transport: any Transport
  /// The cookies.
  ///
  /// `nil` means none.
  private(set) var cookies: CookieJar? = .shared
  /// The cache.
  ///
  /// `nil` means none.
  private(set) var cache: HTTPCache?
  private(set) var cachePolicy = Request.CachePolicy.default
  /// The performer of the client's calls.
  ///
  /// `nil` if the stages perform them over the transport.
  private(set) var performer: (any CallPerformer)?
}

extension Session {
  /// Makes a session without cookies and a cache.
  ///
  /// - Parameters:
  ///   - performer: The performer of the client's calls. `nil` if each of them fails.
  ///   - transport: The transport for requests that a provider of transports passes on, which is also
  ///     that of all requests without a performer.
  package init(performer: (any CallPerformer)?, transport: FailingTransport) {
    self.init(transport: transport, cookies: nil, performer: performer)
  }

  /// The transport of all clients with the default configuration, so that they share connections.
  ///
  /// It is made outside of all scopes of virtual time, because it outlives them.
  static let sharedTransport = HandlerScope.outside { PlatformTransport.make() }
}

extension Networking {
  /// Replaces the TLS settings of the client, for example after pins have been rotated.
  ///
  /// Requests that start later open connections under the new settings. Connections and TLS sessions
  /// under the former ones are not used any more: idle ones close at once, others after the requests on
  /// them have ended. The responses in the cache of the client's session are removed.
  ///
  /// - Parameter tls: The new settings.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/unsupported`` if the client
  ///   has no transport of its own, or one whose settings cannot be replaced. A client has one of its
  ///   own if its session configuration is ``SessionConfiguration/ephemeral`` or has TLS settings.
  public func setTLS(_ tls: TLSOptions) throws(NetworkError) {
    guard let replaceTLS = transports.own.traits?.replaceTLS else {
      throw NetworkError(
        .unsupported, "the TLS settings of the client's transport cannot be replaced")
    }
    guard transports.own.transport as AnyObject !== Session.sharedTransport as AnyObject else {
      throw NetworkError(
        .unsupported,
        "the transport of the client is shared; give its session configuration TLS settings")
    }
    replaceTLS(tls)
    // The responses were received under the former trust, and those that are on the way were requested
    // with the former identity.
    runner.cache?.invalidateEverything()
    runner.privateCache?.memory?.remove { _, _ in true }
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
