import Foundation

#if canImport(Security)
  import CryptoKit
  import Security
#endif

/// The SubjectPublicKeyInfo of a public key, on platforms that give out bare keys.
enum PublicKeyInfo {
  /// Returns the ASN.1 header that turns a bare public key into a SubjectPublicKeyInfo, or `nil` for
  /// an unknown kind of key.
  ///
  /// Source: RFC 5280 section 4.1.2.7, RFC 3279 section 2.3.1, RFC 5480 section 2.1.1.
  ///
  /// - Parameters:
  ///   - isRSA: Whether the key is an RSA key. Otherwise it is a key on a NIST curve.
  ///   - bits: The size of the key in bits.
  /// - Returns: The header.
  static func header(isRSA: Bool, bits: Int) -> Data? {
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

  #if canImport(Security)
    /// Returns the hash of the key of a certificate, or `nil` for an unknown kind of key.
    static func hash(of certificate: SecCertificate) -> Data? {
      guard let key = SecCertificateCopyKey(certificate),
        let attributes = SecKeyCopyAttributes(key) as? [CFString: Any],
        let type = attributes[kSecAttrKeyType] as? String,
        let size = attributes[kSecAttrKeySizeInBits] as? Int,
        let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?,
        let header = header(isRSA: type == kSecAttrKeyTypeRSA as String, bits: size)
      else { return nil }
      return Data(SHA256.hash(data: header + bytes))
    }

    /// Returns the hash of a certificate's key or of a public key, in PEM or DER, or `nil`.
    ///
    /// A public key is one whose header this platform knows.
    static func hash(of bytes: Data) -> Data? {
      let blocks = PEMText.blocks(in: bytes, labeled: ["CERTIFICATE", "PUBLIC KEY"])
      let der = bytes.first == 0x30 ? bytes : blocks.first ?? Data()
      if let certificate = SecCertificateCreateWithData(nil, der as CFData) {
        return hash(of: certificate)
      }
      let headers =
        [2_048, 3_072, 4_096].map { header(isRSA: true, bits: $0) }
        + [256, 384, 521].map { header(isRSA: false, bits: $0) }
      let isKey = headers.contains { header in header.map { der.starts(with: $0) } ?? false }
      return isKey ? Data(SHA256.hash(data: der)) : nil
    }
  #endif
}

/// Text with DER in base64 between labeled lines.
///
/// Source: RFC 7468 section 2.
enum PEMText {
  /// Returns the bytes of the blocks with one of the labels, in order.
  static func blocks(in text: Data, labeled labels: Set<String>) -> [Data] {
    var blocks: [Data] = []
    var current: (label: String, base64: String)?
    for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
        current = (String(line.dropFirst(11).dropLast(5)), "")
      } else if line.hasPrefix("-----END ") {
        if let block = current, labels.contains(block.label),
          let bytes = Data(base64Encoded: block.base64)
        {
          blocks.append(bytes)
        }
        current = nil
      } else {
        current?.base64 += line
      }
    }
    return blocks
  }
}
