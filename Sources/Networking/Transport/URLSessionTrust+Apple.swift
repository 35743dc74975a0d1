#if canImport(Security)
  import CryptoKit
  import Foundation
  import Security

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
        let prefix = PublicKeyPrefix.bytes(isRSA: type == kSecAttrKeyTypeRSA as String, bits: size)
      else { return false }
      let hash = Data(SHA256.hash(data: prefix + bytes)).base64EncodedString()
      return pins.contains { $0 == hash || $0 == "sha256//" + hash }
    }
  }
#endif
