public import Foundation
public import Networking
import Promises

/// The way in which a client sends the credentials of a session.
public enum AuthorizationType: Sendable, Hashable {
  /// The access token of the level.
  case bearer
  /// The identifier and the secret of the client, without a token.
  case basic
}

/// The credentials that a session provides to the authorization stage of a client.
final class OAuth2Authorization: CredentialProvider {
  let otherOrigins: [Origin]
  private let source: TokenSource
  /// The fixed value of the type `basic`.
  private let basicValue: String?
  private let rule: RejectionRule

  init(
    _ session: OAuth2Session, _ level: TokenLevel, _ type: AuthorizationType, _ rule: RejectionRule,
    _ otherOrigins: [Origin]
  ) {
    source = session.source(level)
    basicValue = type == .basic ? session.client.basicValue : nil
    self.rule = rule
    self.otherOrigins = otherOrigins
  }

  var currentValue: String? { basicValue ?? source.currentValue }

  var identity: String? { basicValue ?? source.identity }

  var userSession: UserSession { source.userSession }

  func loadIdentity() -> Promise<Void> { source.load() }

  func value() -> Promise<String> { Self.value(of: source.token()) }

  func isRejection(_ response: Response) -> Bool { basicValue == nil && rule.applies(response) }

  func value(replacing rejected: String) -> Promise<String>? {
    // Otherwise a request of one user would be sent with the token of another.
    guard let accessToken = Self.accessToken(rejected), source.isOfThisSignIn(accessToken) else {
      return nil
    }
    return Self.value(of: source.token(replacing: accessToken))
  }

  func noteRejection(of rejected: String) {
    if let accessToken = Self.accessToken(rejected) { source.reject(accessToken) }
  }

  private static func accessToken(_ value: String) -> String? {
    value.hasPrefix("Bearer ") ? String(value.dropFirst("Bearer ".count)) : nil
  }

  private static func value(of token: Promise<OAuth2Token>) -> Promise<String> {
    token.map { token in
      guard let value = token.authorizationValue else {
        throw OAuth2Error(.unsupportedTokenType)
      }
      return value
    }
  }
}

extension Networking {
  /// Sets the tokens of a session as the credentials of all requests to the origin of the base URL from
  /// now on.
  ///
  /// ```swift
  /// shop.authorize(with: session)
  /// catalogue.authorize(with: session, .client)
  /// ```
  ///
  /// - A request waits while the session refreshes its token, and fails with the error of the
  ///   refresh. Without a token it fails with the code `signInRequired` of ``OAuth2Error``, and is
  ///   not sent.
  /// - After a rejection the request is sent once more with a new token. The second response is
  ///   delivered. A body that cannot be sent again is not; the next request then has a new token.
  /// - The rules of ``authenticate(authorizationHeader:)`` about origins and users apply. A request
  ///   that is ``RequestOption/withoutCredentials`` or has an `Authorization` field is sent as it is.
  /// - Another call of this method replaces the session, and ends that of the user unless the new one
  ///   is the same.
  /// - `authenticate` sets credentials of the caller's own instead. A client has either. The first time
  ///   in a process that one is set over the other, a warning is written to standard error; a sign-out by
  ///   `authenticate(authorizationHeader: nil)` in between avoids it.
  ///
  /// - Parameters:
  ///   - session: The session. Several clients can have the same one.
  ///   - level: The owner of the tokens.
  ///   - type: The kind of the credentials.
  ///   - rule: The responses that mean that the server has rejected the token.
  ///   - origins: URLs of other origins that have the tokens, too.
  public func authorize(
    with session: OAuth2Session, _ level: TokenLevel = .user, _ type: AuthorizationType = .bearer,
    refreshingOn rule: RejectionRule = [401], alsoFor origins: [URL] = []
  ) {
    authenticate(
      by: OAuth2Authorization(session, level, type, rule, origins.compactMap { Origin($0) }))
  }
}
