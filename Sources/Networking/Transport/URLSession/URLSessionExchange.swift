import CatenaSystem
import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An exchange of a ``URLSessionTransport``, and its handle.
///
/// All events are delivered on the session's serial delegate queue, so they are serial and in
/// order. After its start, the task is also cancelled on that queue, because Foundation on Linux
/// crashes if a task is cancelled while the delegate decides about a redirect.
final class URLSessionExchange: TransportHandle {
  typealias Receive = @Sendable (TransportEvent) -> Void

  private struct State: ~Copyable, Sendable {
    var machine: URLSessionExchangeMachine
    var resources: Resources
    /// Whether the session task is paused.
    var isTaskPaused = false
    var isCancelled = false
    var failure: TransportFailure?

    var isOver: Bool { isCancelled || machine.isFinished }
  }

  /// The objects that an exchange retains until its end.
  private struct Resources {
    var receive: Receive?
    var task: URLSessionTask?
    /// The body, kept until the end because releasing it removes its temporary copy.
    var body: URLSessionBody?
    /// The task that prepares the body, before there is a session task.
    var preparation: Task<Void, Never>?
    var timer: (due: Duration, action: ScheduledAction)?
  }

  private let state: Mutex<State>
  private let queue: OperationQueue
  private let scheduler: any Scheduler
  /// Whether the exchange presents no client certificate.
  let withholdsClientCertificate: Bool

  init(
    _ timeouts: ExchangeTimeouts, on queue: OperationQueue, _ scheduler: any Scheduler,
    withholdsClientCertificate: Bool, _ receive: @escaping Receive
  ) {
    self.withholdsClientCertificate = withholdsClientCertificate
    state = Mutex(
      State(
        machine: URLSessionExchangeMachine(timeouts, started: scheduler.now),
        resources: Resources(receive: receive)))
    self.queue = queue
    self.scheduler = scheduler
    scheduleTimeout()
  }

  /// Sets the task that prepares the body and then begins or ends this exchange.
  ///
  /// If the exchange has already ended, the task is cancelled.
  func prepare(_ preparation: Task<Void, Never>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.resources.preparation = preparation }
      return state.isOver
    }
    if isOver { preparation.cancel() }
  }

  /// Starts the session task.
  ///
  /// The task is resumed even if the exchange has been cancelled, and is cancelled afterwards. On
  /// Linux, a task that was never resumed may never complete, and the session would wait for it.
  func begin(_ task: URLSessionTask, _ body: URLSessionBody) {
    task.resume()
    let (isOver, isSuspended) = state.withLock { state -> (Bool, Bool) in
      if !state.isOver {
        state.resources.task = task
        state.resources.body = body
      }
      return (state.isOver, state.machine.isSuspended)
    }
    if isOver {
      task.cancel()
    } else if isSuspended {
      queue.addOperation { [self] in pauseOrContinueTask() }
    }
  }

  /// Fails an exchange that has no session task.
  func end(_ failure: TransportFailure) {
    queue.addOperation { [self] in
      deliver { $0.machine.fail(failure, at: $1) }
    }
  }

  // MARK: TransportHandle

  func cancel() { abort(TransportFailure(code: .cancelled)) }

  func suspend() {
    let isFirst = state.withLock { state in
      guard !state.machine.isFinished else { return false }
      defer { state.machine.suspend() }
      return !state.machine.isSuspended
    }
    if isFirst { queue.addOperation { [self] in pauseOrContinueTask() } }
  }

  func resume() {
    state.withLock { $0.machine.requestResumption() }
    queue.addOperation { [self] in deliverHeld { $0.machine.resumeIfRequested(at: $1) } }
  }

  /// Delivers a held event, and each further one in an operation of its own, so that other exchanges
  /// have turns; for the delegate queue only.
  ///
  /// A suspension in between ends the delivery until the next resumption.
  private func deliverHeld(_ next: (inout State, Duration) -> [TransportEvent]) {
    let hasDelivered = deliver(next)
    pauseOrContinueTask()
    guard hasDelivered else { return }
    queue.addOperation { [self] in deliverHeld { $0.machine.nextHeldEvent(at: $1) } }
  }

  /// Pauses or continues the task as events have to be held or not; for the delegate queue only.
  ///
  /// The queue is serial, so the last call agrees with the last suspension or resumption.
  private func pauseOrContinueTask() {
    // On Linux, a suspended task loses its connection and sends its request again when resumed.
    #if !canImport(FoundationNetworking)
      let (task, isHolding) = state.withLock { state -> (URLSessionTask?, Bool) in
        let isHolding = state.machine.isHolding
        guard !state.machine.isFinished, let task = state.resources.task,
          state.isTaskPaused != isHolding
        else { return (nil, isHolding) }
        state.isTaskPaused = isHolding
        return (task, isHolding)
      }
      if isHolding { task?.suspend() } else { task?.resume() }
    #endif
  }

  /// Ends the exchange with a failure and cancels its task.
  func abort(_ failure: TransportFailure) {
    let isFirst = state.withLock { state in
      guard !state.isOver else { return false }
      state.isCancelled = true
      return true
    }
    guard isFirst else { return }
    let operation = BlockOperation { [self] in
      deliver(evenIfCancelled: true) { $0.machine.abort(failure, at: $1) }
    }
    // The operation runs before the waiting ones, whose events are then discarded.
    operation.queuePriority = .veryHigh
    queue.addOperation(operation)
  }

  // MARK: Calls on the delegate queue

  /// The number of held bytes of the body in memory.
  var bytesInMemory: Int { state.withLock { $0.machine.held.memory.count } }

  /// Whether the exchange was cancelled; for the delegate queue only.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Delivers an event other than the last; for the delegate queue only.
  func receive(_ event: TransportEvent) { deliver { $0.machine.add(event, at: $1) } }

  /// Records a sign of an established connection; for the delegate queue only.
  func recordActivity() {
    deliver {
      $0.machine.recordActivity(at: $1)
      return []
    }
  }

  /// Sets the failure of a task that is about to be cancelled; for the delegate queue only.
  func setFailure(_ failure: TransportFailure) { state.withLock { $0.failure = failure } }

  /// Sets the measurements of the platform; for the delegate queue only.
  func setMetrics(_ metrics: TransportMetrics) { state.withLock { $0.machine.setMetrics(metrics) } }

  /// Ends the exchange after its task has completed; for the delegate queue only.
  func complete(_ failure: TransportFailure?) {
    deliver { state, now in
      guard let failure = state.failure ?? failure else { return state.machine.complete(at: now) }
      return state.machine.fail(failure, at: now)
    }
  }

  /// Delivers the events of a change.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  private func deliver(
    evenIfCancelled: Bool = false, _ change: (inout State, Duration) -> [TransportEvent]
  ) -> Bool {
    let now = scheduler.now
    let (receive, events, resources, isAborted) = state.withLock { state in
      guard evenIfCancelled || !state.isCancelled else {
        return (Receive?.none, [TransportEvent](), Resources?.none, false)
      }
      let events = change(&state, now)
      let resources = state.resources
      guard state.machine.isFinished else { return (resources.receive, events, nil, false) }
      // Released after unlocking, because this can run a `deinit` of the app.
      state.resources = Resources()
      return (resources.receive, events, resources, state.machine.isAborted)
    }
    for event in events { receive?(event) }
    resources?.timer?.action.cancel()
    resources?.preparation?.cancel()
    if isAborted { resources?.task?.cancel() }
    if resources == nil { scheduleTimeout() }
    return !events.isEmpty
  }

  // MARK: Timeouts

  /// Schedules a check at the next deadline, unless an earlier check is scheduled already.
  private func scheduleTimeout() {
    let due = state.withLock { state -> Duration? in
      guard !state.isCancelled, let due = state.machine.deadline?.due else { return nil }
      if let timer = state.resources.timer, timer.due <= due { return nil }
      return due
    }
    guard let due else { return }
    let action = scheduler.schedule(atLimit: due - scheduler.now) { [weak self] in
      self?.checkDeadline()
    }
    let old = state.withLock { state in
      defer { state.resources.timer = (due, action) }
      return state.resources.timer
    }
    old?.action.cancel()
  }

  private func checkDeadline() {
    let now = scheduler.now
    let deadline = state.withLock { state in
      state.resources.timer = nil
      return state.machine.deadline
    }
    guard let deadline, deadline.due <= now else { return scheduleTimeout() }
    abort(TransportFailure(code: .timedOut(deadline.phase)))
  }
}

extension HTTPBody {
  /// Checks that `URLSession` can read the file of the body.
  ///
  /// - Throws: A failure with the code `encodingFailed` if it cannot.
  package func checkFile() throws(TransportFailure) { _ = try URLSessionBody(self) }
}

/// A request body in a form that `URLSession` accepts: nothing, bytes, or one file.
enum URLSessionBody: Sendable {
  case none
  case data(Data)
  case file(URL)
  case copy(TemporaryFile)

  /// Whether a body has to be copied to a file first.
  ///
  /// `URLSession` sends either bytes or one file. It treats an input stream without available bytes
  /// as ended.
  static func needsCopy(_ body: HTTPBody) -> Bool {
    switch body {
    case .none, .data, .file: false
    case .stream: true
    case .pieces(let pieces): pieces.contains { if case .data = $0 { false } else { true } }
    }
  }

  /// Makes a body that needs no copy.
  ///
  /// Files are checked before Foundation reads them. On Linux, Foundation crashes on a folder and
  /// hangs on an empty file.
  init(_ body: HTTPBody) throws(TransportFailure) {
    switch body {
    case .none: self = .none
    case .data(let data): self = .data(data)
    case .file(let url): self = try Self.checkedSize(of: url) > 0 ? .file(url) : .data(Data())
    case .pieces, .stream:
      self = .data(
        body.allPieces.reduce(into: Data()) { if case .data(let bytes) = $1 { $0 += bytes } })
    }
  }

  /// Makes a body from a temporary copy.
  init(copying body: HTTPBody) async throws(TransportFailure) {
    for case .file(let url) in body.allPieces { _ = try Self.checkedSize(of: url) }
    let reader = try BodyReader(body)
    do {
      self = .copy(
        try await TemporaryFile { target in
          while let bytes = try await reader.next(upTo: 1 << 20) { try target.write(bytes) }
        })
    } catch let failure as TransportFailure {
      throw failure
    } catch {
      throw Self.unreadable(FileError.cause(of: error))
    }
  }

  /// Makes the session task that sends the body.
  ///
  /// Bytes are sent as an upload too, because `URLSession` adds its own content type to other
  /// tasks.
  func task(of request: URLRequest, in session: URLSession) -> URLSessionTask {
    switch self {
    case .data(let data) where !data.isEmpty || request.httpMethod != "GET":
      session.uploadTask(with: request, from: data)
    case .none, .data: session.dataTask(with: request)
    case .file(let url): session.uploadTask(with: request, fromFile: url)
    case .copy(let file): session.uploadTask(with: request, fromFile: file.url)
    }
  }

  private static func checkedSize(of url: URL) throws(TransportFailure) -> Int64 {
    guard url.isFileURL else { throw unreadable("its URL is not a file URL") }
    guard let status = try? FileStatus(url.path, followingLinks: true) else {
      throw unreadable("the file does not exist")
    }
    guard status.isRegular else { throw unreadable("it is not a regular file") }
    guard FileManager.default.isReadableFile(atPath: url.path) else {
      throw unreadable("the file is not readable")
    }
    return status.byteCount
  }

  private static func unreadable(_ reason: String) -> TransportFailure {
    TransportFailure(code: .encodingFailed, detail: "The body cannot be read: \(reason)")
  }
}
