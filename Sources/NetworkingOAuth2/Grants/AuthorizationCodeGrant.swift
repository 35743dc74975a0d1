import Foundation
import Promises

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCatena
#endif

extension OAuth2Grant {
  /// The grant of an authorization code: the user signs in on a page of the server.
  ///
  /// ```swift
  /// try await session.signIn(.authorizationCode(.browser)).value
  /// ```
  ///
  /// - Every request has a proof key with S256 and a random `state`, and one of OpenID Connect (the
  ///   scope `openid`) a `nonce`. The redirect, its `iss`, and the `nonce`, `aud` and `iss` of the ID
  ///   token are compared.
  /// - The signature of the ID token is not verified, because the token endpoint is authenticated by
  ///   TLS (OpenID Connect Core 1.0 section 3.1.3.7).
  ///
  /// Source: RFC 6749 section 4.1; RFC 7636; RFC 9207.
  ///
  /// - Parameters:
  ///   - strategy: The way to show the page.
  ///   - scope: The scope to request. `nil` uses that of the client.
  ///   - parameters: Additional parameters of the page, such as `prompt`. They do not replace those
  ///     of the grant.
  ///   - timeLimit: The time for the user. On timeout the promise is rejected with the code
  ///     `consentTimedOut` of ``OAuth2Error``.
  /// - Returns: The grant.
  public static func authorizationCode(
    _ strategy: some ConsentStrategy, scope: Set<String>? = nil, parameters: [String: String] = [:],
    timeLimit: Duration = .seconds(600)
  ) -> OAuth2Grant {
    OAuth2Grant("authorization_code") { context in
      firstly {
        let exchange = try CodeExchange(context.client, scope: scope, parameters)
        let inline = context.scheduler.context(for: .inline)
        let consent = Promise.fulfilled(exchange.request).on(inline).then { request in
          try await strategy.consent(to: request)
        }
        return consent.timeout(timeLimit, scheduler: context.scheduler)
          .recover(on: .inline) { error -> ConsentResponse in
            guard let error = error as? PromiseError, case .timedOut = error else { throw error }
            throw OAuth2Error(.consentTimedOut)
          }
          .then(on: .inline) { response in try exchange.token(for: response, context) }
      }
    }
  }
}

/// The secrets of one authorization code grant, and its second half.
private struct CodeExchange: Sendable {
  let request: ConsentRequest
  private let scope: Set<String>
  private let verifier: String
  private let nonce: String?

  init(_ client: OAuth2Client, scope: Set<String>?, _ additional: [String: String]) throws {
    let scope = scope ?? client.scope
    let page = try client.endpoint(client.authorizationURL, "the authorization endpoint")
    let verifier = RandomBytes.make(32).base64URLEncoded
    let nonce = scope.contains("openid") ? RandomBytes.make(24).base64URLEncoded : nil
    var parameters = [
      "response_type": "code", "client_id": client.id,
      "code_challenge": try ProofKey.challenge(verifier), "code_challenge_method": "S256",
    ]
    parameters["scope"] = scope.parameter
    parameters["audience"] = client.audience
    parameters["nonce"] = nonce
    parameters.merge(additional) { own, _ in own }
    for reserved in ["state", "redirect_uri"] { parameters[reserved] = nil }
    request = ConsentRequest(
      page, redirectURL: client.redirectURL, state: RandomBytes.make(24).base64URLEncoded,
      parameters: parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    self.scope = scope
    self.verifier = verifier
    self.nonce = nonce
  }

  /// Exchanges the code for a token.
  func token(for response: ConsentResponse, _ context: OAuth2Context) throws -> Promise<OAuth2Token>
  {
    let client = context.client
    let code = try AuthorizationResponse(response.url).code(state: request.state, of: client)
    return context.requestToken(
      grantType: "authorization_code",
      parameters: [
        "code": code, "redirect_uri": response.redirectURL.absoluteString,
        "code_verifier": verifier,
      ], authorized: scope
    )
    .map { token in
      // Without `openid` the ID token is not the client's, and is only passed on.
      if let nonce {
        try IDTokenClaims.check(token.idToken, client, nonce: nonce, at: context.wallClock())
      }
      return token
    }
  }
}

/// The proof key of an authorization code.
package enum ProofKey {
  /// Returns the challenge of a verifier by the method S256.
  ///
  /// Source: RFC 7636 section 4.2.
  package static func challenge(_ verifier: String) throws -> String {
    #if canImport(CryptoKit)
      return Data(SHA256.hash(data: Data(verifier.utf8))).base64URLEncoded
    #else
      var output = [UInt8](repeating: 0, count: Int(CATENA_HASH_SIZE))
      let size = catena_hash(.SHA256, Array(verifier.utf8), verifier.utf8.count, &output)
      guard size == 32 else { throw OAuth2Error(.cryptographyUnavailable) }
      return Data(output.prefix(size)).base64URLEncoded
    #endif
  }
}

extension Data {
  /// The bytes in base64url without padding.
  ///
  /// Source: RFC 4648 section 5.
  package var base64URLEncoded: String {
    base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  /// Creates the bytes of a text in base64url without padding.
  init?(base64URLEncoded text: some StringProtocol) {
    var text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(
      of: "_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    self.init(base64Encoded: text)
  }
}
