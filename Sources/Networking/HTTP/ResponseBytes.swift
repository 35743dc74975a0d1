import Foundation
import Synchronization

/// The body of a response as it comes, in pieces of whatever sizes.
///
/// ```swift
/// let response = try await networking.stream(.feed).validate().value
/// for try await piece in response.bytes { parser.take(piece) }
/// ```
///
/// A reader that is slow holds the server back: with 256 KiB unread no more is taken from the connection,
/// until no more than 64 KiB are left.
///
/// The body of a `Networking.stream` can be read once, by one
/// task. The connection is closed when that task is cancelled, when it leaves the loop early, by
/// ``cancel()``, or when nobody has the response any more. A body in memory can be read any number of
/// times and is one piece; that of a download is in its file, and not here.
///
/// Reading throws a ``NetworkError`` when the body breaks off, after the bytes that came before, and
/// `CancellationError` when it was cancelled.
public struct ResponseBytes: AsyncSequence, Sendable {
  /// Bytes.
  public typealias Element = Data

  enum Source: Sendable {
    case memory(Data)
    case streaming(StreamingBody)
  }

  let source: Source

  /// Closes the connection of a body that is still on its way; of any other it changes nothing.
  public func cancel() {
    if case .streaming(let streaming) = source { streaming.source.stop(CancellationError()) }
  }

  /// Begins to read.
  ///
  /// - Returns: an iterator; of a body that is read already, one that throws a ``NetworkError`` of the
  ///   code `noData`.
  public func makeAsyncIterator() -> AsyncIterator {
    switch source {
    case .memory(let data): AsyncIterator(.memory(data))
    case .streaming(let streaming):
      AsyncIterator(streaming.begin().map(AsyncIterator.Source.streaming) ?? .consumed)
    }
  }

  /// Reads the body of a response.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate enum Source {
      case memory(Data)
      case streaming(StreamingBody.ReadHandle)
      case consumed
    }

    private var source: Source

    fileprivate init(_ source: Source) {
      self.source = source
    }

    /// The next bytes, at least one; nil at the end.
    ///
    /// - Returns: the bytes, once there are any.
    /// - Throws: a ``NetworkError`` when the body breaks off, or when somebody has read it before;
    ///   `CancellationError`.
    public mutating func next() async throws -> Data? {
      switch source {
      case .memory(let data):
        source = .memory(Data())
        return data.isEmpty ? nil : data
      case .streaming(let reading): return try await reading.source.next()
      case .consumed: throw NetworkError(.noData, "it has been read already, and can be read once")
      }
    }
  }
}

/// A body that comes over a connection.
final class StreamingBody: Sendable {
  let source: any ByteSource
  private let reading: Mutex<ReadHandle?>

  init(_ source: any ByteSource) {
    self.source = source
    reading = Mutex(ReadHandle(source))
  }

  /// The right to read, for the first who asks.
  func begin() -> ReadHandle? {
    reading.withLock { $0.take() }
  }

  /// The right to read; when it is released unused or midway, nobody wants the rest.
  final class ReadHandle: Sendable {
    let source: any ByteSource

    init(_ source: any ByteSource) {
      self.source = source
    }

    deinit {
      source.stop(CancellationError())
    }
  }
}

/// What the bytes of a body come from.
protocol ByteSource: AnyObject, Sendable {
  /// The next bytes; nil at the end.
  func next() async throws -> Data?

  /// Breaks the rest off, unless all has come; what is read from now on throws `error`.
  func stop(_ error: any Error)

  /// Has an action run once all has come or the rest has been broken off; at once when that is so.
  ///
  /// It gets what was measured, or why the rest was broken off.
  func whenFinished(
    _ action: @escaping @Sendable (_ result: Result<TransportMetrics, any Error>) -> Void)
}
