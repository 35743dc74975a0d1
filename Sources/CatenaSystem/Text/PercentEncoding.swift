/// A percent-encoding: the set of characters that stay as they are.
///
/// Source: RFC 3986 section 2.1.
package struct PercentEncoding: Sendable, Hashable {
  // A bit for each character of ASCII.
  @usableFromInline var low: UInt64 = 0
  @usableFromInline var high: UInt64 = 0

  /// The encoding for any part of a URL, which keeps the unreserved characters.
  ///
  /// Source: RFC 3986 section 2.3.
  package static let url = fileName.keeping("~")
  /// The encoding for `application/x-www-form-urlencoded`.
  ///
  /// Unlike in a URL, `~` is encoded and `*` is not.
  ///
  /// Source: the URL Standard (WHATWG) section 5.2.
  package static let form = fileName.keeping("*")
  /// The encoding for an extended value of a header field.
  ///
  /// Source: RFC 8187 section 3.2.1.
  package static let fieldValue = url.keeping("!#$&+^`|")
  /// The encoding for names of files; see also ``fileName(_:)``.
  package static let fileName = PercentEncoding().keeping(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._")

  /// Returns an encoding that keeps further characters of ASCII.
  package func keeping(_ characters: StaticString) -> PercentEncoding {
    var encoding = self
    for byte in "\(characters)".utf8 {
      if byte < 64 { encoding.low |= 1 << byte } else { encoding.high |= 1 << (byte - 64) }
    }
    return encoding
  }

  /// Whether a byte is not percent-encoded.
  @inlinable package func isUnescaped(_ byte: UInt8) -> Bool {
    byte < 128 && (byte < 64 ? low : high) >> (byte & 63) & 1 == 1
  }

  /// Returns the encoded text, which is the same string if no character must be encoded.
  package func encoded(_ text: String) -> String {
    if text.utf8.allSatisfy({ isUnescaped($0) }) { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isUnescaped(byte) { bytes.append(byte) } else { Self.append(escaped: byte, to: &bytes) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a text as the name of a file that is not hidden.
  package static func fileName(_ text: String) -> String {
    let name = fileName.encoded(text)
    return name.hasPrefix(".") ? "%2E" + name.dropFirst() : name
  }

  /// Appends a percent-encoded byte to a buffer.
  package static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "%"))
    bytes += byte.hexadecimalDigits
  }
}
