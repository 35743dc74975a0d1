import CatenaSystem
public import Foundation

/// A request body that is produced while it is sent, such as rows of a database or the data of
/// another connection.
///
/// ```swift
/// let rows = BodyStream { table.rows.map { row in Data(row.csv.utf8) } }
/// networking.request(.upload(stream: rows, to: "tables", contentType: "text/csv"))
/// ```
///
/// The stream has backpressure: while a few hundred KiB are unsent, the next piece is not
/// requested.
///
/// A body may have to be sent more than once: after a redirect by 307 or 308, or on a new
/// connection if a reused one was closed. The sequence is created again each time. A stream from
/// ``init(length:once:)`` cannot be sent again; the request then fails with
/// ``NetworkError/Code-swift.enum/encodingFailed``.
///
/// Copies of a stream are equal. Separately created streams are not.
public struct BodyStream: Sendable {
  typealias Push = @Sendable (_ piece: Data) async -> Bool

  /// The number of bytes.
  ///
  /// `nil` if it is unknown; the body is then sent in chunks.
  public let length: Int64?
  /// Whether the stream can be read again from its start.
  public let isRepeatable: Bool
  private let source: any BodyStreamSource

  /// Creates a stream from a sequence that can be created again.
  ///
  /// - Parameters:
  ///   - length: The number of bytes. `nil` if it is unknown. If the sequence has fewer or more
  ///     bytes, the request fails. No more than `length` bytes are ever sent.
  ///   - makeSequence: The closure that creates the sequence, each time that the body is sent. The closure
  ///     and the sequence run in a new task. An error of either one fails the request with
  ///     ``NetworkError/Code-swift.enum/encodingFailed``, as ``NetworkError/underlying``. The task
  ///     is cancelled when the request ends.
  public init<Bytes: AsyncSequence>(
    length: Int64? = nil, _ makeSequence: @escaping @Sendable () async throws -> Bytes
  ) where Bytes.Element == Data {
    self.init(length: length, isRepeatable: true, makeSequence)
  }

  /// Creates a stream from a sequence.
  ///
  /// - Parameters:
  ///   - length: The number of bytes. `nil` if it is unknown.
  ///   - isRepeatable: Whether the sequence can be created more than once.
  ///   - makeSequence: The closure that creates the sequence.
  package init<Bytes: AsyncSequence>(
    length: Int64?, isRepeatable: Bool, _ makeSequence: @escaping @Sendable () async throws -> Bytes
  ) where Bytes.Element == Data {
    self.length = length
    self.isRepeatable = isRepeatable
    source = SequenceSource(makeSequence: makeSequence)
  }

  /// Creates a stream from a sequence that can be read only once, such as an `AsyncStream`.
  ///
  /// - Parameters:
  ///   - length: The number of bytes. `nil` if it is unknown.
  ///   - bytes: The sequence. It is read in a new task while the body is sent.
  public init<Bytes: AsyncSequence & Sendable>(length: Int64? = nil, once bytes: Bytes)
  where Bytes.Element == Data {
    let isTaken = AtomicFlag()
    self.init(length: length, isRepeatable: false) {
      guard isTaken.set() else { throw AlreadyConsumedError() }
      return bytes
    }
  }

  /// Reads the stream from its start.
  ///
  /// - Parameter push: The closure that receives a piece and suspends until the next one may be
  ///   produced. It returns `false` to stop.
  /// - Throws: The errors of the sequence and of the closure that creates it.
  func run(_ push: Push) async throws { try await source.run(push) }

  /// The error of a stream that can be sent only once and is sent a second time.
  struct AlreadyConsumedError: Error, CustomStringConvertible {
    var description: String { "the stream can be sent only once and has already been sent" }
  }
}

/// A flag that is never reset.
final class AtomicFlag: Sendable {
  private let value = Atomic(false)

  /// Sets the flag, and returns whether it was not set before.
  func set() -> Bool { !value.exchange(true, ordering: .relaxed) }
}

extension BodyStream: Hashable {
  /// Returns whether two values are copies of one stream.
  ///
  /// - Parameters:
  ///   - left: A stream.
  ///   - right: Another stream.
  /// - Returns: Whether they are copies of one stream.
  public static func == (left: BodyStream, right: BodyStream) -> Bool {
    left.source === right.source
  }

  /// Hashes the identity of the stream.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }
}

/// The type-erased source of a stream, which is also its identity.
private protocol BodyStreamSource: AnyObject, Sendable {
  func run(_ push: BodyStream.Push) async throws
}

private final class SequenceSource<Bytes: AsyncSequence>: BodyStreamSource
where Bytes.Element == Data {
  private let makeSequence: @Sendable () async throws -> Bytes

  init(makeSequence: @escaping @Sendable () async throws -> Bytes) {
    self.makeSequence = makeSequence
  }

  func run(_ push: BodyStream.Push) async throws {
    for try await piece in try await makeSequence() where !piece.isEmpty {
      guard await push(piece) else { return }
    }
  }
}
