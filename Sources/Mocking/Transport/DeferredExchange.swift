import CatenaSystem
import Foundation
package import Networking
package import Promises

/// An exchange that waits for a promise and then continues as another exchange.
final class DeferredExchange<Value: Sendable>: TransportHandle {
  typealias Receive = @Sendable (TransportEvent) -> Void
  /// A closure that starts the next exchange with the result of the promise.
  ///
  /// The idle time is the time for which the client has received no event.
  typealias Start =
    @Sendable (
      _ result: Result<Value, any Error>, _ idleTime: Duration, _ receive: @escaping Receive
    )
    -> any TransportHandle

  private enum Phase {
    case waiting
    /// The promise was settled while the exchange was suspended.
    case held(Result<Value, any Error>)
    /// The next exchange is being started.
    ///
    /// Calls of the handle are applied to the next exchange after the start.
    case starting
    case started(any TransportHandle)
    case finished
  }

  private struct State {
    var phase = Phase.waiting
    var isSuspended = false
    var isCancelled = false
    var timer: ScheduledAction?
    /// Restarts the idle timer, or `nil` if there is no idle timeout.
    var restartTimer: (@Sendable () -> Void)?
    /// The start of the current idle time.
    var idleSince = Duration.zero

    var handle: (any TransportHandle)? {
      if case .started(let handle) = phase { handle } else { nil }
    }
  }

  private let state = Mutex(State())
  private let promise: Promise<Value>
  private let receive: Receive
  private let scheduler: any Scheduler
  private let startNext: Start

  /// Creates an exchange.
  ///
  /// - Parameters:
  ///   - promise: The promise to wait for. It is cancelled with the exchange.
  ///   - scheduler: The clock for the idle time.
  ///   - receive: The receiver of the events.
  ///   - startNext: A closure that starts the next exchange with the result of the promise.
  init(
    _ promise: Promise<Value>, on scheduler: any Scheduler, _ receive: @escaping Receive,
    _ startNext: @escaping Start
  ) {
    self.promise = promise
    self.scheduler = scheduler
    self.receive = receive
    self.startNext = startNext
  }

  /// Waits for the promise, and fails with an idle timeout after `limit`.
  ///
  /// `nil` means no limit. The time while the exchange is suspended does not count.
  func wait(atMost limit: Duration?) {
    state.withLock { $0.idleSince = scheduler.now }
    promise.always(on: .inline) { [self] in settled($0) }
    guard let limit else { return }
    let restartTimer = { @Sendable [weak self, scheduler] in
      guard let self else { return }
      store(scheduler.schedule(after: limit) { [weak self] in self?.handleIdleTimeout() })
    }
    state.withLock { $0.restartTimer = restartTimer }
    restartTimer()
  }

  private func store(_ timer: ScheduledAction) {
    let staleTimer = state.withLock { state -> ScheduledAction? in
      guard case .waiting = state.phase else { return timer }
      defer { state.timer = timer }
      return state.timer
    }
    staleTimer?.cancel()
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
    let idleTime = scheduler.now - state.withLock { $0.idleSince }
    let handle = startNext(result, idleTime, receive)
    var isHandleSuspended = false
    while true {
      // Calls of this object during `startNext`, and during the calls of the handle below, change
      // only the state. The loop ends when all of them have been applied to the handle.
      let (isCancelled, isSuspended) = state.withLock { state in
        if state.isCancelled || state.isSuspended == isHandleSuspended {
          state.phase = .started(handle)
        }
        return (state.isCancelled, state.isSuspended)
      }
      if isCancelled { return handle.cancel() }
      guard isSuspended != isHandleSuspended else { return }
      if isSuspended { handle.suspend() } else { handle.resume() }
      isHandleSuspended = isSuspended
    }
  }

  private func handleIdleTimeout() {
    // The time while the exchange is suspended does not count as idle time.
    let isSuspended = state.withLock { $0.isSuspended }
    if !isSuspended, end() { receive(.failure(TransportFailure(code: .timedOut(.idle)))) }
  }

  /// Ends the exchange if the next one has not been started, and returns whether it has ended it.
  private func end() -> Bool {
    let (ends, timer) = state.withLock { state -> (Bool, ScheduledAction?) in
      switch state.phase {
      case .waiting, .held:
        state.phase = .finished
        return (true, state.timer.take())
      case .starting, .started, .finished: return (false, nil)
      }
    }
    timer?.cancel()
    if ends { promise.cancel() }
    return ends
  }

  // MARK: TransportHandle

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
    let now = scheduler.now
    let (handle, held, restartTimer) = state.withLock {
      state -> ((any TransportHandle)?, Result<Value, any Error>?, (@Sendable () -> Void)?) in
      // The time while the exchange was suspended does not count as idle time.
      let wasSuspended = state.isSuspended
      if wasSuspended { state.idleSince = now }
      state.isSuspended = false
      switch state.phase {
      case .held(let result):
        state.phase = .starting
        return (nil, result, nil)
      case .waiting: return (nil, nil, wasSuspended ? state.restartTimer : nil)
      case .starting, .started, .finished: return (state.handle, nil, nil)
      }
    }
    restartTimer?()
    if let held { start(held) }
    handle?.resume()
  }
}

extension HTTPRequest {
  /// Starts an exchange of this request after its stream body has been read into memory.
  ///
  /// - Parameters:
  ///   - scheduler: The clock. Virtual time does not advance while the stream can make progress.
  ///   - receive: The receiver of the events.
  ///   - start: A closure that starts the exchange of the request with its body in memory.
  /// - Returns: A handle for the whole exchange. Cancelling it stops the reading.
  package func bufferingStreamBody(
    on scheduler: any Scheduler = .live,
    _ receive: @escaping @Sendable (TransportEvent) -> Void,
    _ start:
      @escaping @Sendable (HTTPRequest, @escaping @Sendable (TransportEvent) -> Void)
      -> any TransportHandle
  ) -> any TransportHandle {
    guard body.hasStreams else { return start(self, receive) }
    let body = ActivityExecutor.counting(for: scheduler) {
      Promise { try await withBodyInMemory() }
    }
    let exchange = DeferredExchange(body, on: scheduler, receive) {
      result, _, receive in
      switch result {
      case .success(let request): return start(request, receive)
      case .failure(let error):
        receive(
          .failure(
            error as? TransportFailure
              ?? TransportFailure(code: .encodingFailed, detail: "The body cannot be read")))
        return FinishedHandle()
      }
    }
    exchange.wait(atMost: nil)
    return exchange
  }

  private func withBodyInMemory() async throws -> HTTPRequest {
    let reader = try BodyReader(body)
    var data = Data()
    while let bytes = try await reader.next(upTo: 1 << 20) { data += bytes }
    var request = self
    request.body = .data(data)
    return request
  }
}
