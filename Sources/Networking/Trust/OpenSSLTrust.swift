#if CATENA_CURL
  import CCatenaCurl
  import CatenaSystem
  import Foundation

  typealias PlatformAnchors = OpenSSLAnchors
  typealias PlatformIdentity = OpenSSLIdentity
  typealias Platform = OpenSSLPlatform

  /// The support of TLS options by OpenSSL.
  enum OpenSSLPlatform {
    /// Whether libcurl uses an OpenSSL whose functions are known.
    static let isAvailable = catena_tls_is_available()

    static func requireSupport() throws(NetworkError) {
      guard isAvailable else {
        throw NetworkError(
          .unsupported,
          "TLS options need a libcurl with OpenSSL 1.1.1 or 3, and it has another library")
      }
    }

    /// Checks that the platform supports a policy: this one supports all.
    static func requireSupport(for policy: ServerTrust.Policy) throws(NetworkError) {}
  }

  /// The trusted authorities of a policy, as a store of OpenSSL.
  enum OpenSSLAnchors: Sendable {
    /// The authorities of the system.
    case system
    case own(OpenSSLStore)

    /// Makes the authorities of a policy.
    ///
    /// - Throws: `invalidTLSOptions` with the item that cannot be used.
    init(
      _ policy: ServerTrust.Policy, _ certificates: [ServerCertificate], _ lists: [TLSSource.Item]
    ) throws(NetworkError) {
      let includesSystem: Bool
      switch policy.anchors {
      case .system where lists.isEmpty, .anyCertificate:
        self = .system
        return
      case .system, .besidesSystem: includesSystem = true
      case .only: includesSystem = false
      }
      guard let store = OpenSSLStore(includingSystem: includesSystem) else {
        throw NetworkError(.unsupported, "out of memory")
      }
      for certificate in certificates { store.add(certificate) }
      for item in lists {
        guard store.addLists(item.bytes, wholeChain: policy.revocation.wholeChain) else {
          throw .invalidTLS("\(item.name): not a revocation list in PEM or DER")
        }
      }
      self = .own(store)
    }

    /// The store, or `nil` if there is no memory for it.
    var store: OpenSSLStore? {
      switch self {
      case .system: OpenSSLStore.system
      case .own(let store): store
      }
    }
  }

  /// A store of certificates and revocation lists.
  ///
  /// `@unchecked Sendable` because it is complete before it is shared, and OpenSSL locks it.
  final class OpenSSLStore: @unchecked Sendable {
    let pointer: OpaquePointer

    init?(includingSystem includesSystem: Bool) {
      guard let pointer = catena_store_make() else { return nil }
      self.pointer = pointer
      if includesSystem { catena_store_add_system(pointer) }
    }

    deinit {
      catena_store_free(pointer)
    }

    func add(_ certificate: ServerCertificate) {
      // A repeated certificate is no error.
      certificate.der.withUnsafeBytes { _ = catena_store_add(pointer, $0.baseAddress, $0.count) }
    }

    func addLists(_ bytes: Data, wholeChain: Bool) -> Bool {
      catena_store_add_lists(pointer, Array(bytes), bytes.count, wholeChain) > 0
    }

    private struct System {
      var store: OpenSSLStore?
      var file: FileStatus.Version?
      /// The time at which the file was looked at.
      var checked: ContinuousClock.Instant?
    }

    private static let shared = Mutex(System())

    /// The authorities of the system.
    ///
    /// They are read again when their file has changed, which is looked for once a second at most. A
    /// connection that is being opened keeps the former store.
    static var system: OpenSSLStore? {
      let now = ContinuousClock.now
      let known = shared.withLock { system -> OpenSSLStore? in
        guard let checked = system.checked, now - checked < .seconds(1) else { return nil }
        return system.store
      }
      if let known { return known }
      let path = catena_authorities_path().map { String(cString: $0) }
      let file = path.flatMap { try? FileStatus($0, followingLinks: true) }?.version
      let unchanged = shared.withLock { system -> OpenSSLStore? in
        system.checked = now
        return system.file == file ? system.store : nil
      }
      if let unchanged { return unchanged }
      // Outside of the lock, for which other connections would wait.
      let store = OpenSSLStore(includingSystem: true)
      shared.withLock { system in
        system.store = store
        system.file = file
      }
      return store
    }
  }

  /// A client certificate with its key, as objects of OpenSSL.
  ///
  /// `@unchecked Sendable` because it does not change, and OpenSSL counts the references atomically.
  final class OpenSSLIdentity: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Reads and checks an identity.
    ///
    /// - Throws: `invalidTLSOptions` with the item that cannot be used.
    init(_ identity: ClientIdentity, for hosts: String) throws(NetworkError) {
      var pointer: OpaquePointer?
      let result: CatenaIdentityResult
      let names: (certificate: String, key: String)
      switch identity.kind {
      case .files(let certificate, let key):
        let certificate = try certificate.item("\(hosts): the client certificate")
        let key = try key.item("\(hosts): the private key of the client")
        names = (certificate.name, key.name)
        // Nested `Data.withUnsafeBytes` needs 9 KB of code.
        result = catena_identity_make(
          Array(certificate.bytes), certificate.bytes.count, Array(key.bytes), key.bytes.count,
          identity.password, &pointer)
      case .archive(let archive):
        let archive = try archive.item("\(hosts): the PKCS#12 archive of the client")
        names = (archive.name, archive.name)
        result = catena_identity_unpack(
          Array(archive.bytes), archive.bytes.count, identity.password, &pointer)
      }
      let defect: String
      switch result {
      case .OK: defect = "no identity"
      case .badCertificate: defect = "\(names.certificate): not a certificate in PEM or DER"
      case .badKey: defect = "\(names.key): not a private key in PEM or DER"
      case .passwordMissing: defect = "\(names.key): it needs a password"
      case .passwordWrong: defect = "\(names.key): the password is wrong"
      case .keyMismatch: defect = "\(names.key): the key is not that of the certificate"
      case .badArchive: defect = "\(names.certificate): not a readable PKCS#12 archive"
      }
      guard let pointer else { throw .invalidTLS(defect) }
      self.pointer = pointer
    }

    deinit {
      catena_identity_free(pointer)
    }
  }
#endif
