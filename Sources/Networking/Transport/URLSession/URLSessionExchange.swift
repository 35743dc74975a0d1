import Foundation
import Promises
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One exchange of a ``URLSessionTransport``, and the handle that its caller has on it.
///
/// All that delivers events, and all that is said to the task after its start, runs on the session's
/// serial delegate queue. So events come one at a time and in order, and a cancellation never comes
/// between a redirect and its answer, which Foundation on Linux does not survive.
final class URLSessionExchange: TransportHandle {
  typealias Receive = @Sendable (TransportEvent) -> Void

  private struct State: Sendable {
    var machine: URLSessionExchangeMachine
    var receive: Receive?
    var task: URLSessionTask?
    /// Kept until the end: a copy in the temporary folder goes with it.
    var body: URLSessionBody?
    /// What makes the body, before there is a task.
    var preparation: Task<Void, Never>?
    var isCancelled = false
    var failure: TransportFailure?
    var timer: (due: Duration, action: ScheduledAction)?
  }

  private let state: Mutex<State>
  private let queue: OperationQueue
  private let scheduler: any Scheduler

  init(
    _ times: ExchangeTimeouts, on queue: OperationQueue, _ scheduler: any Scheduler,
    _ receive: @escaping Receive
  ) {
    state = Mutex(
      State(
        machine: URLSessionExchangeMachine(times, started: scheduler.now), receive: receive))
    self.queue = queue
    self.scheduler = scheduler
    scheduleTimeout()
  }

  /// Takes on what is going to begin or to end this exchange; cancelled if that ends before.
  func prepare(_ preparation: Task<Void, Never>) {
    let isFinished = state.withLock { state in
      let isFinished = state.isCancelled || state.machine.isFinished
      if !isFinished { state.preparation = preparation }
      return isFinished
    }
    if isFinished { preparation.cancel() }
  }

  /// Starts the task.
  ///
  /// It is started even for an exchange that has been cancelled, and cancelled then: one that never ran
  /// may never end on Linux, and the session would wait for it.
  func begin(_ task: URLSessionTask, _ body: URLSessionBody) {
    task.resume()
    let (isFinished, isSuspended) = state.withLock { state in
      let isFinished = state.isCancelled || state.machine.isFinished
      if !isFinished {
        state.task = task
        state.body = body
      }
      return (isFinished, state.machine.isSuspended)
    }
    if isFinished {
      task.cancel()
    } else if isSuspended {
      task.pause()
    }
  }

  /// Ends an exchange that does not come to a task.
  func end(_ failure: TransportFailure) {
    queue.addOperation { [self] in
      deliver { $0.machine.fail(failure, at: $1) }
    }
  }

  // MARK: The handle

  func cancel() {
    abort(TransportFailure(code: .cancelled))
  }

  func suspend() {
    let task = state.withLock { state -> URLSessionTask? in
      guard !state.machine.isFinished, !state.machine.isSuspended else { return nil }
      state.machine.suspend()
      return state.task
    }
    task?.pause()
  }

  func resume() {
    queue.addOperation { [self] in
      let task = state.withLock { $0.machine.isSuspended ? $0.task : nil }
      deliver { $0.machine.resume(at: $1) }
      task?.unpause()
    }
  }

  private func abort(_ failure: TransportFailure) {
    let isFirst = state.withLock { state in
      guard !state.isCancelled, !state.machine.isFinished else { return false }
      state.isCancelled = true
      return true
    }
    guard isFirst else { return }
    let operation = BlockOperation { [self] in
      let task = state.withLock { $0.machine.hasFinalEvent ? nil : $0.task }
      deliver(evenIfCancelled: true) { $0.machine.abort(failure, at: $1) }
      task?.cancel()
    }
    // Before what waits in the queue, which is dropped.
    operation.queuePriority = .veryHigh
    queue.addOperation(operation)
  }

  // MARK: On the queue

  /// Whether the answer to a question of the session's still matters; for the queue only.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether a final response has begun.
  var hasHead: Bool { state.withLock { $0.machine.hasHead } }

  /// Takes something that is not the last; for the queue only.
  func receive(_ event: TransportEvent) {
    deliver { $0.machine.add(event, at: $1) }
  }

  /// The connection has shown that it stands; for the queue only.
  func recordActivity() {
    deliver {
      $0.machine.recordActivity(at: $1)
      return []
    }
  }

  /// Notes why the task is going to be cancelled; for the queue only.
  func setFailure(_ failure: TransportFailure) {
    state.withLock { $0.failure = failure }
  }

  /// The platform tells what it has measured; for the queue only.
  func setMetrics(_ metrics: TransportMetrics) {
    state.withLock { $0.machine.setMetrics(metrics) }
  }

  /// The task is over; for the queue only.
  func complete(_ failure: TransportFailure?) {
    deliver { state, now in
      guard let failure = state.failure ?? failure else { return state.machine.complete(at: now) }
      return state.machine.fail(failure, at: now)
    }
  }

  private func deliver(
    evenIfCancelled: Bool = false, _ change: (inout State, Duration) -> [TransportEvent]
  ) {
    let now = scheduler.now
    let (receive, events, dropped) = state.withLock { state in
      guard evenIfCancelled || !state.isCancelled else {
        return (Receive?.none, [TransportEvent](), State?.none)
      }
      let events = change(&state, now)
      let receive = state.receive
      guard state.machine.isFinished else { return (receive, events, nil) }
      // Released after unlocking, since a user's `deinit` may follow.
      let dropped = state
      state.receive = nil
      state.task = nil
      state.body = nil
      state.preparation = nil
      state.timer = nil
      return (receive, events, dropped)
    }
    for event in events { receive?(event) }
    dropped?.timer?.action.cancel()
    dropped?.preparation?.cancel()
    if dropped == nil { scheduleTimeout() }
  }

  // MARK: Time

  /// Sees to it that somebody looks when the time is up; a timer that is set for earlier will do.
  private func scheduleTimeout() {
    let due = state.withLock { state -> Duration? in
      guard !state.isCancelled, let due = state.machine.deadline?.due else { return nil }
      if let timer = state.timer, timer.due <= due { return nil }
      return due
    }
    guard let due else { return }
    let action = scheduler.schedule(after: due - scheduler.now) { [weak self] in
      self?.checkDeadline()
    }
    let old = state.withLock { state in
      defer { state.timer = (due, action) }
      return state.timer
    }
    old?.action.cancel()
  }

  private func checkDeadline() {
    let now = scheduler.now
    let deadline = state.withLock { state in
      state.timer = nil
      return state.machine.deadline
    }
    guard let deadline, deadline.due <= now else { return scheduleTimeout() }
    abort(TransportFailure(code: .timedOut(deadline.phase)))
  }
}

extension URLSessionTask {
  /// Has the server wait, where the platform can.
  fileprivate func pause() {
    // On Linux a task that is suspended loses its connection, and sends its request anew when resumed.
    #if !canImport(FoundationNetworking)
      suspend()
    #endif
  }

  fileprivate func unpause() {
    #if !canImport(FoundationNetworking)
      resume()
    #endif
  }
}

/// A request's body as `URLSession` takes it: nothing, bytes, or one file.
enum URLSessionBody: Sendable {
  case none
  case data(Data)
  case file(URL)
  case copy(TemporaryFile)

  /// Whether it takes a copy, as `URLSession` sends one file or bytes that are there, and reads a stream
  /// with nothing in it yet as one that has ended.
  static func needsCopy(_ body: HTTPBody) -> Bool {
    switch body {
    case .none, .data, .file: false
    case .stream: true
    case .pieces(let pieces): pieces.contains { if case .file = $0 { true } else { false } }
    }
  }

  /// Makes it of a body that need not be copied.
  ///
  /// Files are looked at before Foundation does, which on Linux does not survive a folder and waits for
  /// ever for an empty file.
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

  /// Makes it of any body, by a copy of that.
  init(copying body: HTTPBody) async throws(TransportFailure) {
    for case .file(let url) in body.allPieces { _ = try Self.checkedSize(of: url) }
    let reader = try BodyReader(body)
    do {
      self = .copy(
        try await TemporaryFile { target in
          while let bytes = try await reader.next(upTo: 1 << 20) {
            try target.write(contentsOf: bytes)
          }
        })
    } catch let failure as TransportFailure {
      throw failure
    } catch {
      throw Self.unreadable((error as NSError).localizedDescription)
    }
  }

  /// Makes the task that sends it.
  ///
  /// Bytes too go as an upload, since `URLSession` adds a content type of its own to others.
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
    guard url.isFileURL else { throw unreadable("its URL is not a file's") }
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(
        atPath: url.resolvingSymlinksInPath().path)
    } catch {
      throw unreadable("there is no such file")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw unreadable("it is no file")
    }
    guard FileManager.default.isReadableFile(atPath: url.path) else {
      throw unreadable("there is no permission")
    }
    return (attributes[.size] as? NSNumber)?.int64Value ?? 0
  }

  private static func unreadable(_ reason: String) -> TransportFailure {
    TransportFailure(code: .encodingFailed, detail: "The body cannot be read: \(reason)")
  }
}
