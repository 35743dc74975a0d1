import CatenaSystem

/// The decoding of names and values, which ignores percent signs without two digits.
///
/// Source: RFC 3986 section 2.1.
enum EscapedBytes {
  /// Returns the byte at a position, and advances the position.
  @inline(__always) static func nextByte(
    of bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> UInt8 {
    let byte = bytes[position]
    position += 1
    guard byte == UInt8(ascii: "%"), let decoded = digits(of: bytes, at: position) else {
      return byte
    }
    position += 2
    return decoded
  }

  @inline(__always) private static func digits(
    of bytes: UnsafeBufferPointer<UInt8>, at position: Int
  ) -> UInt8? {
    guard position + 1 < bytes.count, let high = bytes[position].hexDigitValue,
      let low = bytes[position + 1].hexDigitValue
    else { return nil }
    return high << 4 | low
  }

  /// Returns the byte at a position, which may be encoded several times as in `%2541`, with the
  /// number of times, and advances the position.
  @inline(__always) static func nextNestedByte(
    of bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> (byte: UInt8, depth: Int) {
    let start = position
    var (byte, depth) = (nextByte(of: bytes, at: &position), 0)
    guard position > start + 1 else { return (byte, 0) }
    depth = 1
    while byte == UInt8(ascii: "%"), let decoded = digits(of: bytes, at: position) {
      (byte, depth, position) = (decoded, depth + 1, position + 2)
    }
    return (byte, min(depth, maximumDepth))
  }

  /// The limit for repeated encoding, as in a URL in a parameter of a URL.
  ///
  /// Bytes that are encoded more often count as encoded so many times.
  static let maximumDepth = 8

  /// Returns a text without repeated percent-encoding, and with invalid UTF-8 repaired.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - times: The limit for the number of times that the text is decoded.
  /// - Returns: The decoded text.
  static func decoded(_ text: String, times: Int = 1) -> String {
    var text = text
    for _ in 0..<times {
      guard text.utf8.contains(UInt8(ascii: "%")) else { break }
      let decoded = text.withUTF8 { bytes in
        var (decoded, position) = ([UInt8](), 0)
        decoded.reserveCapacity(bytes.count)
        while position < bytes.count { decoded.append(nextByte(of: bytes, at: &position)) }
        return String(decoding: decoded, as: UTF8.self)
      }
      guard decoded != text else { break }
      text = decoded
    }
    return text
  }
}
