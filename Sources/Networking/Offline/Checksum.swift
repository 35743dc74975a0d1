/// Tells whether bytes are those that were written, as far as accidents go: it is no cryptography.
///
/// Source: the FNV-1a hash, 64 bits, RFC 9923 section 2.
struct Checksum: Sendable {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var value = value
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    self.value = value
  }

  /// Sixteen hexadecimal digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
