/// The sessions of users that a call belongs to: that of the client, and that of its tokens.
///
/// A call that is made in a renewal of credentials also belongs to the sessions of the renewal, so that
/// the renewal ends with them.
package struct CallSessions: Sendable, Hashable {
  private let client: UserSession
  /// The session of the provider of the credentials.
  ///
  /// `nil` if there is none.
  private let provider: UserSession?
  /// The running renewal in which the call was made, if any.
  private let renewal: RefreshRound?

  /// Creates the sessions of a call that is made now.
  ///
  /// - Parameter snapshot: The settings of the client.
  init(_ snapshot: ClientSettings.Snapshot) {
    client = snapshot.settings.session
    provider = snapshot.settings.credentials.scheme?.provider?.userSession
    renewal = RefreshRound.current.flatMap { $0.isRunning ? $0 : nil }
  }

  /// Whether one of the sessions has ended, so that the call must not be sent any more.
  package var hasEnded: Bool {
    client.hasEnded || provider?.hasEnded == true || renewal?.sessions.hasEnded == true
  }
}

extension ClientCredentials {
  /// The scheme, with or without an origin.
  var scheme: Credentials.Scheme? {
    switch self {
    case .none: nil
    case .unbound(let scheme): scheme
    case .bound(let credentials): credentials.scheme
    }
  }
}

extension Credentials.Scheme {
  /// Returns whether other credentials are certainly those of the same user.
  func hasUser(of other: Credentials.Scheme) -> Bool {
    guard let provider, let other = other.provider else { return self == other }
    return provider.userSession === other.userSession
  }
}
