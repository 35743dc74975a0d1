import CatenaSystem
package import Promises

/// The credentials of a client, and the only origin that they are sent to.
struct Credentials: Hashable, Sendable {
  /// The way in which the credentials become an `Authorization` field.
  enum Scheme: Sendable {
    /// A fixed value of the field.
    case fixed(String)
    /// A value for each request, after a challenge of the server.
    case digest(DigestAuthenticator)
    /// The current value of a provider, which replaces a value that the server has rejected.
    case provided(any CredentialProvider)

    /// The provider of the values.
    ///
    /// `nil` for other credentials.
    var provider: (any CredentialProvider)? {
      if case .provided(let provider) = self { provider } else { nil }
    }
  }

  let scheme: Scheme
  let origin: Origin

  /// Returns whether a request is for the origin, accepts credentials, and has no `Authorization`
  /// field of its own.
  func apply(to request: HTTPRequest) -> Bool {
    request.sendsCredentials && !request.headers.contains("Authorization")
      && (origin.matches(request.url)
        || scheme.provider?.otherOrigins.contains { $0.matches(request.url) } == true)
  }
}

/// A provider of the `Authorization` fields of requests, such as a session with tokens.
///
/// A module that signs requests, refreshes tokens and signs users out does so by this protocol alone. A
/// client has a provider after ``Networking/authenticate(by:)``.
package protocol CredentialProvider: AnyObject, Sendable {
  /// The origins that have the credentials in addition to the origin of the client.
  var otherOrigins: [Origin] { get }

  /// Fast path: the value of the field, if the provider has one that can be sent.
  var currentValue: String? { get }

  /// A text that stays the same when the value is refreshed, and that other users do not have.
  ///
  /// `nil` if it is not known yet.
  var identity: String? { get }

  /// The session of the current user, which ends before another user has a value.
  var userSession: UserSession { get }

  /// Returns a promise that is fulfilled when ``identity`` is known, or cannot be known now.
  func loadIdentity() -> Promise<Void>

  /// Returns a promise of the value of the field, which waits while the value is replaced.
  func value() -> Promise<String>

  /// Returns whether a response means that the server has rejected the value.
  func isRejection(_ response: Response) -> Bool

  /// Returns a promise of a value in place of a rejected one.
  ///
  /// - Parameter rejected: The value that was sent.
  /// - Returns: The promise, or `nil` if the response is to be delivered.
  func value(replacing rejected: String) -> Promise<String>?

  /// Records that a value was rejected, when the request cannot be sent again.
  func noteRejection(of rejected: String)
}

/// The time in which a client, or a source of tokens, has the same user.
///
/// A sign-out ends it, and so does the sign-in of another user. A renewed token does not. Each request
/// belongs to the session in which it was made, and is not sent after its end.
///
/// ``end()`` is called before the credentials of another user can be read. So a request that has read
/// such credentials, and is checked afterwards, is always refused.
package final class UserSession: Sendable, HashableByIdentity {
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

/// The credentials of a client, with or without an origin.
enum ClientCredentials: Sendable {
  /// The client has no credentials.
  case none
  /// Credentials that were set while the client had no base URL.
  ///
  /// They become ``bound(_:)`` to the origin of the first base URL.
  case unbound(Credentials.Scheme)
  /// Credentials for one origin.
  case bound(Credentials)
}

extension Credentials.Scheme: Hashable {
  /// Compares values, and authenticators by identity.
  static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.fixed(let left), .fixed(let right)): left == right
    case (.digest(let left), .digest(let right)): left === right
    case (.provided(let left), .provided(let right)): left === right
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .fixed(let value): hasher.combine(value)
    case .digest(let authenticator): hasher.combine(ObjectIdentifier(authenticator))
    case .provided(let provider): hasher.combine(ObjectIdentifier(provider))
    }
  }
}
