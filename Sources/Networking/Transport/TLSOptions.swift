import Foundation

/// The TLS settings of a transport: trusted servers and the client certificate.
///
/// With the default `TLSOptions()`, a server must present a certificate that is valid now, matches
/// its host, and was issued by an authority that the system trusts.
///
/// Files are read at each handshake. A request with a file that is not a regular file, such as a
/// named pipe, fails with ``NetworkError/Code/unsupported``.
public struct TLSOptions: Sendable, Hashable {
  /// A version of TLS.
  public enum Version: Sendable, Hashable {
    /// TLS 1.0, which is insecure.
    case v1_0
    /// TLS 1.1, which is insecure.
    case v1_1
    /// TLS 1.2.
    case v1_2
    /// TLS 1.3.
    case v1_3
  }

  /// The certificate that the client presents to a server that requests one.
  ///
  /// It is not presented to the target of a redirect to another origin than that of the first
  /// request, whose scheme, host and port the origin consists of.
  ///
  /// Descriptions and dumps of the value omit the password.
  public struct ClientCertificate: Sendable, Hashable {
    /// A PEM file with the certificate, followed by the certificates of its issuers.
    public var certificate: URL
    /// A PEM file with the private key.
    public var privateKey: URL
    /// The password of the private key, or `nil` if it has none.
    public var password: String?

    /// Makes a client certificate from files, which are read at each handshake.
    ///
    /// - Parameters:
    ///   - certificate: A PEM file with the certificate.
    ///   - privateKey: A PEM file with the private key.
    ///   - password: The password of the private key, or `nil` if it has none.
    public init(certificate: URL, privateKey: URL, password: String? = nil) {
      self.certificate = certificate
      self.privateKey = privateKey
      self.password = password
    }
  }

  /// A PEM file with the certificates of the only authorities to trust, or `nil` for the system's.
  public var certificateAuthorities: URL?
  /// The certificate for servers that request one, or `nil` for none.
  public var clientCertificate: ClientCertificate?
  /// The SHA-256 hashes of the accepted public keys, in base64, with or without the prefix
  /// `sha256//`.
  ///
  /// The server's certificate must have one of these keys, and it must also be trusted. An empty
  /// array accepts any key.
  public var pinnedPublicKeys: [String]
  /// The lowest version of TLS to negotiate.
  public var minimumVersion: Version
  /// Whether to accept any certificate from any server, for any host.
  ///
  /// This lets an attacker on the network path read and change all traffic. Use it only in tests
  /// against your own server. Pinned keys are still checked.
  public var dangerouslyTrustsAnyCertificate: Bool

  /// Makes options.
  ///
  /// - Parameters:
  ///   - certificateAuthorities: A PEM file of the only authorities to trust. `nil` trusts the
  ///     system's authorities.
  ///   - clientCertificate: The certificate for servers that request one, or `nil` for none.
  ///   - pinnedPublicKeys: The hashes of the accepted public keys. An empty array accepts any key.
  ///   - minimumVersion: The lowest version of TLS to negotiate.
  ///   - dangerouslyTrustsAnyCertificate: Whether to accept any certificate from any server.
  public init(
    certificateAuthorities: URL? = nil, clientCertificate: ClientCertificate? = nil,
    pinnedPublicKeys: [String] = [], minimumVersion: Version = .v1_2,
    dangerouslyTrustsAnyCertificate: Bool = false
  ) {
    self.certificateAuthorities = certificateAuthorities
    self.clientCertificate = clientCertificate
    self.pinnedPublicKeys = pinnedPublicKeys
    self.minimumVersion = minimumVersion
    self.dangerouslyTrustsAnyCertificate = dangerouslyTrustsAnyCertificate
  }
}

extension TLSOptions.ClientCertificate: CustomStringConvertible, CustomReflectable {
  /// The paths of the files, and a mask in place of the password.
  public var description: String {
    let files = "\(certificate.path), \(privateKey.path)"
    return password == nil ? files : "\(files), \(Redactor.mask)"
  }

  /// The same values for `dump` and debuggers, with the password masked.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "certificate": certificate, "privateKey": privateKey,
        "password": password.map { _ in Redactor.mask } as Any,
      ])
  }
}
