import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if canImport(Security)
  import CryptoKit
  import Security
#endif

/// The ``TLSOptions`` of a ``URLSessionTransport``, as far as the platform can keep to them.
struct URLSessionTrust: Sendable {
  let options: TLSOptions

  init(_ options: TLSOptions) {
    self.options = options
  }

  /// Why options cannot be kept to here; nil when they can.
  ///
  /// What cannot be kept to is not passed over: whoever pins a key has to know that nobody looks.
  static func refusal(of options: TLSOptions) -> TransportFailure? {
    #if canImport(FoundationNetworking)
      guard options != TLSOptions() else { return nil }
      return TransportFailure(
        code: .unsupported,
        detail: "URLSession on this platform has no TLS options; CurlTransport has")
    #else
      guard options.clientCertificate != nil || options.certificateAuthorities != nil else {
        return nil
      }
      return TransportFailure(
        code: .unsupported,
        detail:
          "A transport on URLSession takes no client certificate and no authorities of one's own")
    #endif
  }

  /// Sets what is the configuration's to say.
  func configure(_ configuration: URLSessionConfiguration) {
    #if !canImport(FoundationNetworking)
      let lowest: tls_protocol_version_t =
        switch options.minimumVersion {
        case .v1_0: .TLSv10
        case .v1_1: .TLSv11
        case .v1_2: .TLSv12
        case .v1_3: .TLSv13
        }
      // The default is the configuration's own to change.
      if options.minimumVersion != TLSOptions().minimumVersion {
        configuration.tlsMinimumSupportedProtocolVersion = lowest
      }
    #endif
  }
}

#if canImport(Security)
  extension URLSessionTrust {
    /// What is said to a server's certificate.
    struct Decision {
      var disposition = URLSession.AuthChallengeDisposition.performDefaultHandling
      var credential: URLCredential?
      /// Why the server is refused.
      var failure: TransportFailure?

      static func refuse(_ code: NetworkError.Code, _ detail: String) -> Decision {
        Decision(
          disposition: .cancelAuthenticationChallenge,
          failure: TransportFailure(code: code, detail: detail))
      }
    }

    /// Decides about a server; what the options say nothing of is left to the system.
    func decide(about space: URLProtectionSpace) -> Decision {
      let isChecked = !options.dangerouslyTrustsAnyCertificate
      guard !isChecked || !options.pinnedPublicKeys.isEmpty else { return Decision() }
      guard let trust = space.serverTrust else {
        return .refuse(.tlsUntrusted, "The server shows no certificate")
      }
      var error: CFError?
      if isChecked, !SecTrustEvaluateWithError(trust, &error) {
        // The system finds the same, and says it by a code of its own.
        return Decision()
      }
      if !options.pinnedPublicKeys.isEmpty, !Self.hasKey(trust, among: options.pinnedPublicKeys) {
        return .refuse(.pinMismatch, "The server's key is not among those pinned")
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

/// What stands before a bare public key to make it a SubjectPublicKeyInfo, which is what pins hash.
///
/// Source: RFC 5280 section 4.1.2.7, RFC 3279 section 2.3.1, RFC 5480 section 2.1.1.
enum PublicKeyInfoHeader {
  /// The bytes for a kind of key.
  ///
  /// - Parameters:
  ///   - isRSA: whether it is an RSA key; otherwise it is one on a curve of NIST's.
  ///   - bits: its size.
  /// - Returns: the bytes; nil for a kind that is not known.
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
