/// Looks for many texts at once, in one pass over another.
///
/// The cost is that of the text alone, however many are looked for.
struct TextSearch: Sendable {
  /// The least that can be looked for, in bytes.
  static let leastByteCount = 8

  /// By their first eight bytes.
  private var wanted: [UInt64: [[UInt8]]] = [:]
  /// Which beginnings there may be, by sixteen bits of their hash: most of a text is passed over by it.
  private var filter: [Bool] = []

  /// Whether nothing is looked for.
  var isEmpty: Bool { wanted.isEmpty }

  /// Looks for a text, too, if it is long enough.
  mutating func insert(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.leastByteCount else { return }
    if filter.isEmpty { filter = Array(repeating: false, count: 1 << 16) }
    let start = bytes.prefix(Self.leastByteCount).reduce(0) { $0 << 8 | UInt64($1) }
    wanted[start, default: []].append(bytes)
    filter[Self.hash(start)] = true
  }

  /// A text with all that is found in it replaced; what overlaps is replaced as one.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - replacement: what stands there instead.
  /// - Returns: the text; nil when nothing is found.
  func replacing(in text: String, with replacement: String) -> String? {
    guard !isEmpty, text.utf8.count >= Self.leastByteCount else { return nil }
    var text = text
    return text.withUTF8 { bytes in
      let found = ranges(in: bytes)
      guard !found.isEmpty else { return nil }
      var kept: [UInt8] = []
      var position = 0
      for range in found {
        kept += bytes[position..<range.lowerBound]
        kept += replacement.utf8
        position = range.upperBound
      }
      kept += bytes[position...]
      return String(decoding: kept, as: UTF8.self)
    }
  }

  private func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var window: UInt64 = 0
    for index in bytes.indices {
      window = window << 8 | UInt64(bytes[index])
      let start = index + 1 - Self.leastByteCount
      guard start >= 0, filter[Self.hash(window)], let candidates = wanted[window] else { continue }
      let rest = bytes[start...]
      guard let length = candidates.filter({ rest.starts(with: $0) }).map(\.count).max() else {
        continue
      }
      let end = start + length
      if let last = found.last, start < last.upperBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, end)
      } else {
        found.append(start..<end)
      }
    }
    return found
  }

  private static func hash(_ window: UInt64) -> Int {
    Int((window &* 0x9E37_79B9_7F4A_7C15) >> 48)
  }
}
