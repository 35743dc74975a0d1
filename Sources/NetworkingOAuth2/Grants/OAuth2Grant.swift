public import Foundation
import Networking
public import Promises

/// A grant of OAuth2: a way in which a client gets a token.
///
/// ```swift
/// try await session.signIn(.password(username: "ann@example.com", password: password)).value
/// let token = try await OAuth2Grant.clientCredentials.token(for: client).value
/// ```
///
/// A session stores the token of a grant and refreshes it. ``token(for:sessionConfiguration:configuration:)``
/// issues a token without a session. The description contains the name only.
public struct OAuth2Grant: Sendable, CustomStringConvertible, CustomReflectable {
  /// The name, for descriptions.
  public let name: String
  /// The owner of the tokens that the grant issues.
  public let level: TokenLevel
  let issue: @Sendable (_ context: OAuth2Context) -> Promise<OAuth2Token>

  /// Creates a grant.
  ///
  /// - Parameters:
  ///   - name: The name, for descriptions.
  ///   - level: The owner of the tokens.
  ///   - issue: A closure that starts the requests of the grant, for example with
  ///     ``OAuth2Context/requestToken(grantType:parameters:scope:)``. It runs on any thread, once
  ///     for each sign-in, and must not block.
  public init(
    _ name: String, level: TokenLevel = .user,
    issue: @escaping @Sendable (_ context: OAuth2Context) -> Promise<OAuth2Token>
  ) {
    self.name = name
    self.level = level
    self.issue = issue
  }

  /// Creates a grant of an asynchronous closure.
  init(
    _ name: String, level: TokenLevel = .user,
    asynchronous issue: @escaping @Sendable (_ context: OAuth2Context) async throws -> OAuth2Token
  ) {
    self.init(name, level: level) { context in
      // In this context, a scheduler with virtual time waits for the task.
      Promise.fulfilled(context).on(context.scheduler.context(for: .inline)).then { context in
        try await issue(context)
      }
    }
  }

  /// Issues a token, which is not stored.
  ///
  /// - Parameters:
  ///   - client: The registration of the app.
  ///   - sessionConfiguration: The transport of the requests.
  ///   - configuration: The configuration of the requests. Its `retry` is the policy for temporary
  ///     failures; without one there are three repetitions. Redirects and cookies are off.
  /// - Returns: A promise of the token. It is rejected with ``OAuth2Error`` or ``NetworkError``.
  ///   Cancelling it cancels the grant.
  public func token(
    for client: OAuth2Client, sessionConfiguration: SessionConfiguration = .default,
    configuration: NetworkingConfiguration = .default
  ) -> Promise<OAuth2Token> {
    issue(OAuth2Context(client, over: .session(sessionConfiguration), configuration))
  }

  /// Issues a token over a transport, which is not stored.
  ///
  /// - Parameters:
  ///   - client: The registration of the app.
  ///   - transport: The transport of the requests.
  ///   - configuration: The configuration of the requests. Its `retry` is the policy for temporary
  ///     failures; without one there are three repetitions. Redirects and cookies are off.
  /// - Returns: A promise of the token. It is rejected with ``OAuth2Error`` or ``NetworkError``.
  ///   Cancelling it cancels the grant.
  public func token(
    for client: OAuth2Client, transport: any Transport,
    configuration: NetworkingConfiguration = .default
  ) -> Promise<OAuth2Token> {
    issue(OAuth2Context(client, over: .transport(transport), configuration))
  }

  /// The name.
  public var description: String { "OAuth2Grant(\(name))" }

  /// A mirror with the name.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension OAuth2Grant {
  /// The grant of a user name and a password, for servers that allow no other.
  ///
  /// Source: RFC 6749 section 4.3.
  ///
  /// - Parameters:
  ///   - username: The name of the user.
  ///   - password: The password.
  ///   - scope: The scope to request. `nil` uses that of the client.
  /// - Returns: The grant.
  public static func password(username: String, password: String, scope: Set<String>? = nil)
    -> OAuth2Grant
  {
    OAuth2Grant("password") { context in
      context.requestToken(
        grantType: "password", parameters: ["username": username, "password": password],
        scope: scope)
    }
  }

  /// The grant of the client's own credentials.
  ///
  /// A session of the level `client` uses it automatically.
  ///
  /// Source: RFC 6749 section 4.4.
  public static let clientCredentials = clientCredentials()

  /// The grant of the client's own credentials, with parameters.
  ///
  /// - Parameters:
  ///   - scope: The scope to request. `nil` uses that of the client.
  ///   - parameters: Additional parameters.
  /// - Returns: The grant.
  public static func clientCredentials(
    scope: Set<String>? = nil, parameters: [String: String] = [:]
  ) -> OAuth2Grant {
    OAuth2Grant("client_credentials", level: .client) { context in
      context.requestToken(
        grantType: "client_credentials", parameters: parameters, scope: scope)
    }
  }

  /// The grant of a refresh token, for example one from another app of the user.
  ///
  /// A session uses it automatically.
  ///
  /// Source: RFC 6749 section 6.
  ///
  /// - Parameters:
  ///   - refreshToken: The refresh token.
  ///   - scope: A part of the original scope. `nil` requests the original one.
  /// - Returns: The grant.
  public static func refreshToken(_ refreshToken: String, scope: Set<String>? = nil) -> OAuth2Grant
  {
    OAuth2Grant("refresh_token") { context in
      context.requestToken(
        grantType: "refresh_token", parameters: ["refresh_token": refreshToken],
        scope: scope ?? []
      )
      // A server that rotates the token sends a new one.
      .map { token in
        var token = token
        token.refreshToken = token.refreshToken ?? refreshToken
        return token
      }
    }
  }

  /// An extension grant.
  ///
  /// Source: RFC 6749 section 4.5.
  ///
  /// - Parameters:
  ///   - type: The value of `grant_type`, such as a URI.
  ///   - level: The owner of the tokens.
  ///   - parameters: The other parameters.
  ///   - scope: The scope to request. `nil` uses that of the client.
  /// - Returns: The grant.
  public static func `extension`(
    _ type: String, level: TokenLevel = .user, parameters: [String: String],
    scope: Set<String>? = nil
  ) -> OAuth2Grant {
    OAuth2Grant("extension", level: level) { context in
      context.requestToken(grantType: type, parameters: parameters, scope: scope)
    }
  }

  /// The exchange of one token for another.
  ///
  /// The `issued_token_type` of the response is in ``OAuth2Token/other``. If the new token is not an
  /// access token, its ``OAuth2Token/type`` is `N_A`, and a session does not send it with requests.
  ///
  /// Source: RFC 8693 section 2.
  ///
  /// - Parameters:
  ///   - subject: The token of the user for whom the new one acts.
  ///   - subjectType: The type of `subject`.
  ///   - actor: The token of the party that acts. `nil` sends none.
  ///   - actorType: The type of `actor`.
  ///   - requestedType: The type of the new token. `nil` leaves it to the server.
  ///   - resource: The service that the new token is for. `nil` sends none.
  ///   - audience: The name of the service. `nil` uses that of the client.
  ///   - level: The owner of the new token.
  ///   - scope: The scope to request. `nil` uses that of the client.
  /// - Returns: The grant.
  public static func tokenExchange(
    _ subject: String, of subjectType: ExchangeTokenType = .accessToken, actor: String? = nil,
    of actorType: ExchangeTokenType = .accessToken, for requestedType: ExchangeTokenType? = nil,
    resource: URL? = nil, audience: String? = nil, level: TokenLevel = .user,
    scope: Set<String>? = nil
  ) -> OAuth2Grant {
    var parameters = ["subject_token": subject, "subject_token_type": subjectType.rawValue]
    if let actor {
      parameters["actor_token"] = actor
      parameters["actor_token_type"] = actorType.rawValue
    }
    parameters["requested_token_type"] = requestedType?.rawValue
    parameters["resource"] = resource?.absoluteString
    parameters["audience"] = audience
    return OAuth2Grant("token_exchange", level: level) { [parameters] context in
      context.requestToken(
        grantType: "urn:ietf:params:oauth:grant-type:token-exchange", parameters: parameters,
        scope: scope)
    }
  }
}
