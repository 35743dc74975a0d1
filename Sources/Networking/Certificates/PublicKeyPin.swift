import Foundation

#if CATENA_CURL
  import CCatenaCurl
#endif

/// The SHA-256 hash of a public key, by which a client recognizes a server or an authority.
///
/// The hash covers the key with its algorithm, the SubjectPublicKeyInfo, and not the certificate. So
/// a renewed certificate with the same key has the same pin.
///
/// ```swift
/// let current: PublicKeyPin = "sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
/// let backup = try PublicKeyPin(pem: String(contentsOf: file, encoding: .utf8))
/// ```
///
/// `swift run tls-pins example.com` prints the pins of a server.
///
/// Source: RFC 7469 section 2.4.
public struct PublicKeyPin: Sendable, Hashable {
  /// Whether the text of a literal is malformed.
  let isMalformed: Bool
  /// The hash in base64 after `sha256/`, or the malformed text.
  private let text: String
}

extension PublicKeyPin {
  /// Makes a pin from the bytes of a hash.
  init(hash: Data) { self.init(isMalformed: false, text: "sha256/\(hash.base64EncodedString())") }

  /// Makes a pin from text.
  ///
  /// A malformed text is refused when the ``TLSOptions`` with the pin are made.
  ///
  /// - Parameter text: The hash in base64, with or without one of the prefixes `sha256/` and
  ///   `sha256//`.
  public init(_ text: String) {
    var base64 = text[...]
    for prefix in ["sha256//", "sha256/"] where base64.hasPrefix(prefix) {
      base64 = base64.dropFirst(prefix.count)
      break
    }
    if let hash = Data(base64Encoded: String(base64)), hash.count == 32 {
      self.init(hash: hash)
    } else {
      self.init(isMalformed: true, text: text)
    }
  }

  /// Computes the pin of a certificate or a public key, or returns `nil` if the bytes are neither.
  ///
  /// - Parameter bytes: The certificate or key, in PEM or DER.
  init?(of bytes: Data) {
    #if CATENA_CURL
      var hash = [UInt8](repeating: 0, count: 32)
      let isHashed = bytes.withUnsafeBytes { catena_key_hash($0.baseAddress, $0.count, &hash) }
      guard isHashed else { return nil }
      self.init(hash: Data(hash))
    #elseif canImport(Security)
      guard let hash = PublicKeyInfo.hash(of: bytes) else { return nil }
      self.init(hash: hash)
    #else
      return nil
    #endif
  }
}

extension PublicKeyPin: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Makes a pin from text, as ``init(_:)`` does.
  ///
  /// - Parameter value: The hash in base64, with or without a prefix.
  public init(stringLiteral value: String) { self.init(value) }

  /// The hash in base64 after `sha256/`.
  public var description: String { text }
}
