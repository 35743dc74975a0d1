import Networking
import Promises
import Synchronization

/// An exchange for which something is still being made; once it is there, another exchange takes over.
final class AwaitedExchange<Value: Sendable>: TransportHandle {
  typealias Receive = @Sendable (TransportEvent) -> Void

  private enum Phase {
    case waiting
    /// It came while nothing was to be delivered.
    case held(Result<Value, any Error>)
    /// Under way; what is asked for meanwhile is made up for after it.
    case starting
    case started(any TransportHandle)
    case over
  }

  private struct State {
    var phase = Phase.waiting
    var isSuspended = false
    var isCancelled = false
    var timer: ScheduledAction?

    var handle: (any TransportHandle)? {
      if case .started(let handle) = phase { handle } else { nil }
    }
  }

  private let state = Mutex(State())
  private let promise: Promise<Value>
  private let receive: Receive
  private let begin: @Sendable (Result<Value, any Error>, @escaping Receive) -> any TransportHandle

  /// Makes an exchange.
  ///
  /// - Parameters:
  ///   - promise: of what is waited for; it is cancelled with the exchange.
  ///   - receive: gets the events.
  ///   - begin: goes on with what has come of the promise.
  init(
    _ promise: Promise<Value>, _ receive: @escaping Receive,
    _ begin:
      @escaping @Sendable (Result<Value, any Error>, @escaping Receive) -> any TransportHandle
  ) {
    self.promise = promise
    self.receive = receive
    self.begin = begin
  }

  /// Waits for the promise, at the most as long as a connection may be silent.
  func wait(atMost limit: Duration?, _ scheduler: any Scheduler) {
    promise.always(on: .inline) { [self] in settled($0) }
    guard let limit else { return }
    let timer = scheduler.schedule(after: limit) { [weak self] in self?.timeUp() }
    let isUseless = state.withLock { state in
      guard case .waiting = state.phase else { return true }
      state.timer = timer
      return false
    }
    if isUseless { timer.cancel() }
  }

  private func settled(_ result: Result<Value, any Error>) {
    let (starts, timer) = state.withLock { state -> (Bool, ScheduledAction?) in
      guard case .waiting = state.phase else { return (false, nil) }
      state.phase = state.isSuspended ? .held(result) : .starting
      return (!state.isSuspended, state.timer.take())
    }
    timer?.cancel()
    if starts { start(result) }
  }

  private func start(_ result: Result<Value, any Error>) {
    let handle = begin(result, receive)
    let (isCancelled, isSuspended) = state.withLock { state in
      state.phase = .started(handle)
      return (state.isCancelled, state.isSuspended)
    }
    if isCancelled { handle.cancel() }
    if isSuspended { handle.suspend() }
  }

  private func timeUp() {
    if end() { receive(.failure(TransportFailure(code: .timedOut(.idle)))) }
  }

  /// Ends the exchange, if it still waits.
  private func end() -> Bool {
    let (ends, timer) = state.withLock { state -> (Bool, ScheduledAction?) in
      switch state.phase {
      case .waiting, .held:
        state.phase = .over
        return (true, state.timer.take())
      case .starting, .started, .over: return (false, nil)
      }
    }
    timer?.cancel()
    if ends { promise.cancel() }
    return ends
  }

  // MARK: The handle

  func cancel() {
    if end() { return receive(.failure(TransportFailure(code: .cancelled))) }
    let handle = state.withLock { state in
      state.isCancelled = true
      return state.handle
    }
    handle?.cancel()
  }

  func suspend() {
    let handle = state.withLock { state in
      state.isSuspended = true
      return state.handle
    }
    handle?.suspend()
  }

  func resume() {
    let (handle, held) = state.withLock { state in
      state.isSuspended = false
      guard case .held(let result) = state.phase else {
        return (state.handle, Result<Value, any Error>?.none)
      }
      state.phase = .starting
      return (nil, result)
    }
    if let held { start(held) }
    handle?.resume()
  }
}
