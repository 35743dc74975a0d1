import Foundation
import Promises
import Synchronization

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
