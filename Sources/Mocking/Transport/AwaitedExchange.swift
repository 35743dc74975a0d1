import Networking
import Promises
import Synchronization

/// An exchange for which something is still being made; once it is there, another exchange takes over.
final class DeferredExchange<Value: Sendable>: TransportHandle {
  typealias Receive = @Sendable (TransportEvent) -> Void
  /// Goes on with what has come of the promise, after so long a silence.
  typealias Begin =
    @Sendable (
      _ result: Result<Value, any Error>, _ silence: Duration, _ receive: @escaping Receive
    )
    -> any TransportHandle

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
    /// Begins to count the time anew; nil without a limit.
    var watch: (@Sendable () -> Void)?
    /// Since when nothing has come though it would have been taken.
    var idleSince = Duration.zero

    var handle: (any TransportHandle)? {
      if case .started(let handle) = phase { handle } else { nil }
    }
  }

  private let state = Mutex(State())
  private let promise: Promise<Value>
  private let receive: Receive
  private let scheduler: any Scheduler
  private let begin: Begin

  /// Makes an exchange.
  ///
  /// - Parameters:
  ///   - promise: of what is waited for; it is cancelled with the exchange.
  ///   - scheduler: whose time counts.
  ///   - receive: gets the events.
  ///   - begin: goes on with what has come of the promise.
  init(
    _ promise: Promise<Value>, on scheduler: any Scheduler, _ receive: @escaping Receive,
    _ begin: @escaping Begin
  ) {
    self.promise = promise
    self.scheduler = scheduler
    self.receive = receive
    self.begin = begin
  }

  /// Waits for the promise, at the most as long as a connection may be silent.
  func wait(atMost limit: Duration?) {
    state.withLock { $0.idleSince = scheduler.now }
    promise.always(on: .inline) { [self] in settled($0) }
    guard let limit else { return }
    let watch = { @Sendable [weak self, scheduler] in
      guard let self else { return }
      keep(scheduler.schedule(after: limit) { [weak self] in self?.handleIdleTimeout() })
    }
    state.withLock { $0.watch = watch }
    watch()
  }

  private func keep(_ timer: ScheduledAction) {
    let useless = state.withLock { state -> ScheduledAction? in
      guard case .waiting = state.phase else { return timer }
      defer { state.timer = timer }
      return state.timer
    }
    useless?.cancel()
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
    let silence = scheduler.now - state.withLock { $0.idleSince }
    let handle = begin(result, silence, receive)
    var isHandleSuspended = false
    while true {
      // What is asked for while the handle is told of the last wish is only a wish too.
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
    // While nothing was to be delivered the silence is the receiver's own.
    let isHeldBack = state.withLock { $0.isSuspended }
    if !isHeldBack, end() { receive(.failure(TransportFailure(code: .timedOut(.idle)))) }
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
    let now = scheduler.now
    let (handle, held, watch) = state.withLock {
      state -> ((any TransportHandle)?, Result<Value, any Error>?, (@Sendable () -> Void)?) in
      // The silence that the receiver made itself does not count.
      let wasSuspended = state.isSuspended
      if wasSuspended { state.idleSince = now }
      state.isSuspended = false
      switch state.phase {
      case .held(let result):
        state.phase = .starting
        return (nil, result, nil)
      case .waiting: return (nil, nil, wasSuspended ? state.watch : nil)
      case .starting, .started, .over: return (state.handle, nil, nil)
      }
    }
    watch?()
    if let held { start(held) }
    handle?.resume()
  }
}
