import Networking
import NetworkingOAuth2
import Observation

/// The user's sign-in.
@MainActor @Observable
public final class Account {
  /// Whether the user is signed in.
  public private(set) var isSignedIn: Bool
  /// Whether the sign-in page is open.
  public private(set) var isSigningIn = false
  /// The reason for the failure of the last sign-in, if it has failed.
  public private(set) var message: String?
  private let backend: Backend
  private let outbox: Outbox

  init(_ backend: Backend, outbox: Outbox) {
    self.backend = backend
    self.outbox = outbox
    let session = backend.session
    isSignedIn = (try? session.store.token(for: TokenKey(for: session.client))) != nil
    if isSignedIn { observeSignOut() }
  }

  /// Shows the sign-in page.
  public func signIn() {
    isSigningIn = true
    message = nil
    backend.session.signIn(.authorizationCode(backend.consent))
      .done { _ in
        self.isSignedIn = true
        self.observeSignOut()
      }
      .fail { error in
        // Closing the page is no failure.
        guard (error as? OAuth2Error)?.code != .consentCancelled else { return }
        self.message = error.message
      }
      .always { _ in self.isSigningIn = false }
  }

  /// Signs the user out, and removes the user's data from the device.
  public func signOut() {
    outbox.removeAll()
    Task { await backend.cache.removeAll() }
    backend.session.signOut()
  }

  /// Notices the end of the session: by a sign-out, or by a server that refuses the refresh token.
  private func observeSignOut() {
    backend.session.signedOut.done { [weak self] in self?.isSignedIn = false }
  }
}
