import Networking

/// Percent-decoding of the parts of a request target.
enum PercentCoding {
  /// Decodes; nil when a `%` is not followed by two hexadecimal digits.
  ///
  /// What is no UTF-8 is repaired.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    let utf8 = text.utf8
    guard
      utf8.contains(where: { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) })
    else { return String(text) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue
        else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
