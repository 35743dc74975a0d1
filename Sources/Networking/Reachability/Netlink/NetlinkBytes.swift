/// Bytes from the kernel, whose numbers are in the machine's own order.
struct NetlinkBytes: Equatable {
  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  var count: Int { bytes.count }

  /// The number at an offset; nil when the bytes end before or within it.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type = Number.self
  ) -> Number? {
    guard offset >= 0, offset + MemoryLayout<Number>.size <= count else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }

  /// The bytes from an offset on, up to another at the most; none when there are none.
  func range(from start: Int, to end: Int = .max) -> NetlinkBytes {
    let end = min(end, count)
    guard start >= 0, start < end else { return NetlinkBytes([]) }
    return NetlinkBytes(bytes[bytes.startIndex + start..<bytes.startIndex + end])
  }

  /// The text up to a NUL or the end.
  var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

  /// A length as the kernel pads it: NLMSG_ALIGN, RTA_ALIGN.
  static func padded(_ length: Int) -> Int { (length + 3) & ~3 }

  /// Attributes from an offset on, as many as are whole.
  ///
  /// Source: RFC 3549 section 2.2.
  func attributes(from offset: Int) -> [(kind: UInt16, value: NetlinkBytes)] {
    var attributes: [(kind: UInt16, value: NetlinkBytes)] = []
    var start = offset
    while let length = number(at: start, as: UInt16.self).map(Int.init),
      let kind = number(at: start + 2, as: UInt16.self), length >= 4, start + length <= count
    {
      // The two upper bits say how the value is to be read.
      attributes.append((kind & 0x3FFF, range(from: start + 4, to: start + length)))
      start += Self.padded(length)
    }
    return attributes
  }
}
