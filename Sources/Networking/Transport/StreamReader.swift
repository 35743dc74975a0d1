import CatenaSystem
import Foundation
import Promises

/// A reader that reads a ``BodyStream`` once, from start to end.
///
/// The first read starts a task that reads ahead, up to a high-water mark. At the mark the task
/// waits until the caller has read some of the bytes.
final class StreamReader: Sendable {
  /// The number of unread bytes at which the task stops reading ahead.
  private static let highWaterMark = 256 << 10

  private struct State: ~Copyable {
    var ahead = ReadAhead<any Error>()
    var producedBytes: Int64 = 0
    var task: Task<Void, Never>?
    /// The continuation of the task while it waits for space.
    var producer: CheckedContinuation<Bool, Never>?
  }

  let stream: BodyStream
  private let state = Mutex(State())

  init(_ stream: BodyStream) { self.stream = stream }

  /// Copies the next bytes into a buffer.
  ///
  /// - Parameters:
  ///   - buffer: The buffer.
  ///   - whenReady: A closure that runs once, on any thread, after `pending`, when more bytes are
  ///     available or the stream has ended.
  /// - Returns: The number of bytes, or the reason that there are none.
  /// - Throws: The error of the stream.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, whenReady: @escaping @Sendable () -> Void
  ) throws -> BodyReader.Outcome {
    let (outcome, producer) = try state.withLock { state in
      let outcome = try state.ahead.read(into: buffer, whenReady)
      if outcome == .pending, state.task == nil, !state.ahead.isCancelled {
        state.task = ActivityExecutor.startTask(countedBy: .current) { await self.produce() }
      }
      let hasRoom = state.ahead.bytes.count < Self.highWaterMark
      return (outcome, hasRoom ? state.producer.take() : nil)
    }
    producer?.resume(returning: true)
    return outcome
  }

  /// Cancels the task, so that no more pieces are read from the stream.
  func cancel() {
    let (task, producer) = state.withLock { state in
      state.ahead.cancel()
      return (state.task, state.producer.take())
    }
    task?.cancel()
    producer?.resume(returning: false)
  }

  private func produce() async {
    do {
      try await stream.run { await self.push($0) }
      let producedBytes = state.withLock { $0.producedBytes }
      if let length = stream.length, producedBytes < length {
        throw LengthMismatchError(description: "it ended after \(producedBytes) of \(length) bytes")
      }
      end(.success(()))
    } catch {
      end(.failure(error))
    }
  }

  private func push(_ piece: Data) async -> Bool {
    let (isAccepted, whenReady) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.ahead.isCancelled, state.ahead.end == nil else { return (false, nil) }
      state.producedBytes += Int64(piece.count)
      if let length = stream.length, state.producedBytes > length {
        state.ahead.end = .failure(
          LengthMismatchError(description: "it has more than \(length) bytes"))
      } else {
        state.ahead.bytes.append(piece)
      }
      return (state.ahead.end == nil, state.ahead.whenReady.take())
    }
    whenReady?()
    guard isAccepted else { return false }
    return await withCheckedContinuation { continuation in
      let continues = state.withLock { state -> Bool? in
        if state.ahead.isCancelled { return false }
        if state.ahead.bytes.count < Self.highWaterMark { return true }
        state.producer = continuation
        return nil
      }
      if let continues { continuation.resume(returning: continues) }
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    let whenReady = state.withLock { state in
      if state.ahead.end == nil { state.ahead.end = result }
      return state.ahead.whenReady.take()
    }
    whenReady?()
  }

  /// An error for a stream whose number of bytes differs from its stated length.
  struct LengthMismatchError: Error, CustomStringConvertible { let description: String }
}

/// A queue of bytes that are added in pieces and removed by the piece or into a buffer.
struct ByteQueue {
  private var pieces = FIFO<Data>()
  /// The number of bytes of the first piece that have been removed.
  private var offset = 0
  /// The number of bytes.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ piece: Data) {
    guard !piece.isEmpty else { return }
    pieces.append(piece)
    count += piece.count
  }

  /// Removes and returns the first piece, or the rest of it.
  mutating func popFirst() -> Data? {
    guard let piece = pieces.popFirst()?.dropFirst(offset) else { return nil }
    count -= piece.count
    offset = 0
    return piece
  }

  /// Removes bytes from the front and copies them into a buffer, until the queue is empty or the
  /// buffer is full.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count, let piece = pieces.first?.dropFirst(offset) {
      let taken = min(piece.count, buffer.count - filled)
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + taken)])
      piece.prefix(taken).copyBytes(to: room)
      filled += taken
      offset += taken
      if taken == piece.count {
        _ = pieces.popFirst()
        offset = 0
      }
    }
    count -= filled
    return filled
  }
}
