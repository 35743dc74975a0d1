public import Foundation
import Networking

/// The redirect after the consent of the user.
///
/// The description does not contain the URL, which has the authorization code.
public struct ConsentResponse: Sendable, BrieflyDescribed {
  let url: URL
  let redirectURL: URL

  /// Creates a redirect.
  ///
  /// - Parameters:
  ///   - url: The URL that the browser was redirected to.
  ///   - redirectURL: The redirect URL of ``ConsentRequest/pageURL(redirectingTo:)``.
  public init(_ url: URL, redirectURL: URL) {
    self.url = url
    self.redirectURL = redirectURL
  }

  /// The redirect URL, without parameters.
  public var description: String { "ConsentResponse(\(redirectURL.host ?? ""))" }
}

/// The parameters of a redirect.
///
/// A parameter of the sign-in must not occur twice. All others are ignored: some servers repeat
/// `scope` for each value.
///
/// Source: RFC 6749 sections 3.1, 4.1.2 and 4.1.2.1; RFC 9207.
struct AuthorizationResponse {
  /// The values by name.
  ///
  /// A value whose encoding is invalid is `nil`.
  private var values: [String: [String?]] = [:]

  /// Reads the parameters.
  init(_ url: URL) {
    let query = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? ""
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(parts[0]) else { continue }
      values[name, default: []].append(parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
  }

  /// The `state`, or `nil` if the redirect does not have exactly one.
  var state: String? { try? value(of: "state") }

  /// Returns the authorization code.
  ///
  /// - Throws: ``OAuth2Error`` if the redirect has an error, or is not that of the request.
  func code(state: String, of client: OAuth2Client) throws -> String {
    guard try value(of: "state") == state else { throw OAuth2Error(.stateMismatch) }
    let sent = try value(of: "iss")
    if let issuer = client.issuer {
      switch sent {
      case issuer: break
      case nil where !client.sendsIssuer: break
      default: throw OAuth2Error(.issuerMismatch)
      }
    }
    let code = try value(of: "code")
    if let error = try value(of: "error") {
      var failure = OAuth2Error(OAuth2Error.code(ofServer: error))
      failure.serverDescription = try value(of: "error_description")
      failure.serverURI = try value(of: "error_uri")
      throw failure
    }
    guard let code, !code.isEmpty else {
      throw OAuth2Error(.malformedResponse, "the redirect has no code")
    }
    return code
  }

  /// Returns the value of a parameter, or `nil` if the redirect does not have it.
  ///
  /// - Throws: ``OAuth2Error`` if the parameter occurs twice, or if its encoding is invalid.
  private func value(of name: String) throws -> String? {
    guard let values = values[name] else { return nil }
    guard values.count == 1 else {
      throw OAuth2Error(.malformedResponse, "a parameter of the redirect occurs twice")
    }
    guard let value = values[0] else {
      throw OAuth2Error(.malformedResponse, "the redirect is not encoded")
    }
    return value
  }

  private static func decoded(_ text: Substring) -> String? {
    text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
  }
}
