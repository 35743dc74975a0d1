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
  /// `@unchecked Sendable` because a `SecIdentity` is immutable, and Security allows its use on any
  /// thread.
  final class AppleIdentity: @unchecked Sendable {
    let identity: SecIdentity

    /// Reads and checks an identity.
    ///
    /// - Throws: `invalidTLSOptions` with the item that cannot be used, or `unsupported`.
    init(_ identity: ClientIdentity, for hosts: String) throws(NetworkError) {
      switch identity.kind {
      case .system(let identity): self.identity = identity
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
        self.identity = found
      case .files:
        throw NetworkError(
          .unsupported,
          "\(hosts): URLSession needs a client identity of PKCS#12 or of the Keychain")
      case .archive(let source):
        let archive = try source.item("\(hosts): the PKCS#12 archive of the client")
        let options: [CFString: Any] = [kSecImportExportPassphrase: identity.password ?? ""]
        var items: CFArray?
        switch SecPKCS12Import(archive.bytes as CFData, options as CFDictionary, &items) {
        case errSecSuccess: break
        case errSecAuthFailed:
          throw .invalidTLS(
            identity.password == nil
              ? "\(archive.name): it needs a password" : "\(archive.name): the password is wrong")
        default: throw .invalidTLS("\(archive.name): not a readable PKCS#12 archive")
        }
        let entries = items as? [[CFString: Any]]
        let imported = entries?.first?[kSecImportItemIdentity] as AnyObject?
        guard let found = Self.identity(imported) else {
          throw .invalidTLS("\(archive.name): it has no certificate with a key")
        }
        self.identity = found
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
