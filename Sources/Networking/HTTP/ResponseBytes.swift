import CatenaSystem
public import Foundation

/// The body of a response as an asynchronous sequence of pieces, of any sizes.
///
/// ```swift
/// let response = try await networking.stream(.feed).validate().value
/// for try await piece in response.bytes { parser.append(piece) }
/// ```
///
/// The transfer has backpressure: the transport stops reading from the connection when 256 KiB are
/// unread, and resumes when at most 64 KiB are left. A ``URLSessionTransport`` puts the bytes that still
/// arrive into a temporary file.
///
/// The body of a `Networking.stream` can be read once, by one task. The connection is closed when
/// that task is cancelled, when it leaves the loop early, when ``cancel()`` is called, or when the
/// response is released. A body in memory is one piece and can be read any number of times. The
/// body of a download is in its file, and this sequence is empty.
///
/// If the body ends early, reading returns the bytes received so far and then throws a
/// ``NetworkError``. If the body was cancelled, reading throws `CancellationError`.
public struct ResponseBytes: AsyncSequence, Sendable {
  /// A piece of the body.
  public typealias Element = Data

  let content: Response.Content

  /// Closes the connection of a streaming body.
  ///
  /// A no-op for other bodies.
  public func cancel() {
    if case .streaming(let streaming) = content { streaming.source.stop(CancellationError()) }
  }

  /// Creates an iterator.
  ///
  /// - Returns: An iterator. For a stream that has already been read, it throws a ``NetworkError``
  ///   with the code `alreadyRead`.
  public func makeAsyncIterator() -> AsyncIterator {
    switch content {
    case .memory(let data): AsyncIterator(source: .memory(data))
    case .file: AsyncIterator(source: .memory(Data()))
    case .streaming(let streaming):
      AsyncIterator(source: streaming.takeReadHandle().map { .streaming($0) } ?? .consumed)
    }
  }

  /// An iterator over the body of a response.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate enum Source: Sendable {
      case memory(Data)
      case streaming(StreamingBody.ReadHandle)
      case consumed
    }

    fileprivate var source: Source

    /// Returns the next piece, which is not empty, or `nil` at the end.
    ///
    /// - Returns: The piece, as soon as it is available.
    /// - Throws: A ``NetworkError`` if the body ends early; with the code `alreadyRead` if it has
    ///   already been read, or while a copy of the iterator waits for a piece; `CancellationError`
    ///   if it was cancelled.
    public mutating func next() async throws -> Data? {
      switch source {
      case .memory(let data):
        source = .memory(Data())
        return data.isEmpty ? nil : data
      case .streaming(let readHandle): return try await readHandle.source.next()
      case .consumed:
        throw NetworkError(.alreadyRead, "the body has been read before, and can be read only once")
      }
    }
  }
}

/// A body that arrives over a connection.
final class StreamingBody: Sendable {
  let source: any ByteSource
  private let readHandle: Mutex<ReadHandle?>

  init(_ source: any ByteSource) {
    self.source = source
    readHandle = Mutex(ReadHandle(source))
  }

  /// Returns the handle to read the body, or `nil` after the first call.
  func takeReadHandle() -> ReadHandle? { readHandle.withLock { $0.take() } }

  /// The handle of the reader.
  ///
  /// Releasing it discards the rest of the body.
  final class ReadHandle: Sendable {
    let source: any ByteSource

    init(_ source: any ByteSource) { self.source = source }

    deinit {
      source.stop(CancellationError())
    }
  }
}

/// A source of the bytes of a body.
protocol ByteSource: AnyObject, Sendable {
  /// The fields after the body, as soon as they have been received.
  var trailers: HTTPHeaders { get }

  /// Returns the next bytes, or `nil` at the end.
  func next() async throws -> Data?

  /// Discards the rest of the body.
  ///
  /// Further reads throw `error`, unless the body is complete.
  func stop(_ error: any Error)

  /// Stops reading from the connection while the body is held.
  func setHeld(_ isHeld: Bool)

  /// Runs an action when the body is complete or has been discarded, or immediately if it already
  /// is.
  ///
  /// The action receives the metrics, or the error.
  func whenFinished(
    _ action: @escaping @Sendable (_ result: Result<TransportMetrics, any Error>) -> Void)
}
