#if CATENA_CURL
  import CCatenaCurl
  import Foundation

  /// The verification of a server in one handshake.
  ///
  /// OpenSSL holds it for the connection and calls it on the I/O thread of the connection, which is
  /// the only thread that uses it.
  final class HandshakeVerifier: CallbackContext {
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
      else { return reject(.tlsHandshakeFailed, "OpenSSL rejects the versions of TLS") }
      guard let store = policy.anchors.store,
        catena_tls_context_on_verify(
          context, store.pointer,
          { verification, object in
            guard let verification else { return 0 }
            return HandshakeVerifier.at(object).verify(verification) ? 1 : 0
          }, Unmanaged.passRetained(self).toOpaque(), { HandshakeVerifier.release(at: $0) })
      else { return reject(.tlsHandshakeFailed, "OpenSSL rejects the authorities") }
      if policy.stapled != .ignored {
        let isRequested = catena_tls_context_on_status(context) { status, object in
          HandshakeVerifier.at(object).accepts(status) ? 1 : 0
        }
        guard isRequested else {
          return reject(.tlsHandshakeFailed, "OpenSSL cannot request a revocation status")
        }
      }
      guard let identity else { return true }
      return catena_tls_context_use(context, identity.pointer)
        || reject(
          .tlsHandshakeFailed,
          "OpenSSL rejects the client certificate, for example because its key is too short")
    }

    /// Notes the reason for which the handshake ends.
    ///
    /// - Returns: `false`.
    private func reject(
      _ code: NetworkError.Code, host name: String? = nil, _ reason: String
    ) -> Bool {
      let name = name ?? Self.name(host ?? "the proxy")
      failure = TLSFailure(code, host: name, reason, chain: certificates)
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
          return reject(
            Self.code(error), host: name, String(cString: catena_verify_describe(error)))
        }
        guard host == nil || catena_verify_host(verification, name) else {
          // `X509_V_ERR_HOSTNAME_MISMATCH`.
          catena_verify_end(verification, 62)
          return reject(.tlsHostMismatch, host: name, "the certificate is not for \(name)")
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
      switch status {
      case .good: true
      case .missing:
        policy.stapled != .required
          || reject(.tlsRevocationUnknown, "the server has sent no revocation status")
      case .revoked: reject(.tlsRevoked, "the certificate has been revoked")
      case .invalid:
        reject(
          .tlsRevocationUnknown,
          "the revocation status is malformed, has expired, or is not signed by the issuer")
      }
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

  extension TLSMetrics.Connection: CallbackContext {
    /// Returns the properties of a connection, which OpenSSL keeps for it.
    ///
    /// - Parameter connection: TLS on the connection, after its handshake.
    /// - Returns: The properties, which are the same for all exchanges of the connection.
    static func of(_ connection: OpaquePointer) -> TLSMetrics.Connection {
      if let object = catena_tls_object(connection) { return at(object) }
      let verifier = catena_tls_verifier(connection).map { HandshakeVerifier.at($0) }
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
      let shared = TLSMetrics.Connection(properties)
      catena_tls_set_object(
        connection, Unmanaged.passRetained(shared).toOpaque(),
        { TLSMetrics.Connection.release(at: $0) })
      return shared
    }
  }

  /// An object that a C library passes to callbacks as their context.
  protocol CallbackContext: AnyObject {}

  extension CallbackContext {
    /// Returns the object that is the context of a callback.
    static func at(_ context: UnsafeMutableRawPointer?) -> Self {
      Unmanaged.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    /// Releases an object that the library retains.
    static func release(at context: UnsafeMutableRawPointer?) {
      if let context { Unmanaged<Self>.fromOpaque(context).release() }
    }

    /// The context for callbacks while the caller retains this object.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
  }
#endif
