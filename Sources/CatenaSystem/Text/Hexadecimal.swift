extension UInt8 {
  /// The value of the byte as a hexadecimal digit, or `nil` if it is not one.
  @inlinable package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The two uppercase hexadecimal digits of the byte.
  package var hexadecimalDigits: [UInt8] {
    [self >> 4, self & 15].map {
      $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "A") + $0 - 10
    }
  }
}

extension FixedWidthInteger {
  /// Returns the hexadecimal digits of a number that is not negative.
  ///
  /// - Parameters:
  ///   - count: The minimum number of digits.
  ///   - isUppercase: Whether letters are in upper case.
  /// - Returns: The digits, with leading zeros.
  package func hexadecimal(digits count: Int, uppercase isUppercase: Bool = false) -> String {
    let digits = String(self, radix: 16, uppercase: isUppercase)
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }
}

extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits in lower case.
  package var hexadecimalText: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
