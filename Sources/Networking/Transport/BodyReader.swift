import Foundation
import Synchronization

/// Reads the bytes of a body, whatever it consists of; for transports.
///
/// Files are opened when the reader is made, and closed when it is released. A stream is begun by the
/// first read, and ended when the reader is released. Any thread may read, one at a time.
public final class BodyReader: Sendable {
  /// What reading gave.
  public enum Outcome: Sendable, Hashable {
    /// So many bytes, at least one.
    case bytes(Int)
    /// Nothing, and nothing is to come.
    case end
    /// Nothing yet; the closure given along runs once it is worth reading again.
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

  /// How many bytes there are; nil when that is not known before the end.
  public let length: Int64?
  private let state: Mutex<State>

  /// Opens a body.
  ///
  /// - Parameter body: what to read.
  /// - Throws: a failure of the code `encodingFailed` when a file cannot be opened.
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

  /// How many bytes have been read.
  public var offset: Int64 { state.withLock { $0.offset } }

  /// Reads the next bytes without waiting for them; files are read right here.
  ///
  /// - Parameters:
  ///   - buffer: where to; of at least one byte.
  ///   - whenReady: runs once, on any thread, when the outcome is ``Outcome/pending`` and there is more
  ///     to be had; otherwise never, nor after the reader has been released.
  /// - Returns: how many bytes there were.
  /// - Throws: a failure of the code `encodingFailed`, with what a stream threw.
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

  /// The next bytes, for asynchronous code.
  ///
  /// - Parameter count: how many at the most, at least 1.
  /// - Returns: as many as there are at once; nil at the end.
  /// - Throws: a ``TransportFailure`` of the code `encodingFailed`; `CancellationError` when the task has
  ///   been cancelled.
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

  /// Goes back to the start, for a body that has to be sent again; a stream is opened anew.
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
  fileprivate init(_ problem: PieceReader.ReadError) {
    self.init(code: .encodingFailed, detail: "The body cannot be read: \(problem.reason)")
  }

  fileprivate init(unreadable error: any Error) {
    // A user's error may say what is not for everybody's eyes: it is handed on, and not quoted.
    let ours =
      (error as? StreamReader.LengthMismatchError)?.description
      ?? (error as? BodyStream.AlreadyConsumedError)?.description
    self.init(
      code: .encodingFailed, detail: "The body cannot be read: \(ours ?? "its stream failed")",
      underlying: error)
  }
}

/// One thing to wait for, and one who does; cancelling the task ends the wait.
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

/// Reads what is there already: bytes in memory, and files, one behind the other.
///
/// The files stay open until it is released; where one has got to is up to whoever reads.
final class PieceReader: Sendable {
  private enum Source: Sendable {
    case data(Data)
    case file(descriptor: Int32)
  }

  /// A stretch of the body, and where in it that begins.
  private struct BodySegment: Sendable {
    let source: Source
    let start: Int64
    let length: Int64

    var end: Int64 { start + length }
  }

  /// Why a body cannot be read.
  struct ReadError: Error {
    let reason: String
  }

  /// How many bytes there are.
  let length: Int64
  private let stretches: [BodySegment]

  /// Opens what a body consists of; the length of a file now is the length sent.
  init(_ pieces: [BodyPiece]) throws(ReadError) {
    var stretches: [BodySegment] = []
    do throws(ReadError) {
      for piece in pieces {
        let start = stretches.last?.end ?? 0
        switch piece {
        case .data(let data):
          stretches.append(
            BodySegment(source: .data(data), start: start, length: Int64(data.count)))
        case .file(let url):
          let (descriptor, length) = try Self.open(url)
          stretches.append(
            BodySegment(source: .file(descriptor: descriptor), start: start, length: length))
        }
      }
    } catch {
      Self.close(stretches)
      throw error
    }
    self.stretches = stretches
    length = stretches.last?.end ?? 0
  }

  deinit {
    Self.close(stretches)
  }

  private static func close(_ stretches: [BodySegment]) {
    for stretch in stretches {
      if case .file(let descriptor) = stretch.source { Foundation.close(descriptor) }
    }
  }

  private static func open(_ file: URL) throws(ReadError) -> (descriptor: Int32, length: Int64) {
    guard file.isFileURL else { throw ReadError(reason: "its URL is not a file's") }
    let descriptor = Foundation.open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ReadError(reason: reason()) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Foundation.close(descriptor)
      throw ReadError(reason: "it is no file")
    }
    return (descriptor, Int64(status.st_size))
  }

  /// The bytes from a place on into a buffer.
  ///
  /// - Returns: how many; 0 at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(ReadError) -> Int {
    guard let stretch = stretches.first(where: { $0.end > offset }) else { return 0 }
    let wanted = min(Int64(buffer.count), stretch.end - offset)
    let place = offset - stretch.start
    let count: Int
    switch stretch.source {
    case .data(let data):
      count = Int(wanted)
      let start = data.startIndex + Int(place)
      data.copyBytes(to: buffer, from: start..<(start + count))
    case .file(let descriptor):
      count = pread(descriptor, buffer.baseAddress, Int(wanted), off_t(place))
      if count == 0 { throw ReadError(reason: "it became shorter while it was sent") }
      if count < 0 { throw ReadError(reason: Self.reason()) }
    }
    return count
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
