import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if canImport(Security)
  import CryptoKit
  import Security
#endif

/// The TLS options of a ``URLSessionTransport``, as far as the platform supports them.
struct URLSessionTrust: Sendable {
  let options: TLSOptions

  init(_ options: TLSOptions) {
    self.options = options
  }

  /// Returns the failure for options that the platform does not support, or `nil`.
  ///
  /// Such options are not ignored: for example, a caller who pins a key must know if it is not
  /// checked.
  static func unsupportedOptions(in options: TLSOptions) -> TransportFailure? {
    #if canImport(FoundationNetworking)
      guard options != TLSOptions() else { return nil }
      return TransportFailure(
        code: .unsupported,
        detail: "URLSessionTransport does not support TLS options on Linux; use CurlTransport")
    #else
      guard options.clientCertificate != nil || options.certificateAuthorities != nil else {
        return nil
      }
      return TransportFailure(
        code: .unsupported,
        detail:
          "URLSessionTransport supports neither client certificates nor custom authorities")
    #endif
  }

  /// Applies the options that belong to the session configuration.
  func configure(_ configuration: URLSessionConfiguration) {
    #if !canImport(FoundationNetworking)
      let lowest: tls_protocol_version_t =
        switch options.minimumVersion {
        case .v1_0: .TLSv10
        case .v1_1: .TLSv11
        case .v1_2: .TLSv12
        case .v1_3: .TLSv13
        }
      // The default value does not override the version of the configuration.
      if options.minimumVersion != TLSOptions().minimumVersion {
        configuration.tlsMinimumSupportedProtocolVersion = lowest
      }
    #endif
  }
}

/// The kind of a challenge that a connection of a session receives.
enum TLSChallenge: Sendable {
  /// The server has presented a certificate.
  case serverTrust
  /// The server requests a certificate of the client.
  case clientCertificate
  /// Any other challenge, such as one for a password.
  case other

  /// The party that responds to a challenge.
  enum Responder: Sendable {
    /// The delegate of the caller.
    ///
    /// Without a delegate that handles challenges, the system evaluates servers, and requests for a
    /// certificate are rejected.
    case delegate
    /// The system, under the TLS options.
    case system
    /// The transport, which rejects the challenge and continues without credentials.
    case reject
  }

  /// Returns the party that responds to a challenge of this kind.
  ///
  /// The TLS options take precedence over the delegate.
  ///
  /// - Parameters:
  ///   - options: The TLS options of the transport.
  ///   - withholdsCertificate: Whether the request presents no client certificate, because a
  ///     redirect has led to another origin.
  /// - Returns: The party that responds.
  func responder(
    under options: TLSOptions, withholdingCertificate withholdsCertificate: Bool
  ) -> Responder {
    switch self {
    case .serverTrust: options.evaluatesServers ? .system : .delegate
    case .clientCertificate: withholdsCertificate ? .reject : .delegate
    case .other: .reject
    }
  }
}

extension TLSOptions {
  /// Whether an option concerns the certificates of servers after the handshake.
  fileprivate var evaluatesServers: Bool {
    dangerouslyTrustsAnyCertificate || !pinnedPublicKeys.isEmpty
  }
}

#if canImport(Security)
  extension TLSChallenge {
    /// Makes the kind of a challenge.
    ///
    /// - Parameter space: The protection space of the challenge.
    init(_ space: URLProtectionSpace) {
      self =
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust: .serverTrust
        case NSURLAuthenticationMethodClientCertificate: .clientCertificate
        default: .other
        }
    }
  }

  extension URLSessionTrust {
    /// The decision on a server's certificate.
    struct Decision {
      var disposition = URLSession.AuthChallengeDisposition.performDefaultHandling
      var credential: URLCredential?
      /// The failure, if the server is rejected.
      var failure: TransportFailure?

      static func reject(_ code: NetworkError.Code, _ detail: String) -> Decision {
        Decision(
          disposition: .cancelAuthenticationChallenge,
          failure: TransportFailure(code: code, detail: detail))
      }
    }

    /// Evaluates the certificate of a server, or leaves it to the system if no option concerns it.
    func decision(for space: URLProtectionSpace) -> Decision {
      guard options.evaluatesServers else { return Decision() }
      let verifiesTrust = !options.dangerouslyTrustsAnyCertificate
      guard let trust = space.serverTrust else {
        return .reject(.tlsUntrusted, "The server sent no certificate")
      }
      var error: CFError?
      if verifiesTrust, !SecTrustEvaluateWithError(trust, &error) {
        // The system reaches the same result and reports it with its own error code.
        return Decision()
      }
      if !options.pinnedPublicKeys.isEmpty, !Self.hasKey(trust, among: options.pinnedPublicKeys) {
        return .reject(.pinMismatch, "The server's public key is not one of the pinned keys")
      }
      return Decision(disposition: .useCredential, credential: URLCredential(trust: trust))
    }

    private static func hasKey(_ trust: SecTrust, among pins: [String]) -> Bool {
      guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate],
        let leaf = chain.first, let key = SecCertificateCopyKey(leaf),
        let attributes = SecKeyCopyAttributes(key) as? [CFString: Any],
        let type = attributes[kSecAttrKeyType] as? String,
        let size = attributes[kSecAttrKeySizeInBits] as? Int,
        let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?,
        let prefix = PublicKeyInfoHeader.bytes(
          isRSA: type == kSecAttrKeyTypeRSA as String, bits: size)
      else { return false }
      let hash = Data(SHA256.hash(data: prefix + bytes)).base64EncodedString()
      return pins.contains { $0 == hash || $0 == "sha256//" + hash }
    }
  }
#endif

/// The ASN.1 header that turns a bare public key into a SubjectPublicKeyInfo, the structure that
/// pins hash.
///
/// Source: RFC 5280 section 4.1.2.7, RFC 3279 section 2.3.1, RFC 5480 section 2.1.1.
enum PublicKeyInfoHeader {
  /// Returns the header for a kind of key.
  ///
  /// - Parameters:
  ///   - isRSA: Whether the key is an RSA key. Otherwise it is a key on a NIST curve.
  ///   - bits: The size of the key in bits.
  /// - Returns: The header, or `nil` for an unknown kind.
  static func bytes(isRSA: Bool, bits: Int) -> Data? {
    let base64: String? =
      switch (isRSA, bits) {
      case (true, 2_048): "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"
      case (true, 3_072): "MIIBojANBgkqhkiG9w0BAQEFAAOCAY8A"
      case (true, 4_096): "MIICIjANBgkqhkiG9w0BAQEFAAOCAg8A"
      case (false, 256): "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgA="
      case (false, 384): "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgA="
      case (false, 521): "MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAA=="
      default: nil
      }
    return base64.flatMap { Data(base64Encoded: $0) }
  }
}
