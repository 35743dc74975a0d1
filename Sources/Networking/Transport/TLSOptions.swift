import Foundation

/// Whom a transport trusts, and how it shows who it is.
///
/// As made by `TLSOptions()`, a server has to show a certificate for its host, valid now, from an
/// authority that the system trusts.
public struct TLSOptions: Sendable, Hashable {
  /// A version of TLS.
  public enum Version: Sendable, Hashable {
    /// TLS 1.0, broken.
    case v1_0
    /// TLS 1.1, broken.
    case v1_1
    /// TLS 1.2.
    case v1_2
    /// TLS 1.3.
    case v1_3
  }

  /// What the client shows a server that asks for a certificate.
  ///
  /// What prints it leaves the password out.
  public struct ClientCertificate: Sendable, Hashable {
    /// A file with the certificate, in PEM, those of its issuers behind it.
    public var certificate: URL
    /// A file with the private key, in PEM.
    public var privateKey: URL
    /// The password of the private key; nil when it has none.
    public var password: String?

    /// Makes a client certificate of files, which are read at each handshake.
    ///
    /// - Parameters:
    ///   - certificate: a file with the certificate, in PEM.
    ///   - privateKey: a file with the private key, in PEM.
    ///   - password: the password of the private key; nil when it has none.
    public init(certificate: URL, privateKey: URL, password: String? = nil) {
      self.certificate = certificate
      self.privateKey = privateKey
      self.password = password
    }
  }

  /// A file with the certificates, in PEM, of the only authorities to trust; nil trusts the
  /// system's.
  public var certificateAuthorities: URL?
  /// What to show a server that asks for a certificate; nil for nothing.
  public var clientCertificate: ClientCertificate?
  /// The SHA-256 hashes, in base64 and with or without `sha256//` before it, of the public keys
  /// one of which the server's certificate must have, besides being trusted; empty asks for none.
  public var pinnedPublicKeys: [String]
  /// The lowest version of TLS to speak.
  public var minimumVersion: Version
  /// Takes any certificate from anybody, for any host: whoever sits between reads and changes all
  /// of it.
  ///
  /// For a test against a server of one's own; pinned keys are still asked for.
  public var dangerouslyTrustsAnyCertificate: Bool

  /// Makes options.
  ///
  /// - Parameters:
  ///   - certificateAuthorities: a file of the only authorities to trust; nil for the system's.
  ///   - clientCertificate: what to show a server that asks; nil for nothing.
  ///   - pinnedPublicKeys: hashes of the keys one of which the server must have.
  ///   - minimumVersion: the lowest version of TLS to speak.
  ///   - dangerouslyTrustsAnyCertificate: takes any certificate from anybody, for any host.
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
  /// The files, and whether there is a password.
  public var description: String {
    let files = "\(certificate.path), \(privateKey.path)"
    return password == nil ? files : "\(files), \(Redactor.mask)"
  }

  /// The same for `dump` and for debuggers.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "certificate": certificate, "privateKey": privateKey,
        "password": password.map { _ in Redactor.mask } as Any,
      ])
  }
}
