import Foundation
import Promises
import Synchronization

/// Reads a ``BodyStream`` once from its start to its end.
///
/// A task, begun by the first read, makes pieces ahead of the reader, up to a mark. It waits beyond it
/// until the reader has taken them.
final class StreamReader: Sendable {
  /// With so many bytes unread no more are made.
  private static let highWaterMark = 256 << 10

  enum Outcome {
    case bytes(Int)
    case end
    /// Nothing is there yet.
    case pending
    case failed(any Error)
  }

  private struct State {
    var bytes = ByteQueue()
    var producedBytes: Int64 = 0
    var task: Task<Void, Never>?
    var end: Result<Void, any Error>?
    var isCancelled = false
    /// The one who makes pieces, waiting for room.
    var producer: CheckedContinuation<Bool, Never>?
    /// The one who reads, waiting for bytes.
    var whenReady: (@Sendable () -> Void)?
  }

  let stream: BodyStream
  private let state = Mutex(State())

  init(_ stream: BodyStream) {
    self.stream = stream
  }

  /// The next bytes into a buffer.
  ///
  /// - Parameters:
  ///   - buffer: takes them.
  ///   - whenReady: runs once there is more, after `pending`, on any thread.
  /// - Returns: how many, or why none.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, whenReady: @escaping @Sendable () -> Void
  ) -> Outcome {
    let (outcome, producer) = state.withLock {
      state -> (Outcome, CheckedContinuation<Bool, Never>?) in
      let count = state.bytes.read(into: buffer)
      guard count == 0 else {
        return (.bytes(count), state.bytes.count < Self.highWaterMark ? state.producer.take() : nil)
      }
      switch state.end {
      case .success: return (.end, nil)
      case .failure(let error): return (.failed(error), nil)
      case nil:
        state.whenReady = whenReady
        if state.task == nil, !state.isCancelled {
          state.task = Task(executorPreference: ActivityExecutor.current) { await self.produce() }
        }
        return (.pending, nil)
      }
    }
    producer?.resume(returning: true)
    return outcome
  }

  /// Ends the task; nothing more is read.
  func cancel() {
    let (task, producer) = state.withLock { state in
      state.isCancelled = true
      state.whenReady = nil
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
    let (isTaken, whenReady) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.isCancelled, state.end == nil else { return (false, nil) }
      state.producedBytes += Int64(piece.count)
      if let length = stream.length, state.producedBytes > length {
        state.end = .failure(LengthMismatchError(description: "it goes on after \(length) bytes"))
      } else {
        state.bytes.append(piece)
      }
      return (state.end == nil, state.whenReady.take())
    }
    whenReady?()
    guard isTaken else { return false }
    return await withCheckedContinuation { continuation in
      let continues = state.withLock { state -> Bool? in
        if state.isCancelled { return false }
        if state.bytes.count < Self.highWaterMark { return true }
        state.producer = continuation
        return nil
      }
      if let continues { continuation.resume(returning: continues) }
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    let whenReady = state.withLock { state in
      if state.end == nil { state.end = result }
      return state.whenReady.take()
    }
    whenReady?()
  }

  /// A stream that gives other than it says.
  struct LengthMismatchError: Error, CustomStringConvertible {
    let description: String
  }
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

  /// Removes the first bytes, as many as there are and fit.
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
