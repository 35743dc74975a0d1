import Foundation

/// A splitter of a body into lines, with bounded memory.
///
/// The pieces of a body are added one at a time. Lines that lie in one piece are not copied. Every
/// byte is searched once for each kind of line end.
struct LineSplitter {
  /// The bytes that end a line.
  enum LineEnd {
    /// LF. A CR before it belongs to the line.
    case lineFeed
    /// CR LF, LF, or CR.
    case any
  }

  /// The error of a line that is longer than the limit.
  struct LineTooLong: Error {
    let limit: Int
    /// The first bytes of the line.
    var start: [UInt8] = []
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  /// The capacity that is kept for the next line, in bytes.
  private static let keptCapacity = 64 << 10

  private let lineEnd: LineEnd
  private let limit: Int
  private var piece = Data()
  private var position = 0
  /// The positions of the next LF and CR in the piece, or its length if there is none.
  private var nextLineFeed = -1
  private var nextReturn = -1
  /// The beginning of a line whose end has not arrived.
  private var beginning: [UInt8] = []
  /// Whether an LF at the position belongs to the end of the previous line.
  private var skipsLineFeed = false
  private var isFirstLine = true

  /// Creates a splitter.
  ///
  /// - Parameters:
  ///   - lineEnd: The bytes that end a line.
  ///   - limit: The maximum length of a line, in bytes.
  init(_ lineEnd: LineEnd, limit: Int) {
    self.lineEnd = lineEnd
    self.limit = max(limit, 0)
  }

  /// Adds the next piece of the body, after ``next(_:)`` has returned `nil`.
  mutating func append(_ piece: Data) {
    self.piece = piece
    position = 0
    nextLineFeed = -1
    nextReturn = -1
  }

  /// Returns the next line.
  ///
  /// A byte order mark at the start of the body is not a part of the first line.
  ///
  /// - Parameter read: The closure that reads the line, without its end.
  /// - Returns: The result of the closure. `nil` if the next line is not complete.
  /// - Throws: ``LineTooLong``.
  mutating func next<Result>(
    _ read: (_ line: UnsafeRawBufferPointer) -> Result
  ) throws(LineTooLong) -> Result? {
    let piece = piece
    var failure: LineTooLong?
    let result = piece.withUnsafeBytes { bytes -> Result? in
      skipLineFeed(bytes)
      guard position < bytes.count else { return nil }
      let end = findEnd(bytes)
      let line = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
      guard beginning.count + line.count <= limit else {
        failure = LineTooLong(
          limit: limit, start: Array(beginning.prefix(8) + line.prefix(8)))
        return nil
      }
      guard end < bytes.count else {
        beginning += line
        position = end
        return nil
      }
      position = end + 1
      skipsLineFeed = lineEnd == .any && bytes[end] == Self.carriageReturn
      guard !beginning.isEmpty else { return readLine(line, read) }
      beginning += line
      return readBeginning(read)
    }
    if let failure {
      discard()
      throw failure
    }
    // Not kept until the next piece arrives.
    if result == nil { append(Data()) }
    return result
  }

  /// Returns the last line, which has no end, at the end of the body.
  ///
  /// - Parameter read: The closure that reads the line.
  /// - Returns: The result of the closure. `nil` if the body ended with a line end or was empty.
  mutating func finish<Result>(_ read: (_ line: UnsafeRawBufferPointer) -> Result) -> Result? {
    guard !beginning.isEmpty else { return nil }
    let isEmptyBody = isFirstLine && beginning == Self.byteOrderMark
    let result = readBeginning(read)
    return isEmptyBody ? nil : result
  }

  private mutating func skipLineFeed(_ bytes: UnsafeRawBufferPointer) {
    guard skipsLineFeed, position < bytes.count else { return }
    skipsLineFeed = false
    if bytes[position] == Self.lineFeed { position += 1 }
  }

  private mutating func findEnd(_ bytes: UnsafeRawBufferPointer) -> Int {
    if nextLineFeed < position { nextLineFeed = find(Self.lineFeed, bytes) }
    guard lineEnd == .any else { return nextLineFeed }
    if nextReturn < position { nextReturn = find(Self.carriageReturn, bytes) }
    return min(nextLineFeed, nextReturn)
  }

  private func find(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let start = bytes.baseAddress,
      let found = memchr(start + position, Int32(byte), bytes.count - position)
    else { return bytes.count }
    return UnsafeRawPointer(found) - start
  }

  private mutating func readLine<Result>(
    _ line: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    guard isFirstLine else { return read(line) }
    isFirstLine = false
    let start = line.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
    return read(UnsafeRawBufferPointer(rebasing: line[start...]))
  }

  private mutating func readBeginning<Result>(
    _ read: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let line = beginning
    beginning = []
    let result = line.withUnsafeBytes { readLine($0, read) }
    if line.capacity <= Self.keptCapacity {
      beginning = line
      beginning.removeAll(keepingCapacity: true)
    }
    return result
  }

  private mutating func discard() {
    append(Data())
    beginning = []
  }
}
