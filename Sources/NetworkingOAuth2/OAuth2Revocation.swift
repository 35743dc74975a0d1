public import Foundation
import Networking
public import Promises

/// The state of a token by the authorization server.
///
/// Source: RFC 7662 section 2.2.
public struct TokenIntrospection: Sendable {
  /// Whether the token can be used.
  public let isActive: Bool
  /// The scope.
  ///
  /// `nil` if the server has not said.
  public let scope: Set<String>?
  /// The identifier of the client that the token was issued to.
  public let clientID: String?
  /// The name of the user.
  public let username: String?
  /// The time at which the token expires.
  public let expires: Date?
  /// All members of the response.
  public let members: JSON

  init(_ json: JSON) throws {
    guard let isActive = json["active"].bool else {
      throw OAuth2Error(.malformedResponse, "the response does not say whether the token is active")
    }
    self.isActive = isActive
    scope = json["scope"].string.map { Set($0.split(separator: " ").map(String.init)) }
    clientID = json["client_id"].string
    username = json["username"].string
    expires = json["exp"].double.map { Date(timeIntervalSince1970: $0) }
    members = json
  }
}

extension OAuth2Session {
  /// Asks the server about the state of a token.
  ///
  /// Source: RFC 7662.
  ///
  /// - Parameter token: The access token. `nil` is the current one of the user.
  /// - Returns: A promise of the state. It is rejected with ``OAuth2Error`` or ``NetworkError``.
  public func introspect(_ token: String? = nil) -> Promise<TokenIntrospection> {
    let context = context
    let value = token.map { Promise.fulfilled($0) } ?? self.token().map(\.accessToken)
    return value.then(on: .inline) { value in
      let url = try context.client.endpoint(
        context.client.introspectionURL, "the introspection endpoint")
      return context.post(["token": value, "token_type_hint": "access_token"], to: url)
    }
    .map { try TokenIntrospection($0) }
  }

  /// Revokes the refresh token, or the access token if there is none.
  ///
  /// A server that revokes a refresh token also revokes its access tokens.
  ///
  /// Source: RFC 7009 section 2.1.
  static func revoke(_ token: OAuth2Token, _ context: OAuth2Context) -> Promise<JSON> {
    firstly {
      let url = try context.client.endpoint(
        context.client.revocationURL, "the revocation endpoint")
      let form =
        if let refreshToken = token.refreshToken {
          ["token": refreshToken, "token_type_hint": "refresh_token"]
        } else {
          ["token": token.accessToken, "token_type_hint": "access_token"]
        }
      return context.post(form, to: url, requiresBody: false)
    }
  }
}
