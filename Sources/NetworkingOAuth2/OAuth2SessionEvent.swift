/// An event of a session.
///
/// ```swift
/// for await event in session.events {
///   switch event {
///   case .refreshing: otherLayer.isSuspended = true
///   case .refreshed, .refreshFailed, .signedOut: otherLayer.isSuspended = false
///   default: break
///   }
/// }
/// ```
public enum OAuth2SessionEvent: Sendable {
  /// A grant has issued a token.
  case signedIn(TokenLevel)
  /// The session requests a new token, and the requests that need it wait.
  ///
  /// ``refreshed(_:)``, ``refreshFailed(_:_:)`` or ``signedOut(_:)`` follows, once for all requests and
  /// all repetitions.
  case refreshing(TokenLevel)
  /// The token has been refreshed, by this session or another one.
  case refreshed(TokenLevel)
  /// A refresh has failed, and the token is kept.
  case refreshFailed(TokenLevel, any Error)
  /// The user is signed out, with the error of the server, or `nil` for a sign-out of the app.
  case signedOut(OAuth2Error?)
  /// A new token could not be stored. It is used from memory, and stored with the next one.
  case storeFailed(any Error)
}
