import Foundation
import Networking
import NetworkingOAuth2

/// The servers that the app works with, as clients that are ready to send requests.
public struct Backend: Sendable {
  let networking: Networking<BoardsAPI>
  let session: OAuth2Session
  /// The way to show the sign-in page.
  let consent: any ConsentStrategy
  let cache: HTTPCache

  init(
    networking: Networking<BoardsAPI>, session: OAuth2Session, consent: any ConsentStrategy,
    cache: HTTPCache
  ) {
    self.networking = networking
    self.session = session
    self.consent = consent
    self.cache = cache
    networking.authorize(with: session)
  }

  /// The redirect URL; the web session of the system receives it, without an entry in `Info.plist`.
  static let redirectURL = URL(string: "com.example.boards:/callback")

  /// The settings of the client, which the demo shares.
  static func configuration(cache: HTTPCache) -> NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.callTimeout = .seconds(30)
    configuration.retry = .exponential(initial: .seconds(1), limit: 2)
    configuration.whenUnreachable = .fail
    configuration.replaysWhenReachable = true
    configuration.caching.storage = .cache(cache)
    configuration.caching.staleWhenOffline = .seconds(7 * 24 * 3_600)
    return configuration
  }
}

extension Backend {
  /// Returns the real servers.
  ///
  /// - Parameters:
  ///   - tokens: The store of the tokens.
  ///   - consent: The way to show the sign-in page.
  /// - Returns: The backend.
  public static func live(
    tokens: some TokenStoring = defaultTokens, consent: some ConsentStrategy = .browser
  ) -> Backend {
    var client = OAuth2Client(
      id: "boards-app", tokenURL: URL(string: "https://login.example.com/token"),
      authorizationURL: URL(string: "https://login.example.com/authorize"), scope: ["boards"])
    client.redirectURL = redirectURL
    return Backend(
      networking: Networking(configuration: configuration(cache: .shared)),
      session: OAuth2Session(client, store: tokens), consent: consent, cache: .shared)
  }

  #if canImport(Security)
    /// The keychain of the system.
    public static var defaultTokens: some TokenStoring { .keychain(service: "com.example.boards") }
  #else
    /// The memory, because there is no keychain.
    public static var defaultTokens: some TokenStoring { .memory }
  #endif
}
