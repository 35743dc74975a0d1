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
/// another origin than that of the first request. The contents are checked when the ``TLSOptions``
/// with it are made.
///
/// Descriptions and dumps of the value omit the password and the contents.
public struct ClientIdentity: Sendable {
  /// `@unchecked Sendable` because a `SecIdentity` is immutable, and Security allows its use on any thread.
  enum Kind: @unchecked Sendable {
    case files(certificate: TLSSource, key: TLSSource)
    case archive(TLSSource)
    #if canImport(Security)
      case system(SecIdentity)
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
    /// - Parameter identity: The identity.
    public init(_ identity: SecIdentity) {
      kind = .system(identity)
      password = nil
    }

    /// Makes an identity from the item of the Keychain with a label.
    ///
    /// - Parameter label: The label.
    public init(keychainLabel label: String) {
      kind = .keychain(label: label)
      password = nil
    }
  #endif
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
