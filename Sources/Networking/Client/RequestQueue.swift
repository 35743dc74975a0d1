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
  private let turns: Mutex<RequestTurns>
  private let operations = OperationQueue()
  /// Where time is turned by hand everything starts at once, so that nothing is still on its way to
  /// another thread when time passes.
  private let startsAtOnce: Bool
  /// Whether the answers of two requests of which one waited for the other come in that order.
  private let isOrdered: Bool

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - mode: how many requests are under way at once.
  ///   - scheduler: whose time counts.
  init(_ mode: RequestMode, scheduler: any Scheduler) {
    turns = Mutex(RequestTurns(width: mode.width))
    let ticket = scheduler.beginActivity()
    startsAtOnce = ticket != nil
    ticket?.end()
    isOrdered = mode.width == 1 || startsAtOnce
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
    if let due = turns.withLock({ $0.add(request, priority) }) { start(due) }
  }

  func suspend() {
    turns.withLock { $0.suspend() }
  }

  func resume() {
    for turn in turns.withLock({ $0.resume() }) { start(turn) }
  }

  func cancelAll() {
    for request in turns.withLock({ $0.all }) { request.cancel() }
  }

  private func start(_ turn: RequestTurns.Turn) {
    if startsAtOnce || !MainQueue.isCurrent {
      run(turn)
    } else {
      operations.addOperation { [self] in run(turn) }
    }
  }

  /// A loop rather than a step of `finish`, since any number of requests may have been cancelled while
  /// they waited.
  private func run(_ turn: RequestTurns.Turn) {
    var due: RequestTurns.Turn? = turn
    while let turn = due {
      if let answer = turn.request.start() { return follow(answer, turn) }
      due = turns.withLock { $0.finish(turn) }
    }
  }

  private func follow(_ answer: NetworkPromise, _ turn: RequestTurns.Turn) {
    // An answer that is there already, as of a mock, need not hold the turn where nobody waits. One that has
    // waited for another does, as that one's handlers come first.
    if !isOrdered, answer.isDelivered, turns.withLock({ $0.finishAlone(turn) }) {
      turn.request.follow(answer)
    } else {
      turn.request.follow(answer, isOrdered: isOrdered) { [self] in finish(turn) }
    }
  }

  private func finish(_ turn: RequestTurns.Turn) {
    if let next = turns.withLock({ $0.finish(turn) }) { start(next) }
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
  func follow(_ answer: NetworkPromise) {
    resolver.resolve(answer)
  }

  /// The same, and tells when the answer is there.
  ///
  /// - Parameters:
  ///   - answer: what ``start()`` has returned.
  ///   - isOrdered: whether `whenOver` has to wait until the handlers of the promise have run or are on
  ///     their way, so that what the next request comes to does not overtake them; otherwise it comes
  ///     before them.
  ///   - whenOver: called when the answer is there; maybe at once.
  func follow(
    _ answer: NetworkPromise, isOrdered: Bool, whenOver: @escaping @Sendable () -> Void
  ) {
    if isOrdered {
      resolver.resolve(answer)
      answer.trailing(whenOver)
    } else {
      resolver.resolve(answer, after: whenOver)
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
    if let known = pthread_getspecific(answers) { return Int(bitPattern: known) == 1 }
    let isMain = Thread.isMainThread
    pthread_setspecific(answers, UnsafeRawPointer(bitPattern: isMain ? 1 : 2))
    return isMain
  }

  private static let answers: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
