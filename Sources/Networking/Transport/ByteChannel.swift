import Foundation
import Synchronization

/// What passes the bytes of a response on to the one who reads them.
final class ByteChannel: BodySink, ByteSource {
  private typealias Reader = CheckedContinuation<Data?, any Error>
  private typealias End = Result<TransportMetrics, any Error>

  private struct State {
    var bytes = ByteQueue()
    /// Set once nothing more will come.
    var end: End?
    var reader: Reader?
    var whenOver: [@Sendable (End) -> Void] = []

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
      defer { state.whenOver = [] }
      return (isFirst, state.reader.take(), state.whenOver)
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

  func whenOver(
    _ action: @escaping @Sendable (_ result: Result<TransportMetrics, any Error>) -> Void
  ) {
    let end = state.withLock { state in
      if state.end == nil { state.whenOver.append(action) }
      return state.end
    }
    if let end { action(end) }
  }
}
