import Synchronization

/// The time in which a client, or a source of tokens, has the same user.
///
/// A sign-out ends it, and so does the sign-in of another user. A renewed token does not. Each request
/// belongs to the session in which it was made, and is not sent after its end.
///
/// ``end()`` is called before the credentials of another user can be read. So a request that has read
/// such credentials, and is checked afterwards, is always refused.
package final class UserSession: Sendable {
  private let isOver = Atomic(false)

  /// Starts a session.
  package init() {}

  /// Whether the user has signed out, or another user has signed in.
  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Ends the session.
  ///
  /// Repeated calls are no-ops.
  package func end() { isOver.store(true, ordering: .releasing) }
}
