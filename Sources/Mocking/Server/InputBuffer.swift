/// A buffer of the bytes that have been received but not parsed.
///
/// The search for a line end examines each byte once, even if the line arrives in many pieces.
struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The number of unread bytes that are known to contain no line feed.
  private var scanned = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: new)
  }

  /// Returns at most `length` unread bytes, without removing them.
  func prefix(_ length: Int) -> ArraySlice<UInt8> {
    bytes[start...].prefix(length)
  }

  mutating func skip(_ length: Int) {
    start += min(length, count)
    scanned = 0
    if start == bytes.count {
      // Releases a large buffer. An idle connection would otherwise keep it in memory.
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.retainedCapacity)
      start = 0
    } else if start >= Self.retainedCapacity, start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      start = 0
    }
  }

  mutating func removeAll() {
    self = InputBuffer()
  }

  /// Removes and returns the next line without its CR LF, or returns `nil` if it is incomplete.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of bytes, including the CR LF.
  ///   - excess: The error for a longer line.
  /// - Returns: The line, or `nil`.
  /// - Throws: `excess` if the line is too long, or another ``HTTPParseError`` if it does not end
  ///   in CR LF.
  mutating func takeLine(
    limit: Int, orThrow excess: @autoclosure () -> HTTPParseError
  ) throws(HTTPParseError) -> ArraySlice<UInt8>? {
    guard let end = bytes[(start + scanned)...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = count
      if count >= limit { throw excess() }
      return nil
    }
    guard end - start < limit else { throw excess() }
    guard end > start, bytes[end - 1] == UInt8(ascii: "\r") else {
      throw HTTPParseError(400, "a line ends in a bare line feed, not in CR LF")
    }
    let line = bytes[start..<(end - 1)]
    skip(end + 1 - start)
    return line
  }

  private static let retainedCapacity = 64 * 1024
}
