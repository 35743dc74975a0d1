/// The bytes that have come and are not used yet.
///
/// However the bytes arrive, every byte is looked at once when lines are searched for.
struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// So many of the unread bytes are known to hold no line feed.
  private var scanned = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: new)
  }

  /// Up to so many of the unread bytes; they stay unread until skipped.
  func prefix(_ length: Int) -> ArraySlice<UInt8> {
    bytes[start...].prefix(length)
  }

  mutating func skip(_ length: Int) {
    start += min(length, count)
    scanned = 0
    if start == bytes.count {
      // What a burst has made large does not stay with an idle connection.
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.kept)
      start = 0
    } else if start >= Self.kept, start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      start = 0
    }
  }

  mutating func removeAll() {
    self = InputBuffer()
  }

  /// Takes the next line, without its CR LF; nil when it is not complete yet.
  ///
  /// With the CR LF it may have `limit` bytes, or `excess` is thrown.
  mutating func takeLine(
    limit: Int, orThrow excess: @autoclosure () -> RequestRefusal
  ) throws(RequestRefusal) -> ArraySlice<UInt8>? {
    guard let end = bytes[(start + scanned)...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = count
      if count >= limit { throw excess() }
      return nil
    }
    guard end - start < limit else { throw excess() }
    guard end > start, bytes[end - 1] == UInt8(ascii: "\r") else {
      throw RequestRefusal(400, "a line ends in a bare line feed, not in CR LF")
    }
    let line = bytes[start..<(end - 1)]
    skip(end + 1 - start)
    return line
  }

  private static let kept = 64 * 1024
}
