/// A text being copied with parts of it masked, from its beginning to its end.
struct MaskedCopy {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var output: [UInt8] = []
  /// How much of the bytes is in the output.
  private var copied = 0

  init(of bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Puts a mask in the place of a part, which lies behind those before it.
  mutating func replace(_ range: Range<Int>, with mask: String) {
    output += bytes[copied..<range.lowerBound]
    output += mask.utf8
    copied = range.upperBound
  }

  /// The whole text; nil when nothing is masked.
  var text: String? {
    copied > 0 ? String(decoding: output + bytes[copied...], as: UTF8.self) : nil
  }
}
