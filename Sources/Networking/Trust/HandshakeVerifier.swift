#if CATENA_CURL
  import CCatenaCurl
  import Foundation

  /// The verification of a server in one handshake.
  ///
  /// OpenSSL holds it for the connection and calls it on the I/O thread of the connection, which is
  /// the only thread that uses it.
  final class HandshakeVerifier {
    private let tls: CompiledTLS
    let policy: CompiledPolicy
    /// The host of the URL, or `nil` for a proxy of the environment, whose name libcurl verifies.
    private let host: String?
    /// The failure, if the server was rejected.
    private(set) var failure: TLSFailure?
    /// The verified certificates, or those that the server has sent.
    private(set) var certificates: [Data] = []
    private(set) var hasReportedPinMismatch = false

    init(_ tls: CompiledTLS, _ policy: CompiledPolicy, host: String?) {
      self.tls = tls
      self.policy = policy
      self.host = host
    }

    /// Sets the requirements of the policy for a connection.
    ///
    /// - Parameters:
    ///   - context: The settings of the connection.
    ///   - identity: The identity to present, or `nil` for none.
    /// - Returns: Whether OpenSSL has accepted all of them. Otherwise ``failure`` has the reason.
    func prepare(_ context: OpaquePointer, presenting identity: OpenSSLIdentity?) -> Bool {
      guard
        catena_tls_context_set_versions(
          context, Int32(policy.minimumVersion.rawValue),
          Int32(policy.maximumVersion?.rawValue ?? 0))
      else { return fail("OpenSSL rejects the versions of TLS") }
      guard let store = policy.anchors.store,
        catena_tls_context_on_verify(
          context, store.pointer,
          { verification, object in
            guard let verification, let object else { return 0 }
            let verifier: HandshakeVerifier = Unmanaged.fromOpaque(object).takeUnretainedValue()
            return verifier.verify(verification) ? 1 : 0
          }, Unmanaged.passRetained(self).toOpaque(),
          { object in
            guard let object else { return }
            Unmanaged<HandshakeVerifier>.fromOpaque(object).release()
          })
      else { return fail("OpenSSL rejects the authorities") }
      if policy.stapled != .ignored {
        let isRequested = catena_tls_context_on_status(context) { status, object in
          guard let object else { return 0 }
          let verifier: HandshakeVerifier = Unmanaged.fromOpaque(object).takeUnretainedValue()
          return verifier.accepts(status) ? 1 : 0
        }
        guard isRequested else { return fail("OpenSSL cannot request a revocation status") }
      }
      guard let identity else { return true }
      return catena_tls_context_use(context, identity.pointer)
        || fail("OpenSSL rejects the client certificate, for example because its key is too short")
    }

    /// Notes the reason for which the handshake cannot begin.
    ///
    /// - Returns: `false`.
    private func fail(_ reason: String) -> Bool {
      failure = TLSFailure(.tlsHandshakeFailed, host: Self.name(host ?? "the proxy"), reason)
      return false
    }

    /// Verifies the chain, the host, the pins and the rules of the caller.
    private func verify(_ verification: OpaquePointer) -> Bool {
      let name =
        catena_verify_server_name(verification).map { String(cString: $0) } ?? Self.name(host ?? "")
      if policy.isVerifying {
        let error = catena_verify_chain(verification)
        certificates = chain(verification, isVerified: error == 0)
        guard error == 0 else {
          failure = TLSFailure(
            Self.code(error), host: name, String(cString: catena_verify_describe(error)),
            chain: certificates)
          return false
        }
        guard host == nil || catena_verify_host(verification, name) else {
          failure = TLSFailure(
            .tlsHostMismatch, host: name, "the certificate is not for \(name)", chain: certificates)
          // `X509_V_ERR_HOSTNAME_MISMATCH`.
          catena_verify_end(verification, 62)
          return false
        }
      } else {
        certificates = chain(verification, isVerified: false)
      }
      failure = policy.failure(of: certificates, host: name, now: tls.wallClock()) {
        hasReportedPinMismatch = true
      }
      // `X509_V_ERR_APPLICATION_VERIFICATION`.
      catena_verify_end(verification, failure == nil ? 0 : 50)
      return failure == nil
    }

    /// Handles the status that the server has stapled.
    private func accepts(_ status: CatenaStatus) -> Bool {
      let name = Self.name(host ?? "the proxy")
      switch status {
      case .good: return true
      case .missing:
        guard policy.stapled == .required else { return true }
        failure = TLSFailure(
          .tlsRevocationUnknown, host: name, "the server has sent no revocation status",
          chain: certificates)
      case .revoked:
        failure = TLSFailure(
          .tlsRevoked, host: name, "the certificate has been revoked", chain: certificates)
      case .invalid:
        failure = TLSFailure(
          .tlsRevocationUnknown, host: name,
          "the revocation status is malformed, has expired, or is not signed by the issuer",
          chain: certificates)
      }
      return false
    }

    private func chain(_ verification: OpaquePointer, isVerified: Bool) -> [Data] {
      var chain: [Data] = []
      CertificateCollector.collect(into: &chain) {
        catena_verify_chain_each(verification, isVerified, CertificateCollector.add, $0)
      }
      return chain
    }

    /// Returns a host without a trailing dot and without the zone of an IPv6 address.
    private static func name(_ host: String) -> String {
      let host = host.contains(":") ? String(host.prefix { $0 != "%" }) : host
      return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Returns the code for an `X509_V_ERR_*` number.
    private static func code(_ error: Int32) -> NetworkError.Code {
      switch error {
      // CERT_NOT_YET_VALID and CERT_HAS_EXPIRED.
      case 9, 10: .tlsCertificateExpired
      // CERT_REVOKED.
      case 23: .tlsRevoked
      // UNABLE_TO_GET_CRL, CRL_NOT_YET_VALID and CRL_HAS_EXPIRED.
      case 3, 11, 12: .tlsRevocationUnknown
      default: .tlsUntrusted
      }
    }
  }

  extension TLSMetrics.Properties {
    /// Returns the properties of a connection, which it keeps.
    ///
    /// - Parameter connection: TLS on the connection, after its handshake.
    /// - Returns: The properties, which are the same for all exchanges of the connection.
    static func of(_ connection: OpaquePointer) -> TLSMetrics.Properties {
      if let object = catena_tls_object(connection) {
        return Unmanaged.fromOpaque(object).takeUnretainedValue()
      }
      let verifier: HandshakeVerifier? = catena_tls_verifier(connection).map {
        Unmanaged.fromOpaque($0).takeUnretainedValue()
      }
      var certificates = verifier?.certificates ?? []
      if certificates.isEmpty {
        CertificateCollector.collect(into: &certificates) {
          catena_tls_chain_each(connection, CertificateCollector.add, $0)
        }
      }
      var count: UInt32 = 0
      let name = catena_tls_protocol(connection, &count)
      let properties = TLSMetrics.Properties(
        version: TLSVersion(openSSLName: String(cString: catena_tls_version(connection))),
        cipher: String(cString: catena_tls_cipher(connection)),
        applicationProtocol: name.map {
          String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
        },
        isResumed: catena_tls_is_resumed(connection),
        isVerified: verifier?.policy.isVerifying ?? true, certificates: certificates,
        hasReportedPinMismatch: verifier?.hasReportedPinMismatch ?? false)
      catena_tls_set_object(
        connection, Unmanaged.passRetained(properties).toOpaque(),
        { object in
          guard let object else { return }
          Unmanaged<TLSMetrics.Properties>.fromOpaque(object).release()
        })
      return properties
    }
  }
#endif
