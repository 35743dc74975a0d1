#if canImport(Security)
  import Foundation
  import Security

  typealias PlatformAnchors = AppleAnchors
  typealias PlatformIdentity = AppleIdentity
  typealias Platform = ApplePlatform

  /// The support of TLS options by URLSession on Apple platforms.
  enum ApplePlatform {
    static func requireSupport() throws(NetworkError) {}

    /// Checks that the platform supports a policy.
    ///
    /// - Throws: `unsupported` with the requirement that it does not support.
    static func requireSupport(for policy: ServerTrust.Policy) throws(NetworkError) {
      let requirement: String? =
        if policy.minimumVersion != nil {
          "versions of TLS for one host; set them in the TLS options"
        } else if policy.revocation.stapled != .ignored {
          "a policy for stapled revocation statuses"
        } else if !policy.revocation.lists.isEmpty {
          "revocation lists"
        } else {
          nil
        }
      guard let requirement else { return }
      throw NetworkError(.unsupported, "URLSession does not support \(requirement)")
    }
  }

  /// The trusted authorities of a policy.
  ///
  /// `@unchecked Sendable` because a `SecCertificate` is immutable, and Security allows its use on any
  /// thread.
  struct AppleAnchors: @unchecked Sendable {
    /// The given authorities, or `nil` for those of the system alone.
    let certificates: [SecCertificate]?
    let includesSystem: Bool

    init(
      _ policy: ServerTrust.Policy, _ certificates: [ServerCertificate], _ lists: [TLSSource.Item]
    ) throws(NetworkError) {
      switch policy.anchors {
      case .system, .anyCertificate: self.certificates = nil
      case .only, .besidesSystem:
        self.certificates = certificates.compactMap {
          SecCertificateCreateWithData(nil, $0.der as CFData)
        }
      }
      includesSystem = if case .only = policy.anchors { false } else { true }
    }
  }

  /// A client certificate with its key.
  ///
  /// `@unchecked Sendable` because a `SecIdentity` and a `SecCertificate` are immutable, and Security
  /// allows their use on any thread.
  final class AppleIdentity: @unchecked Sendable {
    let identity: SecIdentity
    /// The certificates that are sent after that of the client.
    let issuers: [SecCertificate]

    /// Reads and checks an identity.
    ///
    /// - Throws: `invalidTLSOptions` with the item that cannot be used, or `unsupported`.
    init(_ identity: ClientIdentity, for hosts: String) throws(NetworkError) {
      switch identity.kind {
      case .system(let identity, let issuers): (self.identity, self.issuers) = (identity, issuers)
      case .keychain(let label):
        let query: [CFString: Any] = [
          kSecClass: kSecClassIdentity, kSecAttrLabel: label, kSecReturnRef: true,
        ]
        var item: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess,
          let found = Self.identity(item)
        else {
          throw .invalidTLS("\(hosts): the Keychain has no identity \(label.debugDescription)")
        }
        (self.identity, issuers) = (found, [])
      case .files:
        throw NetworkError(
          .unsupported,
          "\(hosts): URLSession needs a client identity of PKCS#12 or of the Keychain")
      case .archive(let source):
        let archive = try source.item("\(hosts): the PKCS#12 archive of the client")
        var options: [CFString: Any] = [kSecImportExportPassphrase: identity.password ?? ""]
        // Otherwise macOS adds the key to the login keychain.
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
          options[kSecImportToMemoryOnly] = true
        }
        var items: CFArray?
        let status = SecPKCS12Import(archive.bytes as CFData, options as CFDictionary, &items)
        guard status == errSecSuccess else {
          throw .invalidTLS("\(archive.name): \(identity.defect(of: archive.bytes, status))")
        }
        let entry = (items as? [[CFString: Any]])?.first
        guard let found = Self.identity(entry?[kSecImportItemIdentity] as AnyObject?) else {
          throw .invalidTLS("\(archive.name): it has no certificate with a key")
        }
        var leaf: SecCertificate?
        SecIdentityCopyCertificate(found, &leaf)
        self.identity = found
        issuers = ClientIdentity.issuers(
          of: leaf, in: entry?[kSecImportItemCertChain] as? [SecCertificate] ?? []
        ) { SecCertificateCopyData($0) as Data }
      }
    }

    /// Returns an object as an identity, or `nil` if it is another one.
    ///
    /// Swift does not check casts to types of Core Foundation.
    private static func identity(_ object: AnyObject?) -> SecIdentity? {
      guard let object, CFGetTypeID(object) == SecIdentityGetTypeID() else { return nil }
      return unsafeDowncast(object, to: SecIdentity.self)
    }
  }
#endif
