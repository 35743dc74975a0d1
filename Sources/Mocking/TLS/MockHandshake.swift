public import Networking

/// The outcome of a TLS handshake with a ``MockServer``.
///
/// ```swift
/// for handshake in server.handshakes {
///   print(handshake.connection, handshake.failure ?? "accepted")   // 0 tlsv1 alert unknown ca
/// }
/// ```
///
/// ``MockServer/handshakes`` has the latest ones.
public struct MockHandshake: Sendable, Hashable {
  /// The index of the connection.
  public let connection: Int
  /// The version, or `nil` if the handshake has failed.
  public let version: TLSVersion?
  /// The protocol that ALPN has selected, or `nil` for none.
  public let applicationProtocol: String?
  /// Whether the client has continued an earlier session.
  public let isResumed: Bool
  /// The certificate that the client has presented, or `nil` for none or for a resumed session.
  public let clientCertificate: ServerCertificate?
  /// The reason of a failed handshake, such as `tlsv1 alert unknown ca`, or `nil`.
  public let failure: String?
}
