import CatenaSystem
package import Foundation
package import Networking
import Promises

/// A bounded buffer that passes a body from a producer to a consumer on another thread.
///
/// When ``capacity`` bytes are unread, the producer is suspended until the consumer has read half of
/// them. The producer adds the bytes that it has already received, so the buffer may exceed the
/// capacity by one piece.
package final class BodyPipe: Sendable {
  /// The result of a read.
  enum Piece: Sendable {
    case data(Data)
    /// No bytes are available yet. The closure that was passed to ``BodyPipe/next(_:)`` is called
    /// later.
    case pending
    case end
    /// The body is incomplete: the producer failed, or the pipe was cancelled.
    case failed
  }

  /// A sequence of the pieces, for one reader.
  struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let pipe: BodyPipe

    func makeAsyncIterator() -> Pieces { self }

    func next() async throws -> Data? { try await pipe.nextPiece() }
  }

  /// The error of a reader when the body is incomplete.
  struct Interrupted: Error {}

  private struct State {
    var pieces = FIFO<Data>()
    var unreadCount = 0
    /// The number of bytes that have not been added yet.
    ///
    /// `nil` if the length is not known.
    var missingCount: Int?
    var beginning = Data()
    /// Whether the body is complete, or `nil` before its end.
    var isComplete: Bool?
    var isCancelled = false
    var producer: (any TransportHandle)?
    /// Whether the producer should be suspended, whether it is, and whether a thread is changing that.
    var (wantsSuspension, isSuspended, isChanging) = (false, false, false)
    var whenReady: (@Sendable () -> Void)?
  }

  private static let capacity = 256 * 1024
  private let beginningLimit: Int
  private let state = Mutex(State())

  /// Creates a pipe.
  ///
  /// - Parameter beginningLimit: The number of bytes that ``beginning`` keeps.
  package init(beginningLimit: Int = 0) {
    self.beginningLimit = beginningLimit
  }

  /// The first bytes of the body.
  var beginning: Data { state.withLock { $0.beginning } }

  /// Whether the producer should wait.
  package var isFull: Bool { state.withLock { $0.wantsSuspension } }

  // MARK: Producer

  /// Sets the handle that suspends, resumes and cancels the producer.
  package func attach(_ producer: any TransportHandle) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled, state.isComplete == nil { state.producer = producer }
      return state.isCancelled
    }
    if isCancelled { return producer.cancel() }
    updateProducer()
  }

  /// Sets the length of the body, which is complete when all its bytes have been added.
  ///
  /// The consumer then does not wait for the end of the producer, and does not cancel it.
  package func expect(_ count: Int) {
    let whenReady = state.withLock { state in
      state.missingCount = count
      return count == 0 ? state.whenReady.take() : nil
    }
    whenReady?()
  }

  /// Adds bytes; a no-op after the end.
  package func append(_ data: Data) {
    guard !data.isEmpty else { return }
    let whenReady = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isCancelled, state.isComplete == nil else { return nil }
      state.pieces.append(data)
      state.unreadCount += data.count
      state.missingCount = state.missingCount.map { max($0 - data.count, 0) }
      if state.beginning.count < beginningLimit {
        state.beginning += data.prefix(beginningLimit - state.beginning.count)
      }
      if state.unreadCount >= Self.capacity { state.wantsSuspension = true }
      return state.whenReady.take()
    }
    updateProducer()
    whenReady?()
  }

  /// Ends the body.
  ///
  /// Repeated calls are no-ops.
  ///
  /// - Parameter isComplete: Whether all bytes have been added.
  package func finish(isComplete: Bool) {
    let (whenReady, producer) = state.withLock {
      state -> ((@Sendable () -> Void)?, (any TransportHandle)?) in
      if state.isComplete == nil { state.isComplete = isComplete }
      return (state.whenReady.take(), state.producer.take())
    }
    whenReady?()
    withExtendedLifetime(producer) {}
  }

  // MARK: Consumer

  /// Removes and returns the next bytes.
  ///
  /// - Parameter whenReady: A closure that runs once, on any thread, after ``Piece/pending``, when
  ///   bytes are available or the body has ended. It replaces the closure of the previous call.
  /// - Returns: The bytes, or the reason that there are none.
  func next(_ whenReady: @escaping @Sendable () -> Void) -> Piece {
    let piece = state.withLock { state -> Piece in
      if state.isCancelled { return .failed }
      if let data = state.pieces.popFirst() {
        state.unreadCount -= data.count
        if state.unreadCount <= Self.capacity / 2 { state.wantsSuspension = false }
        return .data(data)
      }
      if state.missingCount == 0 { return .end }
      if let isComplete = state.isComplete { return isComplete ? .end : .failed }
      state.whenReady = whenReady
      return .pending
    }
    updateProducer()
    return piece
  }

  /// Drops unread bytes and cancels the producer, unless the body is complete.
  package func cancel() {
    let (whenReady, producer) = state.withLock {
      state -> ((@Sendable () -> Void)?, (any TransportHandle)?) in
      state.pieces = FIFO()
      state.wantsSuspension = false
      // Only the end of the exchange is missing, which a recording waits for.
      if state.missingCount == 0 { return (state.whenReady.take(), nil) }
      state.isCancelled = true
      return (state.whenReady.take(), state.producer.take())
    }
    producer?.cancel()
    updateProducer()
    whenReady?()
  }

  private func nextPiece() async throws -> Data? {
    let result = await withTaskCancellationHandler {
      var piece = Piece.pending
      while case .pending = piece {
        let available: Piece? = await withCheckedContinuation { continuation in
          let piece = next { continuation.resume(returning: nil) }
          if case .pending = piece { return }
          continuation.resume(returning: piece)
        }
        if let available { piece = available }
      }
      return piece
    } onCancel: {
      cancel()
    }
    switch result {
    case .data(let data): return data
    case .end: return nil
    case .pending, .failed: throw Interrupted()
    }
  }

  /// Suspends or resumes the producer.
  ///
  /// One thread at a time does so, without the lock, because the producer may add bytes in the call.
  private func updateProducer() {
    while true {
      let change = state.withLock { state -> (producer: any TransportHandle, suspends: Bool)? in
        guard !state.isChanging, state.wantsSuspension != state.isSuspended,
          let producer = state.producer
        else { return nil }
        state.isChanging = true
        state.isSuspended = state.wantsSuspension
        return (producer, state.isSuspended)
      }
      guard let change else { return }
      change.suspends ? change.producer.suspend() : change.producer.resume()
      state.withLock { $0.isChanging = false }
    }
  }
}

/// The body of a forwarded response, which is sent while it is received.
///
/// Releasing it cancels the exchange with the origin, unless the body is complete.
package final class RelayedBody: Sendable {
  let pipe: BodyPipe

  /// Creates the body with the bytes that a producer adds to a pipe.
  package init(_ pipe: BodyPipe) {
    self.pipe = pipe
  }

  deinit {
    pipe.cancel()
  }
}

extension Mock {
  /// Returns a mock whose body arrives in a pipe while it is sent.
  ///
  /// - Parameters:
  ///   - pipe: The pipe. It is cancelled when the response ends.
  ///   - headers: The header fields.
  /// - Returns: The mock.
  package static func relaying(_ pipe: BodyPipe, headers: HTTPHeaders) -> Mock {
    var mock = Mock(headers: headers)
    mock.relay = RelayedBody(pipe)
    return mock
  }
}

extension Promise<Mock> {
  /// Returns a promise of the mock with the body of a forwarded response in memory, for a backend
  /// without sockets.
  ///
  /// If the body is incomplete, the mock resets the connection after the same number of bytes.
  ///
  /// - Parameter scheduler: The scheduler whose virtual time waits for the body.
  /// - Returns: The promise.
  func withRelayedBodyInMemory(awaitedBy scheduler: any Scheduler) -> Promise<Mock> {
    then(on: .inline) { mock in
      ActivityExecutor.counting(for: scheduler) { Promise { await mock.withRelayedBodyInMemory() } }
    }
  }
}

extension Mock {
  fileprivate func withRelayedBodyInMemory() async -> Mock {
    guard let relay else { return self }
    var mock = self
    mock.relay = nil
    var body = Data()
    do {
      for try await piece in BodyPipe.Pieces(pipe: relay.pipe) { body += piece }
      mock.body = body.isEmpty ? .none : .data(body)
    } catch {
      // Declares one byte more than is sent, so that the client detects the interruption.
      mock.body = .data(body + [0])
      mock.interruption = Interruption(fault: .reset, stage: .body(afterBytes: body.count))
    }
    return mock
  }
}
