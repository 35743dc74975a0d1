import CatenaSystem
import Foundation

/// A reader for the files of a body, which never blocks the caller.
///
/// The caller reads bytes that are in the memory of the system. Reading others can block, for example
/// on a network file system, so a dispatch queue reads them ahead. At the high-water mark the queue waits
/// until the caller has read some of the bytes.
final class FileReader: Sendable {
  private static let pieceSize = 128 << 10
  /// The number of unread bytes at which the queue stops reading ahead.
  private static let highWaterMark = 512 << 10

  private struct State: ~Copyable {
    var ahead = ReadAhead<PieceReader.ReadError>()
    /// The offset in the body at which the queue continues.
    var offset: Int64 = 0
    /// Whether the queue is reading.
    var isReading = false

    /// Returns whether the caller must start to read on the queue, and marks it as reading.
    mutating func startReadingIfNeeded() -> Bool {
      guard !isReading, !ahead.isCancelled, ahead.end == nil,
        ahead.bytes.count <= FileReader.highWaterMark / 2
      else { return false }
      isReading = true
      return true
    }
  }

  let pieces: PieceReader
  private let queue = DispatchQueue(label: "Catena.Upload")
  private let state = Mutex(State())

  init(_ pieces: PieceReader) { self.pieces = pieces }

  /// Copies the next bytes into a buffer.
  ///
  /// - Parameters:
  ///   - buffer: The buffer.
  ///   - whenReady: A closure that runs once, on the queue, after `pending`, when more bytes are
  ///     available or the body has ended.
  /// - Returns: The number of bytes, or the reason that there are none.
  /// - Throws: The reason that the files cannot be read.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, whenReady: @escaping @Sendable () -> Void
  ) throws(PieceReader.ReadError) -> BodyReader.Outcome {
    let (outcome, mustStart) = try state.withLock {
      state throws(PieceReader.ReadError) -> (BodyReader.Outcome, Bool) in
      if !state.isReading, state.ahead.bytes.isEmpty, state.ahead.end == nil {
        let count = try pieces.read(into: buffer, at: state.offset, ifCached: true)
        state.offset += Int64(count)
        if count > 0 { return (.bytes(count), false) }
      }
      return (try state.ahead.read(into: buffer, whenReady), state.startReadingIfNeeded())
    }
    if mustStart { queue.async { self.readAhead() } }
    return outcome
  }

  /// Stops reading ahead.
  func cancel() { state.withLock { $0.ahead.cancel() } }

  // MARK: On the queue

  private func readAhead() {
    var continues = true
    while continues {
      let offset = state.withLock { $0.offset }
      let piece = Result { () throws(PieceReader.ReadError) in try readPiece(at: offset) }
      let whenReady = state.withLock { state -> (@Sendable () -> Void)? in
        switch piece {
        case .success(let bytes) where bytes.isEmpty: state.ahead.end = .success(())
        case .success(let bytes):
          state.ahead.bytes.append(bytes)
          state.offset += Int64(bytes.count)
        case .failure(let error): state.ahead.end = .failure(error)
        }
        continues =
          state.ahead.end == nil && !state.ahead.isCancelled
          && state.ahead.bytes.count < Self.highWaterMark
        state.isReading = continues
        return state.ahead.whenReady.take()
      }
      whenReady?()
    }
  }

  /// Returns the next piece, or empty data at the end.
  private func readPiece(at offset: Int64) throws(PieceReader.ReadError) -> Data {
    let size = Int(min(Int64(Self.pieceSize), pieces.length - offset))
    guard size > 0 else { return Data() }
    var piece = Data(count: size)
    let result = piece.withUnsafeMutableBytes { buffer in
      Result { () throws(PieceReader.ReadError) in try pieces.read(into: buffer, at: offset) }
    }
    return piece.prefix(try result.get())
  }
}

/// A reader for a sequence of byte buffers and files.
///
/// The files stay open until the reader is released. A file that is deleted or replaced meanwhile is
/// read to its end. The caller keeps track of the position.
final class PieceReader: Sendable {
  private enum Source: Sendable {
    case data(Data)
    case file(PieceFile)
  }

  /// An open file and its name, for errors.
  private final class PieceFile: Sendable {
    let file: OpenFile
    let name: String
    let length: Int64

    /// Opens a file whose length is known.
    init(_ url: URL) throws(ReadError) {
      name = url.lastPathComponent
      guard url.isFileURL else { throw ReadError(reason: "its URL is not a file URL") }
      do throws(FileError) {
        file = try OpenFile(url.path)
      } catch {
        throw ReadError(reason: "the file \(error.reason)")
      }
      guard let length = try? file.length else {
        throw ReadError(reason: "\(name) is not a regular file")
      }
      // Files that the kernel generates, such as those in /proc, have a size of 0.
      guard length > 0 || (try? file.read(1, at: 0))?.isEmpty ?? true else {
        throw ReadError(reason: "the size of the file \(name) is not known")
      }
      self.length = length
    }
  }

  /// A part of the body and its position.
  private struct BodySegment: Sendable {
    let source: Source
    let start: Int64
    let length: Int64

    var end: Int64 { start + length }
  }

  /// The reason that a body cannot be read, as part of a sentence.
  struct ReadError: Error { let reason: String }

  /// The length of the body in bytes.
  let length: Int64
  // `nonisolated(unsafe)` because the value is protected by the lifetime: only `deinit` changes it.
  nonisolated(unsafe) private var segments: [BodySegment]

  /// Opens the pieces of a body.
  ///
  /// The current length of a file is the length that is sent. A ``JoinedBody`` reads pieces that are
  /// streams.
  init(_ pieces: some Sequence<BodyPiece>) throws(ReadError) {
    var segments: [BodySegment] = []
    for piece in pieces {
      let source: Source
      let length: Int64
      switch piece {
      case .data(let data): (source, length) = (.data(data), Int64(data.count))
      case .file(let url):
        let file = try PieceFile(url)
        (source, length) = (.file(file), file.length)
      case .stream: throw ReadError(reason: "it has a stream")
      }
      let start = segments.last?.end ?? 0
      segments.append(BodySegment(source: source, start: start, length: length))
      if start.addingReportingOverflow(length).overflow {
        throw ReadError(reason: "it is too long")
      }
    }
    self.segments = segments
    length = segments.last?.end ?? 0
  }

  deinit {
    guard hasFiles else { return }
    // Closing a file can block, and the last reference may be on an I/O thread.
    var last: [BodySegment] = []
    swap(&last, &segments)
    DispatchQueue.global(qos: .utility).async { [last = consume last] in
      withExtendedLifetime(last) {}
    }
  }

  /// Whether one of the pieces is a file.
  var hasFiles: Bool { segments.contains { if case .file = $0.source { true } else { false } } }

  /// Copies bytes into a buffer, starting at an offset of the body.
  ///
  /// Before the last bytes are returned, the sizes of all files are checked. If one has changed, the
  /// body is not sent completely.
  ///
  /// - Returns: The number of bytes, or 0 at the end, and where a file is not in memory with `ifCached`.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, ifCached: Bool = false
  ) throws(ReadError) -> Int {
    guard let segment = segments.first(where: { $0.end > offset }) else { return 0 }
    let available = min(Int64(buffer.count), segment.end - offset)
    let position = offset - segment.start
    let count: Int
    switch segment.source {
    case .data(let data):
      count = Int(available)
      let start = data.startIndex + Int(position)
      data.copyBytes(to: buffer, from: start..<(start + count))
    case .file(let file):
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(available)])
      count =
        ifCached
        ? file.file.readCached(into: part, at: position) : file.file.read(into: part, at: position)
      if ifCached, count <= 0 { return 0 }
      if count == 0 { throw .truncated(file.name) }
      if count < 0 {
        let error = FileError(file.file.path, "cannot be read")
        throw ReadError(reason: "the file \(error.reason)")
      }
    }
    if offset + Int64(count) == length { try checkSizes() }
    return count
  }

  private func checkSizes() throws(ReadError) {
    for segment in segments {
      guard case .file(let file) = segment.source else { continue }
      guard let size = try? file.file.status.byteCount else { continue }
      if size < segment.length { throw .truncated(file.name) }
      if size > segment.length {
        throw ReadError(reason: "the file \(file.name) grew while it was sent")
      }
    }
  }
}

extension PieceReader.ReadError {
  fileprivate static func truncated(_ file: String) -> Self {
    Self(reason: "the file \(file) was truncated while it was sent")
  }
}
