import Foundation
import Networking
import Promises

/// The claims of an ID token, whose signature is not verified.
///
/// Source: OpenID Connect Core 1.0 sections 2, 3.1.3.7 and 12.2.
struct IDTokenClaims {
  private let claims: JSON

  /// Reads the claims.
  ///
  /// - Throws: ``OAuth2Error`` with the code `malformedResponse` if the text is not an ID token.
  private init(_ idToken: String) throws {
    let parts = idToken.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Data(base64URLEncoded: parts[1]),
      let claims = try? JSON(parsing: payload)
    else { throw OAuth2Error(.malformedResponse, "the ID token cannot be read") }
    self.claims = claims
  }

  private var audience: [String] {
    claims["aud"].string.map { [$0] } ?? claims["aud"].array?.compactMap(\.string) ?? []
  }

  /// The tolerance for clocks that differ.
  private static let tolerance: TimeInterval = 300

  /// Compares the ID token of a sign-in with the request.
  ///
  /// - Parameters:
  ///   - idToken: The ID token, or `nil` if the server has sent none.
  ///   - client: The registration of the app.
  ///   - nonce: The nonce of the request.
  ///   - now: The time.
  /// - Throws: ``OAuth2Error`` if it is missing, or not for this request.
  static func check(
    _ idToken: String?, _ client: OAuth2Client, nonce: String, at now: Date
  ) throws {
    guard let idToken else { throw OAuth2Error(.idTokenMismatch, "there is no ID token") }
    let token = try IDTokenClaims(idToken)
    guard token.claims["nonce"].string == nonce else {
      throw OAuth2Error(.idTokenMismatch, "the nonce differs")
    }
    let authorizedParty = token.claims["azp"].string
    guard token.audience.contains(client.id),
      authorizedParty == client.id || (authorizedParty == nil && token.audience.count == 1)
    else { throw OAuth2Error(.idTokenMismatch, "the audience differs") }
    guard let expiry = token.claims["exp"].double,
      expiry + tolerance > now.timeIntervalSince1970
    else { throw OAuth2Error(.idTokenMismatch, "the ID token has expired, or does not say when") }
    if let issuer = client.issuer, token.claims["iss"].string != issuer {
      throw OAuth2Error(.issuerMismatch)
    }
  }

  /// Compares the ID token of a refresh with the earlier one.
  ///
  /// - Parameters:
  ///   - idToken: The new ID token. `nil` if the server has sent none.
  ///   - earlier: The ID token of the sign-in. `nil` if there is none.
  /// - Throws: ``OAuth2Error`` if they are about different users.
  static func check(_ idToken: String?, continues earlier: String?) throws {
    guard let idToken, let earlier, let old = try? IDTokenClaims(earlier) else { return }
    let new = try IDTokenClaims(idToken)
    guard new.claims["iss"] == old.claims["iss"], new.claims["sub"] == old.claims["sub"],
      new.audience.sorted() == old.audience.sorted()
    else { throw OAuth2Error(.idTokenMismatch, "the refreshed ID token is about another user") }
  }
}
