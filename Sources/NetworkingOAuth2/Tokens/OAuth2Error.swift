import CatenaSystem
public import Foundation
import Networking

/// An error of a sign-in, of a token request, or of a token store.
///
/// It never contains a token, a code, a secret or a password. ``description`` is one line.
public struct OAuth2Error: Error, Sendable {
  /// The cause of an ``OAuth2Error``.
  public enum Code: Sendable, Hashable {
    /// The server has rejected a request, with an error code of RFC 6749 sections 4.1.2.1 and 5.2,
    /// of RFC 8628 section 3.5, or of its own, such as `invalid_grant`.
    case server(String)
    /// The server cannot process the request now, by its status 408, 429, 500, 502, 503 or 504, or by
    /// the error code `temporarily_unavailable` or `server_error`.
    ///
    /// The request has been repeated already, if that is safe. The tokens are kept. The user need not
    /// sign in again; the same call may succeed later, but not before ``OAuth2Error/retryAfter``.
    case temporarilyUnavailable
    /// The response of the server is not that of OAuth2.
    case malformedResponse
    /// The type of the token is neither `Bearer` nor, in a token exchange, `N_A`.
    case unsupportedTokenType
    /// A URL of the server is neither `https` nor on this machine.
    case insecureURL
    /// The client has no URL for the request.
    case missingEndpoint
    /// The `state` of a redirect is not that of the request.
    case stateMismatch
    /// The issuer of the metadata, of a redirect or of an ID token is not that of the client.
    case issuerMismatch
    /// The ID token has another `nonce` or audience than the request.
    case idTokenMismatch
    /// There is no token, or the token has ended and cannot be refreshed.
    case signInRequired
    /// The user has cancelled the sign-in.
    case consentCancelled
    /// The user has not responded within the time limit.
    case consentTimedOut
    /// The page of the server cannot be shown.
    case consentUnavailable
    /// A token store cannot be read or written.
    case storeFailed
    /// An encrypted file has been changed, or the key is not that of the file.
    case decryptionFailed
    /// The platform's library for cryptography is missing.
    case cryptographyUnavailable
  }

  /// The cause.
  public var code: Code
  /// More about the cause, without secrets.
  ///
  /// `nil` if there is nothing more.
  public var reason: String?
  /// The server's `error_description`.
  ///
  /// `nil` if it has sent none. Values of the request are masked.
  public var serverDescription: String?
  /// The server's `error_uri`, a page about the error.
  ///
  /// `nil` if it has sent none.
  public var serverURI: String?
  /// The status of the response.
  ///
  /// `nil` if the error is not from a response.
  public var status: Int?
  /// The time for which the server wants no further request, by its `Retry-After`.
  ///
  /// `nil` if it has sent none.
  public var retryAfter: Duration?
  /// The error that caused this one.
  ///
  /// `nil` if there is none.
  public var underlying: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The cause.
  ///   - reason: More about the cause, without secrets. `nil` if there is nothing more.
  ///   - underlying: The error that caused this one. `nil` if there is none.
  public init(_ code: Code, _ reason: String? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.reason = reason
    self.underlying = underlying
  }

  /// The refresh token, the authorization code or the password is not valid, or no longer.
  ///
  /// Source: RFC 6749 section 5.2.
  public static let invalidGrant = Code.server("invalid_grant")

  /// The error codes of a decision of the server, whatever the status of the response.
  ///
  /// Source: RFC 6749 section 5.2; RFC 8628 section 3.5.
  private static let decisions: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
    "unsupported_grant_type", "invalid_scope", "access_denied", "expired_token",
    "authorization_pending", "slow_down",
  ]

  /// Returns the cause of a response with an error code, or of a redirect, which has no status.
  ///
  /// Source: RFC 6749 section 4.1.2.1: `server_error` and `temporarily_unavailable` replace the statuses
  /// 500 and 503.
  static func code(ofServer code: String, status: Int? = nil) -> Code {
    let isTemporary = ["server_error", "temporarily_unavailable"].contains(code)
    let hasFailed = status.map(Self.isTemporary) ?? false
    return isTemporary || hasFailed && !decisions.contains(code)
      ? .temporarilyUnavailable : .server(code)
  }

  /// Returns whether a status is that of a temporary failure.
  static func isTemporary(_ status: Int) -> Bool {
    NetworkError.Code.unacceptableStatus(status).isTemporary
  }

  /// Whether the server has refused the grant for good, so that the user must sign in again.
  public var isInvalidGrant: Bool { code == Self.invalidGrant }
}

extension OAuth2Error {
  /// Runs a closure of a store, and changes its errors to ``Code/storeFailed``.
  static func converting<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as OAuth2Error {
      throw error
    } catch let error as FileError {
      throw OAuth2Error(.storeFailed, error.reason, underlying: error.underlying)
    } catch {
      throw OAuth2Error(.storeFailed, underlying: error)
    }
  }
}

extension OAuth2Error.Code {
  /// A sentence about the cause.
  public var summary: String {
    switch self {
    case .server(let code): "the authorization server responded with \(Self.printable(code))"
    case .temporarilyUnavailable: "the authorization server is not available for now"
    case .malformedResponse: "the response of the authorization server is malformed"
    case .unsupportedTokenType: "the type of the token is not supported"
    case .insecureURL: "the URL is neither https nor on this machine"
    case .missingEndpoint: "the client has no URL for this request"
    case .stateMismatch: "the redirect does not belong to the request"
    case .issuerMismatch: "the issuer is not that of the client"
    case .idTokenMismatch: "the ID token does not belong to the request"
    case .signInRequired: "the user must sign in"
    case .consentCancelled: "the sign-in was cancelled"
    case .consentTimedOut: "the sign-in has timed out"
    case .consentUnavailable: "the sign-in page cannot be shown"
    case .storeFailed: "the token store has failed"
    case .decryptionFailed: "the token file has been changed, or the key is wrong"
    case .cryptographyUnavailable: "the library for cryptography is missing"
    }
  }

  /// The characters that RFC 6749 allows in an error code, up to 64.
  private static func printable(_ code: String) -> String {
    let isAllowed = { (scalar: Unicode.Scalar) in
      (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
    }
    return String(String.UnicodeScalarView(code.unicodeScalars.filter(isAllowed).prefix(64)))
  }
}

extension OAuth2Error: BrieflyDescribed, LocalizedError {
  /// The cause and its details in one line, without secrets.
  public var description: String {
    var text = code.summary
    for detail in [reason, serverDescription.map(Self.excerpt)] {
      if let detail { text += ": \(detail)" }
    }
    if let status { text += " (status \(status))" }
    if let underlying { text += ": \(NetworkError.text(of: underlying))" }
    return NetworkError.singleLine(text)
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// A mirror with the code and the description.
  public var customMirror: Mirror {
    Mirror(self, children: ["code": code, "description": description])
  }

  private static func excerpt(_ text: String) -> String {
    let masked = Redactor.standard.maskedText(String(text.unicodeScalars.prefix(1_024)))
    return String(masked.unicodeScalars.prefix(200))
  }
}
