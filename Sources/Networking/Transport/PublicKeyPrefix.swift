import Foundation

/// What stands before a bare public key to make it a SubjectPublicKeyInfo, which is what pins hash.
///
/// Source: RFC 5280 section 4.1.2.7, RFC 3279 section 2.3.1, RFC 5480 section 2.1.1.
enum PublicKeyPrefix {
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
