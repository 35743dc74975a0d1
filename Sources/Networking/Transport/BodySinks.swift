import Foundation
import Synchronization

/// Where the bytes of a response go that are not gathered in memory.
///
/// The calls come one at a time, but for ``abandon()``, which may come at any time from any thread.
protocol BodySink: AnyObject, Sendable {
  func take(_ bytes: Data)

  /// All has come.
  func end(_ metrics: TransportMetrics)

  /// No more will come, and what has come is not all.
  func fail(_ error: NetworkError)

  /// Nobody wants it any more.
  func abandon()
}

/// What passes the bytes of a response on to the one who reads them.
final class ByteChannel: BodySink, ByteSource {
  private typealias Reader = CheckedContinuation<Data?, any Error>
  private typealias End = Result<TransportMetrics, any Error>

  private struct State {
    var bytes = ByteQueue()
    /// Set once nothing more will come.
    var end: End?
    var reader: Reader?
    var whenFinished: [@Sendable (End) -> Void] = []

    /// What a reader gets now; nil when it has to wait.
    mutating func next() -> Result<Data?, any Error>? {
      if let piece = bytes.popFirst() { return .success(piece) }
      return end.map { $0.map { _ in nil } }
    }
  }

  private let flow: FlowControl
  private let state = Mutex(State())

  init(_ flow: FlowControl) {
    self.flow = flow
  }

  // MARK: The transport's side

  func take(_ bytes: Data) {
    flow.add(bytes.count)
    let reader = state.withLock { state -> Reader? in
      guard state.end == nil else { return nil }
      if let reader = state.reader.take() { return reader }
      state.bytes.append(bytes)
      return nil
    }
    reader?.resume(returning: bytes)
  }

  func end(_ metrics: TransportMetrics) {
    finish(.success(metrics))
  }

  func fail(_ error: NetworkError) {
    finish(.failure(error))
  }

  func abandon() {
    stop(CancellationError())
  }

  /// - Returns: whether it was not over before.
  @discardableResult
  private func finish(_ result: End, dropping: Bool = false) -> Bool {
    let (isFirst, reader, actions) = state.withLock {
      state -> (Bool, Reader?, [@Sendable (End) -> Void]) in
      let isFirst = state.end == nil
      // What has come and is dropped must not look like a body that ends there.
      if isFirst || (dropping && !state.bytes.isEmpty) { state.end = result }
      if dropping { state.bytes = ByteQueue() }
      defer { state.whenFinished = [] }
      return (isFirst, state.reader.take(), state.whenFinished)
    }
    for action in actions { action(result) }
    reader?.resume(with: result.map { _ in nil })
    return isFirst
  }

  // MARK: The reader's side

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
    if let result = state.withLock({ $0.next() }) { return try result.get() }
    return try await withCheckedThrowingContinuation { (reader: Reader) in
      let result = state.withLock { state -> Result<Data?, any Error>? in
        let result = state.next()
        if result == nil { state.reader = reader }
        return result
      }
      if let result { reader.resume(with: result) }
    }
  }

  func stop(_ error: any Error) {
    if finish(.failure(error), dropping: true) { flow.cancel() }
  }

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

/// Holds a server back while what has come of a body waits to be used, and lets go of its exchange.
///
/// Bytes are added by the transport's thread and removed by whoever uses them. Above the high mark the
/// exchange is suspended, and resumed at the low one. One thread at a time tells the exchange's handle,
/// and looks again afterwards, so that the last word is what the marks say.
final class FlowControl: Sendable {
  private struct State {
    var handle: (any TransportHandle)?
    var waiting = 0
    var shouldPause = false
    var isPaused = false
    var isApplying = false
    var isCancelled = false

    /// What the handle is to be told.
    mutating func nextAction() -> (handle: any TransportHandle, pauses: Bool)? {
      guard let handle, !isApplying, !isCancelled, isPaused != shouldPause else { return nil }
      isApplying = true
      isPaused = shouldPause
      return (handle, shouldPause)
    }
  }

  private let high: Int
  private let low: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - high: how many bytes may wait.
  ///   - low: at how many the server goes on.
  init(high: Int = 256 << 10, low: Int = 64 << 10) {
    self.high = high
    self.low = low
  }

  /// Takes the handle, which may come after the first bytes.
  func attach(_ handle: any TransportHandle) {
    let isCancelled = state.withLock { state in
      state.handle = handle
      return state.isCancelled
    }
    if isCancelled { handle.cancel() } else { applyPauseState() }
  }

  func add(_ count: Int) {
    let changes = state.withLock { state in
      state.waiting += count
      if state.waiting >= high { state.shouldPause = true }
      return state.shouldPause != state.isPaused
    }
    if changes { applyPauseState() }
  }

  func remove(_ count: Int) {
    let changes = state.withLock { state in
      state.waiting -= count
      if state.waiting <= low { state.shouldPause = false }
      return state.shouldPause != state.isPaused
    }
    if changes { applyPauseState() }
  }

  /// Cancels the exchange, now or as soon as there is a handle.
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
