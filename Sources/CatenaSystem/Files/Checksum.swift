/// A checksum that detects accidental changes and is the same in every process; it is not
/// cryptographic.
///
/// Source: the FNV-1a hash, 64 bits, RFC 9923 section 2.
package struct Checksum: Sendable, Hashable {
  /// The checksum as a number.
  @usableFromInline package var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates the checksum of no bytes.
  @inlinable package init() {}

  /// Creates the checksum of bytes.
  @inlinable package init(_ bytes: some Sequence<UInt8>) {
    add(bytes)
  }

  /// Adds a byte.
  @inlinable package mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  /// Adds bytes.
  @inlinable package mutating func add(_ bytes: some Sequence<UInt8>) {
    let isAdded: Void? = bytes.withContiguousStorageIfAvailable { bytes in
      var sum = self
      for byte in bytes { sum.add(byte) }
      self = sum
    }
    if isAdded == nil { for byte in bytes { add(byte) } }
  }

  /// The checksum as 16 hexadecimal digits.
  package var text: String { value.hexadecimal(digits: 16) }
}

/// The length and checksum of the contents of a file.
package struct ContentSummary: Sendable, Hashable, Codable {
  package let byteCount: Int64
  package let checksum: String

  /// Creates a summary.
  package init(byteCount: Int64, checksum: String) {
    self.byteCount = byteCount
    self.checksum = checksum
  }
}
