#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension SessionConfiguration {
  /// Returns a ``URLSessionTransport`` on a copy of a Foundation configuration, private to the client.
  ///
  /// The client has a private ``HTTPCache`` in memory, and the policy of the configuration's
  /// `requestCachePolicy`, unless its own configuration has another one. It does not use `urlCache`.
  ///
  /// The client uses the cookie storage of the configuration, as ``CookiePolicy/storage(_:)``
  /// describes, unless the configuration disables sending or accepting cookies.
  /// ``URLSessionTransport`` documents how timeouts and other properties apply, which are ignored on
  /// Linux, and which methods of the delegate are called.
  ///
  /// Every request over the configuration of a background session is rejected with
  /// ``NetworkError/Code-swift.enum/unsupported``; the module `NetworkingTransfers` has such sessions.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - delegate: The delegate of the session. `nil` means none.
  /// - Returns: The configuration.
  public static func custom(
    _ configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil
  ) -> SessionConfiguration {
    SessionConfiguration(FoundationSession(configuration: configuration, delegate: delegate))
  }
}

/// The sessions of one configuration of Foundation.
private struct FoundationSession: SessionSource {
  let configuration: URLSessionConfiguration
  let delegate: (any URLSessionDelegate)?

  /// The failure of a background session, which the module `NetworkingTransfers` has.
  private var refusal: TransportFailure? {
    SessionTimeouts.refusal(ofSession: configuration.identifier)
  }

  func check() throws(NetworkError) {
    if let refusal { throw NetworkError(refusal.code, refusal.detail) }
  }

  func checkSupport(of tls: TLSOptions) throws(NetworkError) {
    try URLSessionTrust.requireSupport(of: tls)
  }

  func makeSession(_ tls: TLSOptions?, wallClock: @escaping @Sendable () -> Date) -> Session {
    if let refusal {
      return Session(
        performer: nil, transport: FailingTransport(refusal.code, reason: refusal.detail))
    }
    return Session(
      transport: URLSessionTransport(configuration, delegate, checked: tls ?? TLSOptions(), .live),
      cookies: configuration.effectiveCookieStorage.map(CookieJar.mirroring),
      cache: HTTPCache(), cachePolicy: Request.CachePolicy(configuration.requestCachePolicy))
  }
}

extension CookiePolicy {
  /// Returns the policy of a jar in memory that is connected to a Foundation storage.
  ///
  /// The jar begins with the cookies that the storage has when the first policy with this storage is
  /// made. From then on the requests of all clients with such a policy use the jar. Each change of the
  /// jar is copied to the storage, on a queue of the jar; ``CookieJar/synchronize()`` waits for it.
  /// Later changes of the storage by others are not noticed: use ``CookieJar/importCookies(from:)``
  /// with ``Networking/cookieJar``.
  ///
  /// - Parameter storage: The storage.
  /// - Returns: The policy.
  public static func storage(_ storage: HTTPCookieStorage) -> CookiePolicy {
    .jar(.mirroring(storage))
  }
}

extension Request.CachePolicy {
  /// Creates the policy that corresponds to one of Foundation.
  ///
  /// - Parameter policy: The policy of a `URLRequest` or a `URLSessionConfiguration`.
  public init(_ policy: URLRequest.CachePolicy) {
    switch policy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .reload
    case .returnCacheDataElseLoad: self = .preferCache
    case .returnCacheDataDontLoad: self = .onlyCache
    case .reloadRevalidatingCacheData: self = .revalidate
    case .useProtocolCachePolicy: self = .default
    @unknown default: self = .default
    }
  }
}
