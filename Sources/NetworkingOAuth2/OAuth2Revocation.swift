import Foundation
import Networking
public import Promises

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
