import CatenaSystem
public import Foundation
import Networking

/// The registration of an app with an authorization server, and the URLs of the server.
///
/// ```swift
/// let client = OAuth2Client(
///   id: "shop-app", tokenURL: tokenURL, authorizationURL: authorizationURL, scope: ["orders"])
/// ```
///
/// A server that publishes its metadata fills in the URLs:
///
/// ```swift
/// let client = try await OAuth2Client(id: "shop-app", scope: ["orders"])
///   .discovering(issuer: issuer).value
/// ```
///
/// The description and the mirror do not contain the secret.
///
/// Source: RFC 6749 section 2.
public struct OAuth2Client: Sendable {
  /// The way in which the client authenticates itself to the token endpoint.
  ///
  /// Source: RFC 6749 section 2.3; OpenID Connect Core 1.0 section 9.
  public enum Authentication: Sendable {
    /// The identifier and the secret in an `Authorization` field.
    case basic
    /// The identifier and the secret in the form.
    case requestBody
    /// The identifier in the form, for a public client without a secret.
    case none
    /// Fields and parameters of a closure, such as a signed assertion.
    ///
    /// The closure receives the URL of each request. It runs on any thread and must not block.
    case custom(@Sendable (_ url: URL) throws -> ClientAuthentication)
  }

  /// The identifier of the client.
  public var id: String
  /// The secret of the client.
  ///
  /// `nil` for a public client.
  public var secret: String?
  /// The token endpoint.
  public var tokenURL: URL?
  /// The authorization endpoint, for the authorization code grant.
  public var authorizationURL: URL?
  /// The device authorization endpoint, for the device grant.
  public var deviceAuthorizationURL: URL?
  /// The revocation endpoint, for ``OAuth2Session/signOut(revoking:file:line:)``.
  public var revocationURL: URL?
  /// The introspection endpoint.
  public var introspectionURL: URL?
  /// The URL to which the server redirects the browser after a sign-in.
  ///
  /// `nil` uses a URL of the consent strategy, such as `http://127.0.0.1:41873/callback`.
  public var redirectURL: URL?
  /// The scope to request.
  ///
  /// Empty for the default scope of the server.
  public var scope: Set<String>
  /// The audience to request, a parameter that some servers need.
  ///
  /// `nil` sends none.
  public var audience: String?
  /// The way in which the client authenticates itself.
  public var authentication: Authentication
  /// The issuer, which the `iss` of redirects and of ID tokens must be equal to.
  ///
  /// `nil` compares none.
  public var issuer: String?
  /// Whether the server sends `iss` with every redirect, so that a redirect without it is refused.
  ///
  /// Source: RFC 9207.
  public var sendsIssuer = false
  /// Whether URLs of the server may be `http` on another machine.
  ///
  /// The default is `false`, because anybody on the way can read the tokens. `http` on the loopback
  /// addresses is always allowed.
  public var allowsInsecureURLs = false

  /// Creates a registration.
  ///
  /// - Parameters:
  ///   - id: The identifier of the client.
  ///   - secret: The secret of the client. `nil` for a public client.
  ///   - tokenURL: The token endpoint. `nil` if it is discovered later.
  ///   - authorizationURL: The authorization endpoint. `nil` if it is not used.
  ///   - redirectURL: The URL of the redirect. `nil` uses a URL of the consent strategy.
  ///   - scope: The scope to request.
  ///   - audience: The audience to request. `nil` sends none.
  ///   - authentication: The way in which the client authenticates itself. `nil` is ``Authentication/basic``
  ///     with a secret and ``Authentication/none`` without.
  public init(
    id: String, secret: String? = nil, tokenURL: URL? = nil, authorizationURL: URL? = nil,
    redirectURL: URL? = nil, scope: Set<String> = [], audience: String? = nil,
    authentication: Authentication? = nil
  ) {
    self.id = id
    self.secret = secret
    self.tokenURL = tokenURL
    self.authorizationURL = authorizationURL
    self.redirectURL = redirectURL
    self.scope = scope
    self.audience = audience
    self.authentication = authentication ?? (secret == nil ? .none : .basic)
  }
}

extension Set<String> {
  /// The scope as a parameter, or `nil` if it is empty.
  var parameter: String? { isEmpty ? nil : sorted().joined(separator: " ") }
}

extension OAuth2Client {
  /// Returns the additions of the client to a request.
  func authentication(for url: URL) throws -> ClientAuthentication {
    switch authentication {
    case .basic:
      return ClientAuthentication(headers: ["Authorization": basicValue])
    case .requestBody:
      var parameters = ["client_id": id]
      parameters["client_secret"] = secret
      return ClientAuthentication(parameters: parameters)
    case .none: return ClientAuthentication(parameters: ["client_id": id])
    case .custom(let make):
      var additions = try make(url)
      if additions.parameters["client_id"] == nil { additions.parameters["client_id"] = id }
      return additions
    }
  }

  /// The value of an `Authorization` field with the identifier and the secret.
  ///
  /// Both are encoded as in forms. Source: RFC 6749 section 2.3.1.
  var basicValue: String {
    let pair = "\(PercentEncoding.url.encoded(id)):\(PercentEncoding.url.encoded(secret ?? ""))"
    return "Basic \(Data(pair.utf8).base64EncodedString())"
  }

  /// Returns a URL of the server.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - name: The name of the endpoint, for the error.
  /// - Returns: The URL.
  /// - Throws: ``OAuth2Error`` if there is none, or if others could read the request.
  func endpoint(_ url: URL?, _ name: String) throws -> URL {
    guard let url else { throw OAuth2Error(.missingEndpoint, name) }
    let isLocal = ["127.0.0.1", "localhost", "[::1]", "::1"].contains(url.host?.lowercased() ?? "")
    switch url.scheme?.lowercased() {
    case "https": return url
    case "http" where isLocal || allowsInsecureURLs: return url
    default: throw OAuth2Error(.insecureURL, name)
    }
  }
}

extension OAuth2Client: BrieflyDescribed {
  /// The identifier.
  public var description: String { "OAuth2Client(\(id))" }

  /// A mirror without the secret.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "id": id, "hasSecret": secret != nil, "tokenURL": tokenURL as Any, "scope": scope,
        "issuer": issuer as Any,
      ])
  }
}

extension TokenKey {
  /// Creates the key of a client's token, which a session of the client uses.
  ///
  /// - Parameters:
  ///   - client: The registration of the app.
  ///   - level: The owner of the token.
  ///   - account: The name of the account.
  public init(for client: OAuth2Client, level: TokenLevel = .user, account: String = "") {
    self.init(
      clientID: client.id, server: client.tokenURL?.identifyingText ?? "",
      level: level, account: account)
  }
}
