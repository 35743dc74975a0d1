public import Foundation
import Networking

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCatena
#endif

/// A reader of tokens that another library has encrypted by AES-256-CBC, for a migration.
///
///     vector   16 bytes
///     text     a multiple of 16 bytes
///     code     HMAC-SHA256 of the vector and the text, 32 bytes, if there is a key for it
///
/// ```swift
/// let cipher = LegacyTokenCipher(key: key, authenticationKey: authenticationKey)
/// let text = try cipher.open(Data(contentsOf: oldFile))
/// ```
///
/// It does not write such files: ``FileTokenStore`` encrypts by AES-256-GCM.
///
/// Source: NIST SP 800-38A section 6.2; RFC 2104.
public struct LegacyTokenCipher: Sendable, BrieflyDescribed {
  private let key: Data
  private let authenticationKey: Data?

  /// Creates a reader with keys.
  ///
  /// - Parameters:
  ///   - key: The key of 32 bytes.
  ///   - authenticationKey: The key of the code. `nil` for a file without a code, whose changes
  ///     cannot be detected.
  public init(key: Data, authenticationKey: Data?) {
    self.key = key
    self.authenticationKey = authenticationKey
  }

  /// Creates a reader with a key that is derived by PBKDF2 with HMAC-SHA1, for a file without a
  /// code.
  ///
  /// The derivation blocks for some milliseconds.
  ///
  /// - Parameters:
  ///   - passphrase: The passphrase.
  ///   - salt: The salt.
  ///   - iterations: The number of iterations.
  /// - Throws: ``OAuth2Error`` if the library for cryptography is missing.
  public init(passphrase: String, salt: String, iterations: Int = 45_000) throws {
    let count = min(max(iterations, 1), TokenEncryptionKey.maximumIterations)
    self.init(
      key: try AES256.derivedKey(
        passphrase, salt: Data(salt.utf8), iterations: count, isSHA1: true),
      authenticationKey: nil)
  }

  /// Decrypts a file.
  ///
  /// - Parameter file: The content of the file.
  /// - Returns: The decrypted bytes.
  /// - Throws: ``OAuth2Error`` with the code `decryptionFailed` if the file has been changed or the
  ///   key is wrong.
  public func open(_ file: Data) throws -> Data {
    var text = Data(file)
    if let authenticationKey {
      let code = Data(text.suffix(32))
      text = Data(text.dropLast(32))
      guard let expected = Self.code(of: text, key: authenticationKey), code.count == 32,
        // All bytes are compared, so that the time does not depend on them.
        zip(code, expected).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0
      else { throw OAuth2Error(.decryptionFailed) }
    }
    return try AES256.openCBC(
      Data(text.dropFirst(16)), key: key, vector: Data(text.prefix(16)))
  }

  private static func code(of data: Data, key: Data) -> Data? {
    #if canImport(CryptoKit)
      return Data(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)))
    #else
      var output = [UInt8](repeating: 0, count: Int(CATENA_HASH_SIZE))
      let size = catena_hmac_sha256(Array(key), key.count, Array(data), data.count, &output)
      return size == 32 ? Data(output.prefix(32)) : nil
    #endif
  }
}

extension OAuth2Token {
  private struct Legacy: Decodable {
    var accessToken: String
    var refreshToken: String?
    var expiration: Date
  }

  /// Reads a token that Conduit has encoded as JSON: `accessToken`, `refreshToken` and
  /// `expiration`.
  ///
  /// - Parameter json: The JSON, in which dates count from 2001.
  /// - Throws: ``OAuth2Error`` with the code `malformedResponse` if it is not such a token.
  public init(conduit json: Data) throws {
    guard let token = try? JSONDecoder().decode(Legacy.self, from: json) else {
      // The error of the decoder is left out, because it may contain a token.
      throw OAuth2Error(.malformedResponse, "it is not a token of Conduit")
    }
    self.init(
      accessToken: token.accessToken, refreshToken: token.refreshToken,
      issued: min(Date(), token.expiration), expires: token.expiration)
  }
}
