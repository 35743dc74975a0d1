import Foundation
import Synchronization

/// A body that is made while it is sent, such as rows out of a database or what another connection brings.
///
/// ```swift
/// let rows = BodyStream { table.rows.map { row in Data(row.csv.utf8) } }
/// networking.request(.upload(stream: rows, to: "tables", contentType: "text/csv"))
/// ```
///
/// It is read no faster than it is sent: with some hundred KiB unsent the next piece is not asked for.
///
/// A body may have to be sent more than once, after a redirect by 307 or 308 or on a new connection in
/// the place of a dead one. The sequence is made anew for each time, unless it was given as
/// ``init(length:once:)``; sending that again fails with
/// ``NetworkError/Code-swift.enum/encodingFailed``.
///
/// Copies are the same stream, and equal; two streams made apart are not.
public struct BodyStream: Sendable {
  typealias Push = @Sendable (_ piece: Data) async -> Bool

  /// How many bytes there are; nil when that is not known, and the body is sent in chunks.
  public let length: Int64?
  /// Whether it can be read from its start again; false of one made of a sequence that is there once.
  public let isRepeatable: Bool
  private let source: any BodyStreamSource

  /// Makes a stream of a sequence that can be had again.
  ///
  /// - Parameters:
  ///   - length: how many bytes there are; nil when that is not known. A sequence that ends before breaks
  ///     the request off, and so does one that is seen to go on; more than this is never sent.
  ///   - open: makes the sequence, each time that the body is sent; it runs in a task of its own, as
  ///     does the sequence. What either throws rejects the request, as
  ///     ``NetworkError/underlying`` of ``NetworkError/Code-swift.enum/encodingFailed``. The task is
  ///     cancelled when the request is over.
  public init<Bytes: AsyncSequence>(
    length: Int64? = nil, _ open: @escaping @Sendable () async throws -> Bytes
  ) where Bytes.Element == Data {
    self.init(length: length, isRepeatable: true, open)
  }

  private init<Bytes: AsyncSequence>(
    length: Int64?, isRepeatable: Bool, _ open: @escaping @Sendable () async throws -> Bytes
  ) where Bytes.Element == Data {
    self.length = length
    self.isRepeatable = isRepeatable
    source = SequenceSource(open: open)
  }

  /// Makes a stream of a sequence that is there once, such as an `AsyncStream`.
  ///
  /// - Parameters:
  ///   - length: how many bytes there are; nil when that is not known.
  ///   - bytes: the sequence; it is read when the body is sent, in a task of its own.
  public init<Bytes: AsyncSequence & Sendable>(length: Int64? = nil, once bytes: Bytes)
  where Bytes.Element == Data {
    let isTaken = OneShotFlag()
    self.init(length: length, isRepeatable: false) {
      guard isTaken.take() else { throw AlreadyConsumedError() }
      return bytes
    }
  }

  /// Reads the stream from its start.
  ///
  /// - Parameter push: takes a piece, and returns once the next may be made; false when no more are
  ///   wanted.
  /// - Throws: what the sequence, or what opens it, throws.
  func run(_ push: Push) async throws {
    try await source.run(push)
  }

  /// Why a stream that was to be read once cannot be sent again.
  struct AlreadyConsumedError: Error, CustomStringConvertible {
    var description: String { "the stream can be sent once only, and has been" }
  }

  private final class OneShotFlag: Sendable {
    private let isTaken = Atomic(false)

    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
  }
}

extension BodyStream: Hashable {
  /// Whether two are copies of one stream.
  ///
  /// - Parameters:
  ///   - left: one stream.
  ///   - right: the other.
  /// - Returns: true when they are.
  public static func == (left: BodyStream, right: BodyStream) -> Bool {
    left.source === right.source
  }

  /// Adds which stream it is.
  ///
  /// - Parameter hasher: what it is added to.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(source))
  }
}

/// What a stream reads, of whatever type that is; it stands for the stream's identity, too.
private protocol BodyStreamSource: AnyObject, Sendable {
  func run(_ push: BodyStream.Push) async throws
}

private final class SequenceSource<Bytes: AsyncSequence>: BodyStreamSource
where Bytes.Element == Data {
  private let open: @Sendable () async throws -> Bytes

  init(open: @escaping @Sendable () async throws -> Bytes) {
    self.open = open
  }

  func run(_ push: BodyStream.Push) async throws {
    for try await piece in try await open() where !piece.isEmpty {
      guard await push(piece) else { return }
    }
  }
}
