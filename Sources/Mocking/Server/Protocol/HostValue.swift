import Networking

/// What a Host field may say: a name or an address, and perhaps a port; nothing at all as well.
///
/// Source: RFC 9110 section 7.2, RFC 3986 section 3.2.2.
enum HostValue {
  static func isValid(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.first == UInt8(ascii: "[") else {
        let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        return isName(bytes[..<end]) && isPort(bytes[end...])
      }
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), end > 1 else { return false }
      return bytes[1..<end].allSatisfy { isPlain($0) || $0 == UInt8(ascii: ":") }
        && isPort(bytes[(end + 1)...])
    }
  }

  private static func isName(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard rest.popFirst()?.hexDigitValue != nil, rest.popFirst()?.hexDigitValue != nil else {
          return false
        }
      } else if !isPlain(byte) {
        return false
      }
    }
    return true
  }

  private static func isPort(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let first = bytes.first else { return true }
    return first == UInt8(ascii: ":") && bytes.dropFirst().allSatisfy(isDigit)
  }

  /// Whether it is unreserved or a delimiter within a part.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
      UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
      UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default: byte.isASCIIAlphanumeric
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
