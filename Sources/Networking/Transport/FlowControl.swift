import Synchronization

/// Holds a server back while what has come of a body waits to be used, and lets go of its exchange.
///
/// Bytes are added by the transport's thread and removed by whoever uses them. Above the high mark the
/// exchange is suspended, and resumed at the low one. One thread at a time tells the exchange's handle,
/// and looks again afterwards, so that the last word is what the marks say.
final class FlowControl: Sendable {
  private struct State {
    var handle: (any TransportHandle)?
    var waiting = 0
    var isToPause = false
    var isPaused = false
    var isTelling = false
    var isCancelled = false

    /// What the handle is to be told.
    mutating func word() -> (handle: any TransportHandle, pauses: Bool)? {
      guard let handle, !isTelling, !isCancelled, isPaused != isToPause else { return nil }
      isTelling = true
      isPaused = isToPause
      return (handle, isToPause)
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
    if isCancelled { handle.cancel() } else { tell() }
  }

  func add(_ count: Int) {
    let changes = state.withLock { state in
      state.waiting += count
      if state.waiting >= high { state.isToPause = true }
      return state.isToPause != state.isPaused
    }
    if changes { tell() }
  }

  func remove(_ count: Int) {
    let changes = state.withLock { state in
      state.waiting -= count
      if state.waiting <= low { state.isToPause = false }
      return state.isToPause != state.isPaused
    }
    if changes { tell() }
  }

  /// Cancels the exchange, now or as soon as there is a handle.
  func cancel() {
    let handle = state.withLock { state in
      state.isCancelled = true
      return state.handle
    }
    handle?.cancel()
  }

  private func tell() {
    while let (handle, pauses) = state.withLock({ $0.word() }) {
      if pauses { handle.suspend() } else { handle.resume() }
      state.withLock { $0.isTelling = false }
    }
  }
}
