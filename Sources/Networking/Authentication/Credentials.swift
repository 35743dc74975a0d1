import Foundation

/// The credentials of a client, and the only origin that they are sent to.
struct Credentials: Hashable, Sendable {
  /// The way in which the credentials become an `Authorization` field.
  enum Scheme: Sendable {
    /// A fixed value of the field.
    case fixed(String)
    /// A value for each request, after a challenge of the server.
    case digest(DigestAuthenticator)
  }

  let scheme: Scheme
  let origin: Origin

  init(scheme: Scheme, origin: Origin) {
    self.scheme = scheme
    self.origin = origin
  }

  /// Creates credentials with a fixed value of the field.
  init(value: String, origin: Origin) {
    self.init(scheme: .fixed(value), origin: origin)
  }

  /// Returns whether a request is for the origin, accepts credentials, and has no `Authorization`
  /// field of its own.
  func apply(to request: HTTPRequest) -> Bool {
    origin.matches(request.url) && request.sendsCredentials
      && !request.headers.contains("Authorization")
  }
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
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .fixed(let value): hasher.combine(value)
    case .digest(let authenticator): hasher.combine(ObjectIdentifier(authenticator))
    }
  }
}

/// A scheme of authentication with a user name and a password.
public enum PasswordScheme: Sendable, Hashable {
  /// The name and the password are sent with every request.
  ///
  /// Anybody who can read the request has the password, so use `https`. Source: RFC 7617.
  case basic
  /// A hash of the password and of a nonce of the server is sent.
  ///
  /// - The first request is sent without credentials. The server rejects it with 401 and a
  ///   challenge, and the client sends it once more, with the response to the challenge. Later
  ///   requests to the same protection space have a response at once.
  /// - A request is sent once more if the server has replaced its nonce. If the server rejects it
  ///   again, the caller receives the status 401: the name or the password is wrong.
  /// - The client responds to the first challenge of a response whose algorithm the platform has:
  ///   MD5, SHA-256, and on Linux SHA-512/256, each also as `-sess`. Linux needs the library
  ///   `libcrypto.so.3` or `libcrypto.so.1.1`. The client never responds to a challenge of another
  ///   scheme, so that a server cannot request the password itself.
  /// - It supports `qop` with `auth` and, for bodies in memory of up to 1 MiB, `auth-int`, servers
  ///   without `qop` (RFC 2069), `userhash`, `charset`, `domain` with up to 32 URIs,
  ///   `stale`, and `nextnonce`.
  /// - A body that cannot be sent again, such as that of a ``BodyStream`` that is not repeatable,
  ///   is not sent again. The caller receives the status 401, and the next request has a response
  ///   at once.
  ///
  /// Digest authentication does not protect the contents, so use `https` as well.
  /// Source: RFC 7616.
  case digest
}
