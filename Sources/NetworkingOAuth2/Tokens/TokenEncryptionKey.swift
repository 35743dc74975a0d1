import CatenaSystem
public import Foundation
import Networking

#if canImport(CryptoKit)
  import CommonCrypto
  import CryptoKit
#else
  import CCatena
#endif

/// The key of an encrypted token file.
///
/// The description and the mirror do not contain it.
public struct TokenEncryptionKey: Sendable, BrieflyDescribed {
  /// The source of the bytes.
  enum Source: Sendable {
    case bytes(Data)
    case passphrase(String, iterations: Int)
  }

  let source: Source

  /// A key of 32 random bytes, which the caller keeps in a safe place.
  ///
  /// - Parameter bytes: The bytes. Any other number of bytes fails when the file is used.
  /// - Returns: The key.
  public static func bytes(_ bytes: Data) -> Self { Self(source: .bytes(bytes)) }

  /// A key that is derived from a passphrase by PBKDF2 with HMAC-SHA256 and a random salt.
  ///
  /// The derivation takes some tenths of a second, once for each store. The file records the
  /// number of iterations.
  ///
  /// - Parameters:
  ///   - passphrase: The passphrase.
  ///   - iterations: The number of iterations for a new file, at most 4,000,000.
  /// - Returns: The key.
  public static func passphrase(_ passphrase: String, iterations: Int = 600_000) -> Self {
    Self(source: .passphrase(passphrase, iterations: min(max(iterations, 1), maximumIterations)))
  }

  /// Returns 32 new random bytes, for ``bytes(_:)``.
  public static func makeBytes() -> Data { RandomBytes.make(32) }

  /// A changed file must not occupy the processor for long.
  static let maximumIterations = 4_000_000

  /// The kind of the key.
  public var description: String {
    switch source {
    case .bytes: "TokenEncryptionKey(bytes)"
    case .passphrase: "TokenEncryptionKey(passphrase)"
    }
  }
}

/// Random bytes of the system's generator.
enum RandomBytes {
  /// Returns random bytes.
  static func make(_ count: Int) -> Data {
    var generator = SystemRandomNumberGenerator()
    return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}
