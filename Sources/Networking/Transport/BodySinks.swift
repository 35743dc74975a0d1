import CatenaSystem
import Foundation
import Promises

/// A destination of a response body that is not collected in memory.
///
/// Calls are serial, except for ``abandon()``, which any thread can call at any time.
protocol BodySink: AnyObject, Sendable {
  /// Handles the next bytes of the body.
  func write(_ bytes: Data)

  /// Handles the end of the body, and the fields after it.
  func end(_ metrics: TransportMetrics, _ trailers: HTTPHeaders)

  /// Handles a failure of the exchange before the body was complete.
  func fail(_ error: NetworkError)

  /// Discards the rest of the body, because the response is no longer needed.
  func abandon()
}

/// A receiver of a copy of a successful response, while its body goes to a file or a stream.
///
/// Calls are serial, except for ``abandon()``, which any thread can call at any time. The methods must
/// not block.
protocol ResponseCopy: AnyObject, Sendable {
  /// Handles the head of the response.
  func begin(_ head: HTTPResponseHead, to request: HTTPRequest)

  /// Handles the next bytes of the body.
  func write(_ bytes: Data)

  /// Handles the end of the body.
  func end()

  /// Handles a failure or a cancellation.
  func abandon()
}

/// A channel that passes the bytes of a response body to its reader.
final class ByteChannel: BodySink, ByteSource {
  private typealias Reader = TaskContinuation<Result<Data?, any Error>>
  private typealias End = Result<TransportMetrics, any Error>

  private struct State: ~Copyable {
    var bytes = ByteQueue()
    /// The result, once no more bytes will arrive.
    var end: End?
    var trailers: HTTPHeaders = [:]
    var reader: Reader?
    var whenFinished: [@Sendable (End) -> Void] = []

    /// Removes and returns the next result for the reader, or `nil` if the reader has to wait.
    mutating func next() -> Result<Data?, any Error>? {
      if let piece = bytes.popFirst() { return .success(piece) }
      return end.map { $0.map { _ in nil } }
    }
  }

  private let flow: FlowControl
  private let state = Mutex(State())

  init(_ flow: FlowControl) { self.flow = flow }

  // MARK: The transport's side

  func write(_ bytes: Data) {
    flow.add(bytes.count)
    let reader = state.withLock { state -> Reader? in
      guard state.end == nil else { return nil }
      if let reader = state.reader.take() { return reader }
      state.bytes.append(bytes)
      return nil
    }
    reader?.resume(returning: .success(bytes))
  }

  func end(_ metrics: TransportMetrics, _ trailers: HTTPHeaders) {
    if !trailers.isEmpty { state.withLock { $0.trailers = trailers } }
    finish(.success(metrics))
  }

  func fail(_ error: NetworkError) { finish(.failure(error)) }

  func abandon() { stop(CancellationError()) }

  /// Ends the channel.
  ///
  /// - Returns: Whether the channel had not ended before.
  @discardableResult
  private func finish(_ result: End, discardingBytes: Bool = false) -> Bool {
    let (isFirst, reader, actions) = state.withLock {
      state -> (Bool, Reader?, [@Sendable (End) -> Void]) in
      let isFirst = state.end == nil
      // Discarded bytes must not look like the regular end of a shorter body.
      if isFirst || (discardingBytes && !state.bytes.isEmpty) { state.end = result }
      if discardingBytes { state.bytes = ByteQueue() }
      defer { state.whenFinished = [] }
      return (isFirst, state.reader.take(), state.whenFinished)
    }
    for action in actions { action(result) }
    reader?.resume(returning: result.map { _ in nil })
    return isFirst
  }

  // MARK: The reader's side

  var trailers: HTTPHeaders { state.withLock { $0.trailers } }

  func next() async throws -> Data? {
    try await withTaskCancellationHandler {
      let piece = try await nextPiece()
      if let piece { flow.remove(piece.count) }
      return piece
    } onCancel: {
      stop(CancellationError())
    }
  }

  private func nextPiece() async throws -> Data? {
    if let result = state.withLock({ $0.next() }) {
      Reader.taskContinues()
      return try result.get()
    }
    return try await Reader.wait { reader in
      let result = state.withLock { state -> Result<Data?, any Error>? in
        if let result = state.next() { return result }
        // The waiting reader keeps its place.
        guard state.reader == nil else {
          let reason = "the body is being read by another task, and can be read only by one"
          return .failure(NetworkError(.alreadyRead, reason))
        }
        state.reader = reader
        return nil
      }
      if let result { reader.resume(returning: result) }
    }.get()
  }

  func stop(_ error: any Error) {
    if finish(.failure(error), discardingBytes: true) { flow.cancel() }
  }

  func setHeld(_ isHeld: Bool) { flow.setHeld(isHeld) }

  func whenFinished(
    _ action: @escaping @Sendable (_ result: Result<TransportMetrics, any Error>) -> Void
  ) {
    let end = state.withLock { state in
      if state.end == nil { state.whenFinished.append(action) }
      return state.end
    }
    if let end { action(end) }
  }
}

/// The flow control of an exchange, which pauses the server while too many received bytes wait to
/// be consumed.
///
/// The transport's thread adds bytes; the consumer removes them. At or above the high mark the
/// exchange is suspended. At or below the low mark it is resumed. Only one thread at a time calls
/// the exchange's handle. It checks the state again after each call, so that the last call always
/// matches the marks.
final class FlowControl: Sendable {
  private struct State: ~Copyable {
    var handle: (any TransportHandle)?
    var waiting = 0
    var shouldPause = false
    /// Whether the consumer holds the exchange, however many bytes wait.
    var isHeld = false
    var isPaused = false
    var isApplying = false
    var isCancelled = false

    /// Returns the next call to make on the handle, or `nil` if there is nothing to do.
    mutating func nextAction() -> (handle: any TransportHandle, pauses: Bool)? {
      guard let handle, !isApplying, !isCancelled, isStale else { return nil }
      isApplying = true
      isPaused.toggle()
      return (handle, isPaused)
    }

    /// Whether the exchange has to be suspended or resumed.
    var isStale: Bool { isPaused != (shouldPause || isHeld) }
  }

  private let high: Int
  private let low: Int
  private let state = Mutex(State())

  /// Makes a flow control.
  ///
  /// - Parameters:
  ///   - high: The number of waiting bytes at which the exchange is suspended.
  ///   - low: The number of waiting bytes at which the exchange is resumed.
  init(high: Int = 256 << 10, low: Int = 64 << 10) {
    self.high = high
    self.low = low
  }

  /// Sets the handle, which may arrive after the first bytes.
  func attach(_ handle: any TransportHandle) {
    let isCancelled = state.withLock { state in
      state.handle = handle
      return state.isCancelled
    }
    if isCancelled { handle.cancel() } else { applyPauseState() }
  }

  func add(_ count: Int) {
    change { state in
      state.waiting += count
      if state.waiting >= high { state.shouldPause = true }
    }
  }

  func remove(_ count: Int) {
    change { state in
      state.waiting -= count
      if state.waiting <= low { state.shouldPause = false }
    }
  }

  /// Suspends the exchange until it is no longer held, however many bytes wait.
  func setHeld(_ isHeld: Bool) { change { $0.isHeld = isHeld } }

  private func change(_ change: (inout State) -> Void) {
    let isStale = state.withLock { state in
      change(&state)
      return state.isStale
    }
    if isStale { applyPauseState() }
  }

  /// Cancels the exchange, now or as soon as its handle is set.
  func cancel() {
    let handle = state.withLock { state in
      state.isCancelled = true
      return state.handle
    }
    handle?.cancel()
  }

  private func applyPauseState() {
    while let (handle, pauses) = state.withLock({ $0.nextAction() }) {
      if pauses { handle.suspend() } else { handle.resume() }
      state.withLock { $0.isApplying = false }
    }
  }
}
