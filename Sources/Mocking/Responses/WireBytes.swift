import Foundation

/// Bytes to be sent, some of them not made yet; to be cut anywhere.
struct WireBytes {
  enum Segment {
    case bytes(ArraySlice<UInt8>)
    case data(Data)
    case generated(Range<Int>, @Sendable (Range<Int>) -> Data)

    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .data(let data): data.count
      case .generated(let range, _): range.count
      }
    }

    fileprivate func prefix(_ length: Int) -> Segment {
      switch self {
      case .bytes(let bytes): .bytes(bytes.prefix(length))
      case .data(let data): .data(data.prefix(length))
      case .generated(let range, let make): .generated(range.prefix(length), make)
      }
    }

    func dropFirst(_ length: Int) -> Segment {
      switch self {
      case .bytes(let bytes): .bytes(bytes.dropFirst(length))
      case .data(let data): .data(data.dropFirst(length))
      case .generated(let range, let make): .generated(range.dropFirst(length), make)
      }
    }
  }

  private(set) var segments: [Segment] = []

  init() {}

  init(_ bytes: [UInt8]) {
    append(.bytes(bytes[...]))
  }

  var count: Int { segments.reduce(0) { $0 + $1.count } }

  mutating func append(_ segment: Segment) {
    if segment.count > 0 { segments.append(segment) }
  }

  mutating func append(_ other: WireBytes) {
    segments += other.segments
  }

  /// Takes the first bytes away and returns them; all, when there are fewer.
  mutating func removeFirst(_ length: Int) -> WireBytes {
    var first = WireBytes()
    var wanted = length
    var used = 0
    while wanted > 0, used < segments.count {
      let segment = segments[used]
      guard segment.count > wanted else {
        first.segments.append(segment)
        wanted -= segment.count
        used += 1
        continue
      }
      first.segments.append(segment.prefix(wanted))
      segments[used] = segment.dropFirst(wanted)
      break
    }
    segments.removeFirst(used)
    return first
  }
}
