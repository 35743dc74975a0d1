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

#if canImport(Security)
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
      let verifiesTrust = !options.dangerouslyTrustsAnyCertificate
      guard !verifiesTrust || !options.pinnedPublicKeys.isEmpty else { return Decision() }
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
