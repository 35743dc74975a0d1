import CatenaSystem
public import Foundation

/// A reader for request bodies of any kind, for use by transports.
///
/// Files are open from the initializer until the release of the reader. Bytes that are not in the
/// memory of the system are read ahead on a dispatch queue, so that a slow file system does not block
/// the reading thread. A stream is started by the first read and cancelled at the release of the
/// reader. Any thread can read, but only one thread at a time.
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

  fileprivate enum Source {
    case memory(PieceReader)
    case files(FileReader)
    case stream(StreamReader)
  }

  private struct State: ~Copyable {
    var source: Source
    var offset: Int64 = 0
    var hasEnded = false
  }

  /// The length of the body in bytes, or `nil` if it is not known before the end.
  public let length: Int64?
  /// Whether the body can be read again from its start.
  let isRepeatable: Bool
  private let state: Mutex<State>

  /// Opens a body.
  ///
  /// Opening a file can block the calling thread.
  ///
  /// - Parameter body: The body.
  /// - Throws: A failure with the code `encodingFailed` if a file cannot be opened.
  public convenience init(_ body: HTTPBody) throws(TransportFailure) {
    do throws(PieceReader.ReadError) {
      if case .stream(let stream) = body {
        self.init(stream)
      } else if body.hasStreams {
        self.init(try JoinedBody(body.allPieces).stream)
      } else {
        self.init(try PieceReader(body.allPieces))
      }
    } catch {
      throw TransportFailure(error)
    }
  }

  convenience init(_ stream: BodyStream) {
    self.init(
      .stream(StreamReader(stream)), length: stream.length, isRepeatable: stream.isRepeatable)
  }

  convenience init(_ pieces: PieceReader) {
    self.init(
      pieces.hasFiles ? .files(FileReader(pieces)) : .memory(pieces), length: pieces.length,
      isRepeatable: true)
  }

  private init(_ source: Source, length: Int64?, isRepeatable: Bool) {
    self.length = length
    self.isRepeatable = isRepeatable
    state = Mutex(State(source: source))
  }

  deinit {
    state.withLock { $0.source.cancel() }
  }

  /// The number of bytes read so far.
  public var offset: Int64 { state.withLock { $0.offset } }

  /// Whether all bytes have been read, as far as it is known.
  var isAtEnd: Bool { state.withLock { $0.hasEnded || $0.offset == length } }

  /// Reads the next bytes without waiting for a file or a stream.
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
    try state.withLock { state throws(TransportFailure) in
      let outcome = try state.source.read(into: buffer, at: state.offset, whenReady)
      switch outcome {
      case .bytes(let count): state.offset += Int64(count)
      case .end: state.hasEnded = true
      case .pending: break
      }
      return outcome
    }
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
      let (ready, signal) = AsyncStream<Void>.makeStream()
      let outcome = try data.withUnsafeMutableBytes { buffer throws(TransportFailure) in
        try read(into: buffer) { signal.finish() }
      }
      switch outcome {
      case .bytes(let read): return data.prefix(read)
      case .end: return nil
      case .pending: for await _ in ready {}
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
      state.hasEnded = false
      state.source.cancel()
      switch state.source {
      case .memory: break
      case .files(let old): state.source = .files(FileReader(old.pieces))
      case .stream(let old): state.source = .stream(StreamReader(old.stream))
      }
    }
  }
}

extension BodyReader.Source {
  fileprivate func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64,
    _ whenReady: @escaping @Sendable () -> Void
  ) throws(TransportFailure) -> BodyReader.Outcome {
    do {
      switch self {
      case .memory(let pieces):
        let count = try pieces.read(into: buffer, at: offset)
        return count > 0 ? .bytes(count) : .end
      case .files(let reader): return try reader.read(into: buffer, whenReady: whenReady)
      case .stream(let reader): return try reader.read(into: buffer, whenReady: whenReady)
      }
    } catch let error as PieceReader.ReadError {
      throw TransportFailure(error)
    } catch {
      throw TransportFailure(unreadable: error)
    }
  }

  fileprivate func cancel() {
    switch self {
    case .memory: break
    case .files(let reader): reader.cancel()
    case .stream(let reader): reader.cancel()
    }
  }
}

/// Bytes that a producer reads ahead for a consumer that must not block.
struct ReadAhead<Failure: Error> {
  var bytes = ByteQueue()
  /// The result of the producer.
  ///
  /// `nil` while it is not known.
  var end: Result<Void, Failure>?
  /// The callback of a consumer that waits for bytes.
  var whenReady: (@Sendable () -> Void)?
  var isCancelled = false

  /// Copies the next bytes into a buffer, or keeps the callback if there are none yet.
  mutating func read(
    into buffer: UnsafeMutableRawBufferPointer, _ whenReady: @escaping @Sendable () -> Void
  ) throws(Failure) -> BodyReader.Outcome {
    let count = bytes.read(into: buffer)
    if count > 0 { return .bytes(count) }
    guard let end else {
      self.whenReady = whenReady
      return .pending
    }
    try end.get()
    return .end
  }

  /// Ends the reading, without a call of the callback.
  mutating func cancel() { (isCancelled, whenReady) = (true, nil) }
}

extension HTTPBody {
  /// Whether the body has a file in it, so that opening it can block.
  var hasFiles: Bool {
    switch self {
    case .none, .data, .stream: false
    case .file: true
    case .pieces(let pieces): pieces.contains { if case .file = $0 { true } else { false } }
    }
  }
}

extension TransportFailure {
  /// The failure of a body that has to be sent again and cannot be read again.
  static var bodyAlreadySent: TransportFailure {
    TransportFailure(unreadable: BodyStream.AlreadyConsumedError())
  }

  fileprivate init(_ error: PieceReader.ReadError) {
    self.init(code: .encodingFailed, detail: "The body cannot be read: \(error.reason)")
  }

  fileprivate init(unreadable error: any Error) {
    // A stream can read another body, such as a file that it compresses.
    if let failure = error as? TransportFailure, failure.code == .encodingFailed {
      self = failure
      return
    }
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
