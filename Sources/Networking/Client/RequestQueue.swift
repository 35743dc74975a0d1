import Dispatch
import Foundation
import Promises
import Synchronization

/// How many requests of one client are under way at once.
public enum RequestMode: Sendable, Hashable {
  /// One at a time, in the order in which they were made.
  case sync
  /// All of them.
  case async
  /// At most so many; a number below 1 counts as 1.
  case limited(Int)

  var width: Int {
    switch self {
    case .sync: 1
    case .async: .max
    case .limited(let width): max(width, 1)
    }
  }
}

/// The queue of one client: gives the requests their turns, and starts them.
///
/// A request whose turn has come starts on the thread that brought it about: the caller's, or the one on
/// which an earlier request has just ended. The main queue is spared: what it brings about starts in an
/// operation of an `OperationQueue`. A hop to another thread for every request took longer than all else
/// that is done for it.
final class RequestQueue: Sendable {
  private let queueState: Mutex<RequestQueueState>
  private let operations = OperationQueue()
  /// Where time is turned by hand everything starts at once, so that nothing is still on its way to
  /// another thread when time passes.
  private let startsImmediately: Bool
  /// Whether the answers of two requests of which one waited for the other come in that order.
  private let isOrdered: Bool

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - mode: how many requests are under way at once.
  ///   - scheduler: whose time counts.
  init(_ mode: RequestMode, scheduler: any Scheduler) {
    queueState = Mutex(RequestQueueState(width: mode.width))
    let ticket = scheduler.beginActivity()
    startsImmediately = ticket != nil
    ticket?.end()
    isOrdered = mode.width == 1 || startsImmediately
  }

  /// Puts a request behind those of its priority.
  ///
  /// - Parameters:
  ///   - pending: the promise that the caller has, and its resolver.
  ///   - priority: which go first.
  ///   - begin: starts the request when its turn has come.
  func add(
    _ pending: (promise: NetworkPromise, resolver: Resolver<Response>), priority: Request.Priority,
    _ begin: @escaping @Sendable () -> NetworkPromise
  ) {
    let request = QueuedRequest(pending, begin)
    if let due = queueState.withLock({ $0.add(request, priority) }) { start(due) }
  }

  func suspend() {
    queueState.withLock { $0.suspend() }
  }

  func resume() {
    for slot in queueState.withLock({ $0.resume() }) { start(slot) }
  }

  func cancelAll() {
    for request in queueState.withLock({ $0.all }) { request.cancel() }
  }

  private func start(_ slot: RequestQueueState.Slot) {
    if startsImmediately || !MainQueue.isCurrent {
      run(slot)
    } else {
      operations.addOperation { [self] in run(slot) }
    }
  }

  /// A loop rather than a step of `finish`, since any number of requests may have been cancelled while
  /// they waited.
  private func run(_ slot: RequestQueueState.Slot) {
    var due: RequestQueueState.Slot? = slot
    while let slot = due {
      if let responsePromise = slot.request.start() { return forward(responsePromise, slot) }
      due = queueState.withLock { $0.finish(slot) }
    }
  }

  private func forward(_ responsePromise: NetworkPromise, _ slot: RequestQueueState.Slot) {
    // An answer that is there already, as of a mock, need not hold the turn where nobody waits. One that has
    // waited for another does, as that one's handlers come first.
    if !isOrdered, responsePromise.isDelivered, queueState.withLock({ $0.finishIfNoneWait(slot) }) {
      slot.request.forward(responsePromise)
    } else {
      slot.request.forward(responsePromise, isOrdered: isOrdered) { [self] in finish(slot) }
    }
  }

  private func finish(_ slot: RequestQueueState.Slot) {
    if let next = queueState.withLock({ $0.finish(slot) }) { start(next) }
  }
}

/// One request of a client's queue: waiting until its turn, then under way until its promise settles.
final class QueuedRequest: Sendable {
  private let promise: NetworkPromise
  private let resolver: Resolver<Response>
  private let begin: @Sendable () -> NetworkPromise

  /// Makes a request that waits.
  ///
  /// - Parameters:
  ///   - pending: the promise that the caller has, and its resolver.
  ///   - begin: starts the request when its turn has come.
  init(
    _ pending: (promise: NetworkPromise, resolver: Resolver<Response>),
    _ begin: @escaping @Sendable () -> NetworkPromise
  ) {
    promise = pending.promise
    resolver = pending.resolver
    self.begin = begin
  }

  /// Starts the request, unless it was cancelled before its turn.
  ///
  /// - Returns: its answer, which the promise does not follow yet; nil where it was cancelled.
  func start() -> NetworkPromise? {
    resolver.isSettled ? nil : begin()
  }

  /// Has the promise become what the answer is.
  func forward(_ responsePromise: NetworkPromise) {
    resolver.resolve(responsePromise)
  }

  /// The same, and tells when the answer is there.
  ///
  /// - Parameters:
  ///   - responsePromise: what ``start()`` has returned.
  ///   - isOrdered: whether `whenOver` has to wait until the handlers of the promise have run or are on
  ///     their way, so that what the next request comes to does not overtake them; otherwise it comes
  ///     before them.
  ///   - whenFinished: called when the answer is there; maybe at once.
  func forward(
    _ responsePromise: NetworkPromise, isOrdered: Bool, whenFinished: @escaping @Sendable () -> Void
  ) {
    if isOrdered {
      resolver.resolve(responsePromise)
      responsePromise.runAfterHandlers(whenFinished)
    } else {
      resolver.resolve(responsePromise, willSettle: whenFinished)
    }
  }

  func cancel() {
    promise.cancel()
  }
}

/// The main queue, on which nothing may take long.
enum MainQueue {
  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the caller is on it.
  ///
  /// The main thread alone does not tell: on Linux an asynchronous `main` gives its thread up, and the
  /// main queue is turned by another.
  static var isCurrent: Bool {
    DispatchQueue.getSpecific(key: key) != nil || isMainThread
  }

  /// `Thread.isMainThread`, which asks the kernel on Linux, is asked once a thread.
  private static var isMainThread: Bool {
    if let known = pthread_getspecific(isMainThreadKey) { return Int(bitPattern: known) == 1 }
    let isMain = Thread.isMainThread
    pthread_setspecific(isMainThreadKey, UnsafeRawPointer(bitPattern: isMain ? 1 : 2))
    return isMain
  }

  private static let isMainThreadKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
