import CatenaSystem
import Foundation
import Networking

#if canImport(CryptoKit)
  import CommonCrypto
  import CryptoKit
#else
  import CCatena
#endif

/// The encryption of a token file by AES-256-GCM.
///
///     CATENATK  the name of the format         8 bytes
///     version   1                              1 byte
///     source    0: bytes, 1: passphrase        1 byte
///     iterations of PBKDF2, or 0               4 bytes, most significant first
///     salt of PBKDF2, or zeros                16 bytes
///     nonce                                   12 bytes
///     text                                    any number of bytes
///     tag                                     16 bytes
///
/// The tag authenticates all bytes, so that a change anywhere is detected. The library of the
/// platform encrypts: CryptoKit on Apple platforms, OpenSSL's libcrypto on Linux.
///
/// Source: NIST SP 800-38D; RFC 8018 section 5.2.
final class TokenCipher: Sendable {
  private struct Derived {
    var salt: Data
    var iterations: Int
    var key: Data
  }

  private static let name = Data("CATENATK".utf8)
  private static let headerLength = 42
  private static let tagLength = 16

  private let encryptionKey: TokenEncryptionKey
  private var source: TokenEncryptionKey.Source { encryptionKey.source }
  /// The key of the last salt of a file that was authentic, because a derivation is slow.
  private let derived = Mutex<Derived?>(nil)

  init(_ key: TokenEncryptionKey) {
    encryptionKey = key
  }

  /// Encrypts the content of a file.
  ///
  /// - Throws: ``OAuth2Error`` if the key has another length, or the library is missing.
  func seal(_ text: Data) throws -> Data {
    var header = Self.name + [1]
    let key: Data
    switch source {
    case .bytes(let bytes):
      key = bytes
      header += Data(count: 21)
    case .passphrase(_, let iterations):
      let known = derived.withLock { $0 }.flatMap { $0.iterations >= iterations ? $0 : nil }
      let salt = known?.salt ?? RandomBytes.make(16)
      let count = known?.iterations ?? iterations
      key = try known?.key ?? derivedKey(salt: salt, iterations: count)
      derived.withLock { $0 = Derived(salt: salt, iterations: count, key: key) }
      header.append(1)
      header += withUnsafeBytes(of: UInt32(count).bigEndian) { Data($0) } + salt
    }
    let nonce = RandomBytes.make(12)
    header += nonce
    return header + (try AES256.seal(text, key: key, nonce: nonce, header: header))
  }

  /// Decrypts the content of a file.
  ///
  /// - Throws: ``OAuth2Error`` with the code `decryptionFailed` if a byte has been changed or the key
  ///   is not that of the file.
  func open(_ file: Data) throws -> Data {
    let file = Data(file)
    guard file.count >= Self.headerLength + Self.tagLength, file.prefix(8) == Self.name,
      file[8] == 1
    else { throw OAuth2Error(.decryptionFailed) }
    let header = file.prefix(Self.headerLength)
    let key: Data
    var found: Derived?
    switch (source, file[9]) {
    case (.bytes(let bytes), 0): key = bytes
    case (.passphrase, 1):
      let iterations = file[10..<14].reduce(0) { $0 << 8 | Int($1) }
      guard (1...TokenEncryptionKey.maximumIterations).contains(iterations) else {
        throw OAuth2Error(.decryptionFailed)
      }
      let salt = Data(file[14..<30])
      key = try derivedKey(salt: salt, iterations: iterations)
      found = Derived(salt: salt, iterations: iterations, key: key)
    default: throw OAuth2Error(.decryptionFailed)
    }
    let text = try AES256.open(
      file.dropFirst(Self.headerLength), key: key, nonce: Data(header.suffix(12)),
      header: Data(header))
    // Only now, so that a forged file has no effect on the next one.
    if let found { derived.withLock { $0 = found } }
    return text
  }

  private func derivedKey(salt: Data, iterations: Int) throws -> Data {
    guard case .passphrase(let passphrase, _) = source else {
      throw OAuth2Error(.decryptionFailed)
    }
    let known = derived.withLock { $0 }
    if let known, known.salt == salt, known.iterations == iterations { return known.key }
    return try AES256.derivedKey(passphrase, salt: salt, iterations: iterations, isSHA1: false)
  }
}

extension TokenCipher: BrieflyDescribed {}

/// The functions of the platform's library for AES-256.
enum AES256 {
  /// Encrypts a text by AES-256-GCM.
  ///
  /// - Returns: The encrypted text, followed by the tag of 16 bytes.
  static func seal(_ text: Data, key: Data, nonce: Data, header: Data) throws -> Data {
    try check(key)
    #if canImport(CryptoKit)
      let box = try AES.GCM.seal(
        text, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce),
        authenticating: header)
      return box.ciphertext + box.tag
    #else
      var output = [UInt8](repeating: 0, count: text.count)
      var tag = [UInt8](repeating: 0, count: Int(CATENA_GCM_TAG_SIZE))
      let done = catena_gcm_seal(
        Array(key), Array(nonce), Array(header), header.count, Array(text), text.count, &output,
        &tag)
      guard done else { throw OAuth2Error(.cryptographyUnavailable) }
      return Data(output + tag)
    #endif
  }

  /// Decrypts a text by AES-256-GCM.
  ///
  /// - Parameters:
  ///   - sealed: The encrypted text, followed by the tag of 16 bytes.
  ///   - key: The key.
  ///   - nonce: The nonce.
  ///   - header: The bytes that the tag authenticates, too.
  /// - Returns: The text.
  /// - Throws: ``OAuth2Error`` with the code `decryptionFailed` if the tag does not match.
  static func open(_ sealed: Data, key: Data, nonce: Data, header: Data) throws -> Data {
    try check(key)
    let (text, tag) = (Data(sealed.dropLast(16)), Data(sealed.suffix(16)))
    #if canImport(CryptoKit)
      do {
        let box = try AES.GCM.SealedBox(
          nonce: AES.GCM.Nonce(data: nonce), ciphertext: text, tag: tag)
        return try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: header)
      } catch {
        throw OAuth2Error(.decryptionFailed)
      }
    #else
      var output = [UInt8](repeating: 0, count: text.count)
      let done = catena_gcm_open(
        Array(key), Array(nonce), Array(header), header.count, Array(text), text.count, Array(tag),
        &output)
      guard done else { throw OAuth2Error(.decryptionFailed) }
      return Data(output)
    #endif
  }

  /// Decrypts a text by AES-256-CBC with the padding of PKCS #7.
  static func openCBC(_ text: Data, key: Data, vector: Data) throws -> Data {
    try check(key)
    guard vector.count == 16, !text.isEmpty, text.count % 16 == 0 else {
      throw OAuth2Error(.decryptionFailed)
    }
    var output = [UInt8](repeating: 0, count: text.count)
    #if canImport(CryptoKit)
      var count = 0
      let status = CCCrypt(
        CCOperation(kCCDecrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding),
        Array(key), key.count, Array(vector), Array(text), text.count, &output, output.count, &count
      )
      guard status == kCCSuccess else { throw OAuth2Error(.decryptionFailed) }
    #else
      let count = catena_cbc_decrypt(
        Array(key), Array(vector), Array(text), text.count, &output)
      guard count >= 0 else { throw OAuth2Error(.decryptionFailed) }
    #endif
    return Data(output.prefix(count))
  }

  /// Derives a key of 32 bytes by PBKDF2.
  static func derivedKey(
    _ passphrase: String, salt: Data, iterations: Int, isSHA1: Bool
  ) throws -> Data {
    var output = [UInt8](repeating: 0, count: 32)
    let bytes = passphrase.utf8.map { CChar(bitPattern: $0) }
    #if canImport(CryptoKit)
      let function = isSHA1 ? kCCPRFHmacAlgSHA1 : kCCPRFHmacAlgSHA256
      let status = CCKeyDerivationPBKDF(
        CCPBKDFAlgorithm(kCCPBKDF2), bytes, bytes.count, Array(salt), salt.count,
        CCPseudoRandomAlgorithm(function), UInt32(iterations), &output, output.count)
      guard status == kCCSuccess else { throw OAuth2Error(.cryptographyUnavailable) }
    #else
      let done = catena_pbkdf2(
        isSHA1, bytes, bytes.count, Array(salt), salt.count, Int32(iterations), &output,
        output.count)
      guard done else { throw OAuth2Error(.cryptographyUnavailable) }
    #endif
    return Data(output)
  }

  private static func check(_ key: Data) throws {
    guard key.count == 32 else {
      throw OAuth2Error(.storeFailed, "a key of AES-256 has 32 bytes, not \(key.count)")
    }
  }
}
