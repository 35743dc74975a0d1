import CatenaSystem
import Foundation
import Promises

/// The request queue of a client, which starts requests as slots become free.
///
/// A request starts on the caller's thread, or on the thread on which an earlier request ended,
/// because a switch to another thread would take longer than all other work for a request. On the
/// main queue it starts on a global queue instead, so that the main queue is not blocked.
final class RequestQueue: Sendable {
  private let queueState: Mutex<RequestQueueState>
  /// Whether requests start on the current thread even on the main queue.
  ///
  /// `true` in virtual time, so that time does not advance while a request is being passed to
  /// another thread.
  private let startsImmediately: Bool
  /// Whether a request that waited for another one also delivers its response after that one.
  private let isOrdered: Bool

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - mode: The limit for the number of running requests.
  ///   - scheduler: The client's source of time.
  init(_ mode: RequestMode, scheduler: any Scheduler) {
    queueState = Mutex(RequestQueueState(width: mode.width))
    startsImmediately = scheduler.beginActivity() != nil
    isOrdered = mode.width == 1 || startsImmediately
    PromiseDiagnostics.setExplainer(of: self) { [weak self] in self?.explanations ?? [:] }
  }

  deinit { PromiseDiagnostics.setExplainer(of: self, nil) }

  /// Adds a request behind the waiting requests of the same priority.
  ///
  /// - Parameters:
  ///   - pending: The caller's promise, and its resolver.
  ///   - priority: The priority of the request.
  ///   - call: The call of the request. `nil` if there is none.
  ///   - begin: A closure that starts the request when a slot is free.
  func add(
    _ pending: (promise: NetworkPromise, resolver: Resolver<Response>), priority: Request.Priority,
    of call: Call? = nil, _ begin: @escaping @Sendable () -> NetworkPromise
  ) {
    let request = QueuedRequest(pending: pending, call: call, begin: begin)
    if let due = queueState.withLock({ $0.add(request, priority) }) { start(due) }
  }

  func suspend() { queueState.withLock { $0.isSuspended = true } }

  func resume() {
    queueState.withLock { $0.isSuspended = false }
    // One slot at a time: a request that ends at once starts the next one, which must not overtake
    // requests that have a slot and have not started.
    while let slot = queueState.withLock({ $0.next() }) { start(slot) }
  }

  func cancelAll() {
    let (waiting, running) = queueState.withLock { $0.requests }
    for request in waiting + running { request.pending.promise.cancel() }
  }

  private func start(_ slot: RequestQueueState.Slot) {
    guard !startsImmediately, MainQueue.isCurrent else { return run(slot) }
    // The transport alone may have a virtual time, which must not advance meanwhile.
    let activity = ActivityExecutor.current?.begin()
    DispatchQueue.global().async { [self] in withExtendedLifetime(activity) { run(slot) } }
  }

  /// Starts a request, or the next one if it has been cancelled.
  ///
  /// A loop and not a recursion, because any number of waiting requests may have been cancelled.
  private func run(_ slot: RequestQueueState.Slot) {
    var due: RequestQueueState.Slot? = slot
    while let slot = due {
      let request = slot.request
      if !request.pending.resolver.isSettled { return forward(request.begin(), slot) }
      due = queueState.withLock { $0.finish(slot) }
    }
  }

  private func forward(_ responsePromise: NetworkPromise, _ slot: RequestQueueState.Slot) {
    // Fast path: a response that is already available, such as that of a mock, frees its slot at
    // once if no request waits. A request that has waited takes the other path, because the
    // handlers of the earlier request come first.
    let resolver = slot.request.pending.resolver
    if isOrdered {
      // The next response does not overtake the handlers of this one.
      resolver.resolve(responsePromise)
      responsePromise.runAfterHandlers { [self] in finish(slot) }
    } else if responsePromise.isDelivered, queueState.withLock({ $0.finishIfNoneWait(slot) }) {
      resolver.resolve(responsePromise)
    } else {
      resolver.resolve(responsePromise) { [self] in finish(slot) }
    }
  }

  private func finish(_ slot: RequestQueueState.Slot) {
    if let next = queueState.withLock({ $0.finish(slot) }) { start(next) }
  }
}

// MARK: Explanations

extension RequestQueue {
  /// The explanations of the promises of all requests.
  private var explanations: PromiseDiagnostics.Explanations {
    let ((waiting, running), isSuspended) = queueState.withLock { ($0.requests, $0.isSuspended) }
    let next = isSuspended ? [] : running.map { $0.pending.promise }
    var explanations = PromiseDiagnostics.Explanations()
    var ahead = isSuspended ? ", which is suspended" : ""
    for (index, request) in (running + waiting).enumerated() {
      let position = index - running.count + 1
      let place = ", at position \(position) in the queue\(ahead)"
      explanations[ObjectIdentifier(request.pending.promise)] = {
        position > 0 ? (request.name + place, next) : (request.name, [])
      }
      if !isSuspended { ahead = request.call.map { ", behind call \($0.id)" } ?? "" }
    }
    return explanations
  }
}

extension QueuedRequest {
  /// The call, its request without a query, and its state.
  fileprivate var name: String {
    guard let call else { return "a request" }
    let (request, attempt) = (NetworkError.RequestSummary(call.request), call.state.attemptCount)
    let holder = call.state.currentInterceptor.map { ", in the interceptor \($0.name)" } ?? ""
    let text = "call \(call.id) \(request.method) \(request.url.prefix { $0 != "?" })"
    let quiet = call.state.events.map { ($0.quietTime / .milliseconds(100)).rounded() / 10 }
    let time = quiet.map { ", last event \($0) s ago" } ?? ""
    return NetworkError.singleLine(
      text + (attempt > 0 ? ", attempt \(attempt)" : "") + holder + time)
  }
}

/// A request in a client's queue: waiting, then running until its promise settles.
final class QueuedRequest: Sendable {
  /// The caller's promise, and its resolver.
  let pending: (promise: NetworkPromise, resolver: Resolver<Response>)
  let call: Call?
  /// Starts the request.
  ///
  /// It is not called if the request has been cancelled.
  let begin: @Sendable () -> NetworkPromise

  init(
    pending: (promise: NetworkPromise, resolver: Resolver<Response>), call: Call? = nil,
    begin: @escaping @Sendable () -> NetworkPromise
  ) {
    (self.pending, self.call, self.begin) = (pending, call, begin)
  }
}

/// The main queue.
enum MainQueue {
  /// Whether the current thread runs the main queue, or is the main thread.
  static var isCurrent: Bool { ExecutionContext.isOnMainQueue || isMainThread }

  /// The result of `Thread.isMainThread`, cached for each thread, because it is a system call on
  /// Linux.
  private static var isMainThread: Bool {
    if let known = pthread_getspecific(isMainThreadKey) { return Int(bitPattern: known) == 1 }
    let isMain = Thread.isMainThread
    pthread_setspecific(isMainThreadKey, UnsafeRawPointer(bitPattern: isMain ? 1 : 2))
    return isMain
  }

  private static let isMainThreadKey = makeThreadKey()
}
