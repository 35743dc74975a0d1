/// The type of a token in a token exchange.
///
/// Other types than the constants are URIs of the server: `ExchangeTokenType(rawValue: "urn:example:token")`.
///
/// Source: RFC 8693 section 3.
public struct ExchangeTokenType: RawRepresentable, Sendable, Hashable {
  /// The URI of the type.
  public var rawValue: String

  /// Creates a type.
  ///
  /// - Parameter rawValue: The URI of the type.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// An access token of OAuth2.
  public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
  /// A refresh token of OAuth2.
  public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
  /// An ID token of OpenID Connect.
  public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
  /// A JSON web token.
  public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
}
