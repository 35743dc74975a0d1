public import Foundation
import Networking

/// An access token with its refresh token, its scope and its expiry.
///
/// The description and the mirror contain no secrets. Encoding does contain them: a token that is
/// written to disk belongs into a ``TokenStoring`` store.
///
/// Source: RFC 6749 section 5.1.
public struct OAuth2Token: Sendable, Hashable, Codable {
  /// The access token.
  public var accessToken: String
  /// The type of the token: `Bearer`, or `N_A` for a token that is no access token.
  public var type: String
  /// The refresh token.
  ///
  /// `nil` if the server has issued none.
  public var refreshToken: String?
  /// The scope.
  ///
  /// `nil` if neither the request nor the server has named one.
  public var scope: Set<String>?
  /// The time of the response by the clock of this machine.
  public var issued: Date
  /// The time at which the token expires, by the clock of this machine.
  ///
  /// `nil` if the server has not said.
  public var expires: Date?
  /// The ID token of OpenID Connect as it was received.
  ///
  /// `nil` if there is none.
  public var idToken: String?
  /// All other members of the response.
  public var other: [String: JSON]
  /// A random identifier of the sign-in, which the tokens of its refreshes have, too.
  ///
  /// `nil` for a token that has not been stored.
  var signInID: String?

  /// Creates a token.
  ///
  /// - Parameters:
  ///   - accessToken: The access token.
  ///   - type: The type of the token.
  ///   - refreshToken: The refresh token. `nil` if there is none.
  ///   - scope: The scope. `nil` if it is not known.
  ///   - issued: The time at which the token was received.
  ///   - expires: The time at which the token expires. `nil` if it is not known.
  ///   - idToken: The ID token. `nil` if there is none.
  ///   - other: All other members of the response.
  public init(
    accessToken: String, type: String = "Bearer", refreshToken: String? = nil,
    scope: Set<String>? = nil, issued: Date = Date(), expires: Date? = nil, idToken: String? = nil,
    other: [String: JSON] = [:]
  ) {
    self.accessToken = accessToken
    self.type = type
    self.refreshToken = refreshToken
    self.scope = scope
    self.issued = issued
    self.expires = expires
    self.idToken = idToken
    self.other = other
  }

  /// The time before the expiry at which a token is refreshed.
  ///
  /// It is 60 seconds or a tenth of the life of the token, whichever is less.
  public var leeway: TimeInterval {
    expires.map { min(60, max(0, $0.timeIntervalSince(issued) / 10)) } ?? 0
  }

  /// Returns whether the token can be used at a time, with the ``leeway``.
  ///
  /// A token that was issued more than a minute later cannot: the clock has been set back, so that
  /// its expiry is not known. A token without a refresh token can be used until it expires.
  ///
  /// - Parameter now: The time.
  /// - Returns: `true` if the token need not be refreshed.
  public func isFresh(at now: Date) -> Bool { freshness(canBeRenewed: false).contains(now) }

  /// Returns the times at which the token is sent.
  ///
  /// - Parameter canBeRenewed: Whether there is another way to renew it than a refresh token.
  /// - Returns: The times, which end early for a token that can be renewed.
  func freshness(canBeRenewed: Bool) -> ClosedRange<Date> {
    guard let expires else { return .distantPast ... .distantFuture }
    guard canBeRenewed || refreshToken != nil else {
      return .distantPast...max(.distantPast, expires - 0.001)
    }
    let first = issued - Self.clockTolerance
    // The last moment is excluded: a token that expires now is not sent.
    return first...max(first, expires - leeway - 0.001)
  }

  private static let clockTolerance: TimeInterval = 60

  /// The value of an `Authorization` field.
  ///
  /// `nil` for a token that is not a bearer token. Source: RFC 6750 section 2.1.
  var authorizationValue: String? { type == Self.bearer ? "Bearer \(accessToken)" : nil }

  static let bearer = "Bearer"
  static let notApplicable = "N_A"

  /// Returns this token with the parts of an earlier one that a server may leave out of a refresh,
  /// and with its sign-in.
  ///
  /// The parts are the refresh token, the scope and the ID token.
  ///
  /// Source: RFC 6749 section 6; OpenID Connect Core 1.0 section 12.2.
  func replacing(_ earlier: OAuth2Token?) -> OAuth2Token {
    var token = self
    token.refreshToken = refreshToken ?? earlier?.refreshToken
    token.scope = scope ?? earlier?.scope
    token.idToken = idToken ?? earlier?.idToken
    token.signInID = earlier?.signInID ?? UUID().uuidString
    return token
  }
}

// MARK: - Reading a response

extension OAuth2Token {
  /// Reads the token of a response.
  ///
  /// The life may be a number or a text, and the type may have any case or be missing.
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - issued: The time of the response.
  ///   - requestedScope: The scope of the request, which applies if the response has none.
  /// - Throws: ``OAuth2Error`` if there is no access token, or one that cannot be sent.
  init(response json: JSON, issued: Date, requestedScope: Set<String>?) throws {
    guard case .dictionary(var members) = json else {
      throw OAuth2Error(.malformedResponse, "the body is not an object")
    }
    guard let accessToken = members.removeValue(forKey: "access_token")?.string,
      Self.isPrintable(accessToken)
    else { throw OAuth2Error(.malformedResponse, "there is no access token that can be sent") }
    let type = members.removeValue(forKey: "token_type")?.string ?? Self.bearer
    guard let type = [Self.bearer, Self.notApplicable].first(where: { $0.isEqual(type) }) else {
      throw OAuth2Error(.unsupportedTokenType)
    }
    let life = Self.life(members.removeValue(forKey: "expires_in"))
    self.init(
      accessToken: accessToken, type: type,
      refreshToken: members.removeValue(forKey: "refresh_token")?.string.flatMap {
        $0.isEmpty ? nil : $0
      },
      scope: Self.scope(members.removeValue(forKey: "scope")) ?? requestedScope,
      issued: issued, expires: life.map { issued + $0 },
      idToken: members.removeValue(forKey: "id_token")?.string, other: members)
  }

  /// Returns whether a token has only the characters of RFC 6749 appendix A.12.
  private static func isPrintable(_ token: String) -> Bool {
    !token.isEmpty && token.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  private static func life(_ value: JSON?) -> TimeInterval? {
    let seconds: Double? =
      switch value {
      case .int(let value): Double(value)
      case .double(let value): value
      case .string(let text): Double(text.trimmingCharacters(in: .whitespaces))
      default: nil
      }
    guard let seconds, seconds.isFinite else { return nil }
    // No more than a century, so that every date can be encoded.
    return min(max(seconds, 0), 100 * 365 * 86_400)
  }

  private static func scope(_ value: JSON?) -> Set<String>? {
    switch value {
    case .string(let text): Set(text.split(separator: " ").map(String.init))
    case .array(let values): Set(values.compactMap(\.string))
    default: nil
    }
  }
}

extension String {
  /// Returns whether two texts of ASCII are equal except for case.
  fileprivate func isEqual(_ other: String) -> Bool { lowercased() == other.lowercased() }
}

extension OAuth2Token: BrieflyDescribed {
  /// The type, the scope and the expiry, without the tokens.
  public var description: String {
    let scope = scope.map { " for \($0.sorted().joined(separator: " "))" } ?? ""
    let expiry = expires.map { ", expires \(HTTPDate.text(of: $0))" } ?? ""
    let refresh = refreshToken == nil ? "" : ", can be refreshed"
    return "\(type) token\(scope)\(expiry)\(refresh)"
  }

  /// A mirror without the tokens and without the unknown members.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "type": type, "scope": scope as Any, "issued": issued, "expires": expires as Any,
        "hasRefreshToken": refreshToken != nil, "hasIDToken": idToken != nil,
      ])
  }
}
