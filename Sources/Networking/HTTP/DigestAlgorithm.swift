import CatenaSystem
import Foundation

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCatena
#endif

/// A hash function of Digest authentication, also for the names of stored files.
///
/// The platform's library computes the hashes: CryptoKit on Apple platforms, which does not have
/// SHA-512/256, and OpenSSL's libcrypto on Linux.
///
/// Source: RFC 7616 section 6.1.
package enum DigestAlgorithm: String, CaseIterable, Sendable {
  case md5 = "MD5"
  case sha256 = "SHA-256"
  case sha512_256 = "SHA-512-256"

  /// Whether the platform's library has the function.
  ///
  /// The first use of a library loads it, which may block.
  var isAvailable: Bool { hash(Data()) != nil }

  /// Returns the hash of a text in UTF-8, as hexadecimal digits in lower case, or `nil` if the
  /// platform does not have the function.
  package func hash(_ text: String) -> String? { hash(Data(text.utf8)) }

  /// Returns the hash of bytes, as hexadecimal digits in lower case, or `nil` if the platform does
  /// not have the function.
  func hash(_ data: Data) -> String? {
    #if canImport(CryptoKit)
      switch self {
      case .md5: return Insecure.MD5.hash(data: data).hexadecimalText
      case .sha256: return SHA256.hash(data: data).hexadecimalText
      case .sha512_256: return nil
      }
    #else
      let function: CatenaHash =
        switch self {
        case .md5: .MD5
        case .sha256: .SHA256
        case .sha512_256: .SHA512_256
        }
      var output = [UInt8](repeating: 0, count: Int(CATENA_HASH_SIZE))
      let size = data.withUnsafeBytes { bytes in
        catena_hash(function, bytes.baseAddress, bytes.count, &output)
      }
      return size > 0 ? output.prefix(size).hexadecimalText : nil
    #endif
  }
}
