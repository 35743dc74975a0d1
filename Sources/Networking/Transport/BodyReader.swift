import Foundation
import Synchronization

/// A reader for request bodies of any kind, for use by transports.
///
/// Files are open from the initializer until the release of the reader. A stream is started by the
/// first read and cancelled at the release of the reader. Any thread can read, but only one thread
/// at a time.
public final class BodyReader: Sendable {
  /// The outcome of a read.
  public enum Outcome: Sendable, Hashable {
    /// The number of bytes read, at least 1.
    case bytes(Int)
    /// The end of the body.
    case end
    /// No bytes are available yet. The closure passed to `read` runs when it is worth reading
    /// again.
    case pending
  }

  private enum Source {
    case pieces(PieceReader)
    case stream(StreamReader)
  }

  private struct State {
    var source: Source
    var offset: Int64 = 0
  }

  /// The length of the body in bytes, or `nil` if it is not known before the end.
  public let length: Int64?
  private let state: Mutex<State>

  /// Opens a body.
  ///
  /// - Parameter body: The body.
  /// - Throws: A failure with the code `encodingFailed` if a file cannot be opened.
  public init(_ body: HTTPBody) throws(TransportFailure) {
    if case .stream(let stream) = body {
      length = stream.length
      state = Mutex(State(source: .stream(StreamReader(stream))))
    } else {
      do {
        let pieces = try PieceReader(body.allPieces)
        length = pieces.length
        state = Mutex(State(source: .pieces(pieces)))
      } catch {
        throw TransportFailure(error)
      }
    }
  }

  deinit {
    state.withLock { if case .stream(let stream) = $0.source { stream.cancel() } }
  }

  /// The number of bytes read so far.
  public var offset: Int64 { state.withLock { $0.offset } }

  /// Reads the next bytes without waiting for a stream.
  ///
  /// Files are read synchronously.
  ///
  /// - Parameters:
  ///   - buffer: The buffer, of at least one byte.
  ///   - whenReady: A closure that runs once, on any thread, if the outcome is ``Outcome/pending``,
  ///     when it is worth reading again. It does not run after any other outcome or after the
  ///     reader is released.
  /// - Returns: The outcome.
  /// - Throws: A failure with the code `encodingFailed`. Its underlying error is the error of the
  ///   stream, if any.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, whenReady: @escaping @Sendable () -> Void
  ) throws(TransportFailure) -> Outcome {
    let result = state.withLock { state -> Result<Outcome, TransportFailure> in
      let count: Int
      switch state.source {
      case .pieces(let pieces):
        do throws(PieceReader.ReadError) {
          count = try pieces.read(into: buffer, at: state.offset)
        } catch {
          return .failure(TransportFailure(error))
        }
      case .stream(let stream):
        switch stream.read(into: buffer, whenReady: whenReady) {
        case .pending: return .success(.pending)
        case .end: return .success(.end)
        case .failed(let error): return .failure(TransportFailure(unreadable: error))
        case .bytes(let read): count = read
        }
      }
      state.offset += Int64(count)
      return .success(count > 0 ? .bytes(count) : .end)
    }
    return try result.get()
  }

  /// Reads the next bytes, waiting until some are available.
  ///
  /// - Parameter count: The maximum number of bytes, at least 1.
  /// - Returns: The bytes that are available, up to `count`, or `nil` at the end.
  /// - Throws: A ``TransportFailure`` with the code `encodingFailed`, or `CancellationError` if the
  ///   task is cancelled.
  public func next(upTo count: Int = 64 << 10) async throws -> Data? {
    while true {
      try Task.checkCancellation()
      var data = Data(count: max(count, 1))
      let waiter = Waiter()
      let outcome = try data.withUnsafeMutableBytes { buffer throws(TransportFailure) in
        try read(into: buffer) { waiter.signal() }
      }
      switch outcome {
      case .bytes(let read): return data.prefix(read)
      case .end: return nil
      case .pending: await waiter.wait()
      }
    }
  }

  /// Returns to the start of the body, so that it can be sent again.
  ///
  /// A stream is opened again.
  public func rewind() {
    state.withLock { state in
      guard state.offset > 0 else { return }
      state.offset = 0
      guard case .stream(let old) = state.source else { return }
      old.cancel()
      state.source = .stream(StreamReader(old.stream))
    }
  }
}

extension TransportFailure {
  fileprivate init(_ error: PieceReader.ReadError) {
    self.init(code: .encodingFailed, detail: "The body cannot be read: \(error.reason)")
  }

  fileprivate init(unreadable error: any Error) {
    // An error of the app may contain private data. It is passed as the underlying error and not
    // quoted.
    let message =
      (error as? StreamReader.LengthMismatchError)?.description
      ?? (error as? BodyStream.AlreadyConsumedError)?.description
    self.init(
      code: .encodingFailed, detail: "The body cannot be read: \(message ?? "its stream failed")",
      underlying: error)
  }
}

/// A one-time signal for one waiting task; cancelling the task also ends the wait.
private final class Waiter: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, Never>)
    case signalled
  }

  private let state = Mutex(State.idle)

  func signal() {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .signalled }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume()
  }

  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSignalled = state.withLock { state in
          if case .signalled = state { return true }
          state = .waiting(continuation)
          return false
        }
        if isSignalled { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}

/// A reader for a sequence of byte buffers and files.
///
/// The files stay open until the reader is released. The caller keeps track of the position.
final class PieceReader: Sendable {
  private enum Source: Sendable {
    case data(Data)
    case file(descriptor: Int32)
  }

  /// A part of the body and its position.
  private struct BodySegment: Sendable {
    let source: Source
    let start: Int64
    let length: Int64

    var end: Int64 { start + length }
  }

  /// The reason that a body cannot be read, as part of a sentence.
  struct ReadError: Error {
    let reason: String
  }

  /// The length of the body in bytes.
  let length: Int64
  private let segments: [BodySegment]

  /// Opens the pieces of a body.
  ///
  /// The current length of a file is the length that is sent.
  init(_ pieces: [BodyPiece]) throws(ReadError) {
    var segments: [BodySegment] = []
    do throws(ReadError) {
      for piece in pieces {
        let start = segments.last?.end ?? 0
        switch piece {
        case .data(let data):
          segments.append(
            BodySegment(source: .data(data), start: start, length: Int64(data.count)))
        case .file(let url):
          let (descriptor, length) = try Self.open(url)
          segments.append(
            BodySegment(source: .file(descriptor: descriptor), start: start, length: length))
        }
      }
    } catch {
      Self.close(segments)
      throw error
    }
    self.segments = segments
    length = segments.last?.end ?? 0
  }

  deinit {
    Self.close(segments)
  }

  private static func close(_ segments: [BodySegment]) {
    for segment in segments {
      if case .file(let descriptor) = segment.source { Foundation.close(descriptor) }
    }
  }

  private static func open(_ file: URL) throws(ReadError) -> (descriptor: Int32, length: Int64) {
    guard file.isFileURL else { throw ReadError(reason: "its URL is not a file URL") }
    let descriptor = Foundation.open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ReadError(reason: reason()) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Foundation.close(descriptor)
      throw ReadError(reason: "it is not a regular file")
    }
    return (descriptor, Int64(status.st_size))
  }

  /// Copies bytes into a buffer, starting at an offset of the body.
  ///
  /// - Returns: The number of bytes, or 0 at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
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
    case .file(let descriptor):
      count = pread(descriptor, buffer.baseAddress, Int(available), off_t(position))
      if count == 0 { throw ReadError(reason: "the file was truncated while it was sent") }
      if count < 0 { throw ReadError(reason: Self.reason()) }
    }
    return count
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
