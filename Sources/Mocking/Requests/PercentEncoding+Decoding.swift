package import CatenaSystem

extension PercentEncoding {
  /// Decodes a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - plusIsSpace: Whether a plus sign is a space, as in a form.
  /// - Returns: The decoded text, in which invalid UTF-8 sequences are replaced. `nil` if a `%` is not
  ///   followed by two hexadecimal digits.
  package static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    guard isEncoded(text, plusIsSpace) else { return String(text) }
    return bytes(of: text, plusIsSpace).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Decodes a text, or returns it unchanged if a `%` is not followed by two hexadecimal digits or
  /// the result is not UTF-8.
  package static func decodeIfValid(_ text: Substring, plusIsSpace: Bool) -> String {
    guard isEncoded(text, plusIsSpace) else { return String(text) }
    return bytes(of: text, plusIsSpace).flatMap { String(validUTF8: $0) }
      ?? String(text)
  }

  private static func isEncoded(_ text: Substring, _ plusIsSpace: Bool) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) }
  }

  private static func bytes(of text: Substring, _ plusIsSpace: Bool) -> [UInt8]? {
    let utf8 = text.utf8
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return bytes
  }
}
