import Foundation
import Mocking
import Networking

/// The settings of a ``MockAuthorizationServer``.
public struct AuthorizationServerSettings: Sendable {
  /// The registration of a client.
  ///
  /// Source: RFC 6749 section 2.1.
  public enum Client: Sendable, Hashable {
    /// A client without a secret, such as an app.
    case `public`
    /// A client with a secret, such as a service.
    case confidential(secret: String)

    /// The secret, or `nil` for a public client.
    var secret: String? {
      switch self {
      case .public: nil
      case .confidential(let secret): secret
      }
    }
  }

  /// The life of access tokens.
  public var accessTokenLife = Duration.seconds(3_600)
  /// The life of refresh tokens.
  ///
  /// `nil` means that they do not expire.
  public var refreshTokenLife: Duration?
  /// Whether a refresh uses the refresh token up and issues a new one.
  ///
  /// A refresh token that is used twice then revokes all tokens of its sign-in.
  public var rotatesRefreshTokens = true
  /// Whether the server issues refresh tokens to users.
  public var issuesRefreshTokens = true
  /// The life of authorization codes.
  public var codeLife = Duration.seconds(60)
  /// The life of device codes.
  public var deviceCodeLife = Duration.seconds(600)
  /// The interval in which a device asks for its token.
  public var deviceInterval = Duration.seconds(5)
  /// Whether the page of the authorization endpoint consents at once.
  ///
  /// Otherwise it responds with `access_denied`.
  public var consents = true
  /// The name of the user who consents.
  public var consentingUser = "ann"
  /// The clients, by their identifiers.
  public var clients: [String: Client] = [
    "app": .public, "service": .confidential(secret: "service-secret"),
  ]
  /// The names of the users and their passwords.
  public var users = ["ann": "ann-password"]

  /// Creates settings with the values above.
  public init() {}
}

extension AuthorizationServerSettings: BrieflyDescribed {
  /// The numbers of clients and users, without their secrets.
  public var description: String {
    "AuthorizationServerSettings(clients: \(clients.count), users: \(users.count))"
  }
}
