import Foundation

#if canImport(Security)
  public import Security
#endif

/// A certificate with its private key, which the client presents to servers that request one.
///
/// ```swift
/// let identity = ClientIdentity(certificate: .file(certificate), privateKey: .file(key), password: "...")
/// let archive = ClientIdentity(pkcs12: .data(data), password: "...")
/// let networking = try Networking<BoardsAPI>(
///   sessionConfiguration: .default.identifying(as: identity, to: "api.example.com"))
/// ```
///
/// It is presented only to the hosts that it is given for, and never to the target of a redirect to
/// another origin than that of the first request. On Apple platforms, the target may be the host of a TLS
/// session with the identity, which the system resumes. The contents are checked when the ``TLSOptions``
/// with it are made.
///
/// Descriptions and dumps of the value omit the password and the contents.
public struct ClientIdentity: Sendable {
  /// `@unchecked Sendable` because a `SecIdentity` and a `SecCertificate` are immutable, and Security
  /// allows their use on any thread.
  enum Kind: @unchecked Sendable {
    case files(certificate: TLSSource, key: TLSSource)
    case archive(TLSSource)
    #if canImport(Security)
      case system(SecIdentity, issuers: [SecCertificate])
      case keychain(label: String)
    #endif
  }

  let kind: Kind
  let password: String?

  /// Makes an identity from a certificate and a key.
  ///
  /// On Apple platforms the system cannot use them without a Keychain: ``TLSOptions`` with them are
  /// refused with ``NetworkError/Code-swift.enum/unsupported``. Use PKCS#12 there.
  ///
  /// - Parameters:
  ///   - certificate: The certificate, followed by those of its issuers, in PEM or DER.
  ///   - privateKey: The key, in PEM or DER.
  ///   - password: The password of the key, or `nil` if it has none.
  public init(certificate: TLSSource, privateKey: TLSSource, password: String? = nil) {
    kind = .files(certificate: certificate, key: privateKey)
    self.password = password
  }

  /// Makes an identity from a PKCS#12 archive, such as a file with the extension `p12` or `pfx`.
  ///
  /// The other certificates of the archive are sent after that of the client.
  ///
  /// Apple platforms cannot read an archive without a password, and some versions cannot read the default
  /// encryption of OpenSSL 3. `openssl pkcs12 -export -legacy` makes an archive that all versions read.
  /// macOS 13 and 14 add the certificate and the key to the login keychain of the user. All other versions
  /// keep them in memory.
  ///
  /// - Parameters:
  ///   - pkcs12: The archive.
  ///   - password: The password of the archive, or `nil` if it has none.
  public init(pkcs12: TLSSource, password: String? = nil) {
    kind = .archive(pkcs12)
    self.password = password
  }

  #if canImport(Security)
    /// Makes an identity from one of the system.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - issuers: The certificates of intermediate authorities, that of the issuer first. They are sent
    ///     after that of the client.
    public init(_ identity: SecIdentity, issuers: [SecCertificate] = []) {
      kind = .system(identity, issuers: issuers)
      password = nil
    }

    /// Makes an identity from the item of the Keychain with a label.
    ///
    /// Its certificate is sent without those of intermediate authorities.
    ///
    /// - Parameter label: The label.
    public init(keychainLabel label: String) {
      kind = .keychain(label: label)
      password = nil
    }
  #endif
}

extension ClientIdentity {
  /// Returns the certificates of an imported chain without that of the client.
  ///
  /// - Parameters:
  ///   - leaf: The certificate of the client. `nil` stands for the first of the chain.
  ///   - chain: The chain.
  ///   - encode: Returns a certificate in DER.
  /// - Returns: The certificates of the issuers, in their order.
  static func issuers<Certificate>(
    of leaf: Certificate?, in chain: [Certificate], encode: (Certificate) -> Data
  ) -> [Certificate] {
    guard let leaf = (leaf ?? chain.first).map(encode) else { return [] }
    return chain.filter { encode($0) != leaf }
  }

  /// Returns the reason for which the Security framework cannot read the PKCS#12 archive.
  ///
  /// Systems that cannot read the encryption of an archive report a wrong password.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - status: The status of the import.
  /// - Returns: The reason as part of a sentence.
  func defect(of archive: Data, _ status: Int32) -> String {
    // `errSecAuthFailed`, `errSecPkcs12VerifyFailure`, `errSecPassphraseRequired`.
    let isPassword = [-25_293, -25_264, -25_260].contains(status)
    let defect =
      !isPassword
      ? "not a readable PKCS#12 archive (\(status))"
      : password == nil ? "it needs a password" : "the password is wrong"
    // The object identifier of PBES2, 1.2.840.113549.1.5.13. Source: RFC 8018 appendix A.4.
    let pbes2 = Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D])
    guard archive.range(of: pbes2) != nil else { return defect }
    return "\(defect), or the system needs an archive of `openssl pkcs12 -export -legacy`"
  }
}

extension ClientIdentity: CustomStringConvertible, CustomReflectable {
  /// The kind of the identity.
  public var description: String {
    switch kind {
    case .files: "a certificate and a private key"
    case .archive: "a PKCS#12 archive"
    #if canImport(Security)
      case .system: "an identity of the system"
      case .keychain: "an identity of the Keychain"
    #endif
    }
  }

  /// The kind of the identity, for `dump` and debuggers.
  public var customMirror: Mirror { Mirror(self, children: ["kind": description]) }
}

/// The client's identities, host by host.
public struct ClientIdentities: Sendable, ExpressibleByDictionaryLiteral {
  /// The identities, each with its hosts.
  public var identities: [(hosts: HostPattern, identity: ClientIdentity)]

  /// Makes a list of identities.
  ///
  /// - Parameter identities: The identities, each with its hosts.
  public init(_ identities: [(hosts: HostPattern, identity: ClientIdentity)] = []) {
    self.identities = identities
  }

  /// Makes a list of identities.
  ///
  /// - Parameter elements: The hosts and the identities.
  public init(dictionaryLiteral elements: (HostPattern, ClientIdentity)...) {
    self.init(elements.map { (hosts: $0, identity: $1) })
  }
}
