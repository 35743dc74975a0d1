public import Mocking

/// A fault of a ``MockAuthorizationServer`` in the response to a token request.
///
/// ```swift
/// let login = try MockAuthorizationServer()
/// login.fail(.error("invalid_grant"))          // the next token request
/// ```
///
/// ``MockAuthorizationServer/fail(_:)`` sets the faults of the next token requests.
public enum AuthorizationServerFault: Sendable {
  /// An error code of OAuth2, such as `invalid_grant`, with the status 400.
  case error(String)
  /// A status without a body of OAuth2.
  case status(Int)
  /// The connection is closed before the response.
  case noResponse
  /// The request is processed, and the connection is closed before the response.
  ///
  /// With rotation the client has lost its refresh token.
  case lostResponse
  /// The response comes later.
  case delay(Duration)
  /// The response is this one.
  case response(Mock)
}
