/// A scheme of authentication with a user name and a password.
public enum PasswordScheme: Sendable, Hashable {
  /// The name and the password are sent with every request.
  ///
  /// The request shows the password to all its readers, so use `https`. Source: RFC 7617.
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
