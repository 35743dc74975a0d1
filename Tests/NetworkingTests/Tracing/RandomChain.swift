import Foundation
import Mocking
import Networking
import NetworkingTracing
import Promises

/// A random graph of dependent calls, deterministic for a seed.
///
/// The graph runs as promises, and in a simulation of its own, which is the reference for its trace.
indirect enum RandomChain: Sendable {
  case call(number: Int, Duration, fails: Bool)
  case pause(Duration, RandomChain)
  case then(RandomChain, RandomChain)
  case recover(RandomChain, RandomChain)
  case when([RandomChain])
  case race([RandomChain])
  case any([RandomChain])

  struct Failure: Error {}

  /// Creates a graph with at most `budget` calls.
  init(_ budget: Int, _ count: inout Int, _ random: inout RandomTrace) {
    // No two sums are equal.
    func duration() -> Duration { .microseconds(Int.random(in: 1_000...900_000, using: &random)) }
    guard budget > 1, Int.random(in: 0..<8, using: &random) > 0 else {
      count += 1
      self = .call(number: count, duration(), fails: Int.random(in: 0..<6, using: &random) == 0)
      return
    }
    let size = Int.random(in: 2...min(budget, 4), using: &random)
    func parts(_ size: Int) -> [RandomChain] {
      (0..<size).map { _ in RandomChain(budget / size, &count, &random) }
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: self = .pause(duration(), RandomChain(budget, &count, &random))
    case 1...4:
      let parts = parts(2)
      self = .then(parts[0], parts[1])
    case 5:
      let parts = parts(2)
      self = .recover(parts[0], parts[1])
    case 6, 7: self = .when(parts(size))
    case 8: self = .race(parts(size))
    default: self = .any(parts(size))
    }
  }

  /// Starts the graph as promises.
  func start(_ client: Networking<Request>) -> Promise<Void> {
    switch self {
    case .call(let number, _, _): client.request(.get("c/\(number)")).asVoid()
    case .pause(let duration, let next): after(duration).then { next.start(client) }
    case .then(let first, let second): first.start(client).then { second.start(client) }
    case .recover(let first, let second): first.start(client).recover { _ in second.start(client) }
    case .when(let parts): Promises.when(parts.map { $0.start(client) }).asVoid()
    case .race(let parts): Promises.race(parts.map { $0.start(client) })
    case .any(let parts): Promises.any(parts.map { $0.start(client) })
    }
  }

  /// The calls by their numbers.
  var calls: [Int: (Duration, fails: Bool)] {
    switch self {
    case .call(let number, let duration, let fails): [number: (duration, fails)]
    case .pause(_, let next): next.calls
    case .then(let first, let second), .recover(let first, let second):
      first.calls.merging(second.calls) { left, _ in left }
    case .when(let parts), .race(let parts), .any(let parts):
      parts.reduce(into: [:]) { calls, part in calls.merge(part.calls) { left, _ in left } }
    }
  }
}

/// A simulation of a graph, event by event, and its critical path.
final class ChainSimulation {
  /// A call or a timer.
  final class Work {
    let name: String
    let cause: Work?
    let made: Duration
    /// The time at which it has left the queue.
    ///
    /// `nil` if it has not.
    var started: Duration?
    var end: Duration?
    var isCancelled = false

    init(_ name: String, _ cause: Work?, _ made: Duration) {
      (self.name, self.cause, self.made) = (name, cause, made)
    }
  }

  /// The end of a part of the graph.
  typealias Completion = (_ succeeds: Bool, _ cause: Work) -> Void
  typealias Cancellation = () -> Void

  private let limit: Int
  private var now = Duration.zero
  private var events: [(time: Duration, work: Work, action: () -> Void)] = []
  private var waiting: [(work: Work, start: () -> Void)] = []
  private var runningCount = 0
  private(set) var calls: [Work] = []
  private(set) var last: Work?
  /// Handlers, which run when all places are free.
  private var handlers: [() -> Void] = []

  init(_ chain: RandomChain, limit: Int) {
    self.limit = limit
    var isOver = false
    _ = start(chain, nil) { _, cause in
      self.last = cause
      isOver = true
    }
    while !isOver, let next = events.indices.min(by: { events[$0].time < events[$1].time }) {
      let event = events.remove(at: next)
      now = event.time
      if !event.work.isCancelled { event.action() }
      while !handlers.isEmpty { handlers.removeFirst()() }
    }
  }

  private func start(
    _ chain: RandomChain, _ cause: Work?, _ completion: @escaping Completion
  ) -> Cancellation {
    switch chain {
    case .call(let number, let duration, let fails):
      return call("GET c/\(number)", duration, fails, cause, completion)
    case .pause(let duration, let next):
      let timer = Work("timer", cause, now)
      timer.started = now
      var cancel: Cancellation = { timer.isCancelled = true }
      events.append(
        (
          now + duration, timer,
          {
            timer.end = self.now
            self.handlers.append { cancel = self.start(next, timer, completion) }
          }
        ))
      return { cancel() }
    case .then(let first, let second): return follow(first, second, cause, true, completion)
    case .recover(let first, let second): return follow(first, second, cause, false, completion)
    case .when(let parts): return gather(parts, cause, until: { !$0 }, completion)
    case .race(let parts): return gather(parts, cause, until: { _ in true }, completion)
    case .any(let parts): return gather(parts, cause, until: { $0 }, completion)
    }
  }

  private func follow(
    _ first: RandomChain, _ second: RandomChain, _ cause: Work?, _ condition: Bool,
    _ completion: @escaping Completion
  ) -> Cancellation {
    var (cancel, isCancelled): (Cancellation, Bool) = ({}, false)
    cancel = start(first, cause) { succeeds, cause in
      guard succeeds == condition else { return completion(succeeds, cause) }
      self.handlers.append {
        if !isCancelled { cancel = self.start(second, cause, completion) }
      }
    }
    return {
      isCancelled = true
      cancel()
    }
  }

  /// Starts parts at the same time, and ends with the first that meets a condition, or the last.
  private func gather(
    _ parts: [RandomChain], _ cause: Work?, until isDecisive: @escaping (Bool) -> Bool,
    _ completion: @escaping Completion
  ) -> Cancellation {
    var (cancels, remaining, isOver): ([Cancellation], Int, Bool) = ([], parts.count, false)
    cancels = parts.map { part in
      start(part, cause) { succeeds, cause in
        guard !isOver else { return }
        remaining -= 1
        guard isDecisive(succeeds) || remaining == 0 else { return }
        isOver = true
        for cancel in cancels { cancel() }
        completion(succeeds, cause)
      }
    }
    return {
      guard !isOver else { return }
      isOver = true
      for cancel in cancels { cancel() }
    }
  }

  private func call(
    _ name: String, _ duration: Duration, _ fails: Bool, _ cause: Work?,
    _ completion: @escaping Completion
  ) -> Cancellation {
    let work = Work(name, cause, now)
    calls.append(work)
    let begin = { [self] in
      runningCount += 1
      work.started = now
      events.append(
        (
          now + duration, work,
          { [self] in
            work.end = now
            free()
            completion(!fails, work)
          }
        ))
    }
    if runningCount < limit { begin() } else { waiting.append((work, begin)) }
    return { [self] in
      guard work.end == nil else { return }
      (work.isCancelled, work.end) = (true, now)
      guard work.started != nil else { return waiting.removeAll { $0.work === work } }
      free()
    }
  }

  private func free() {
    runningCount -= 1
    guard !waiting.isEmpty else { return }
    waiting.removeFirst().start()
  }

  /// The critical path, from the start to the end.
  var path: [String] {
    var (steps, next): ([String], Work?) = ([], last)
    while let work = next {
      if let started = work.started, let end = work.end {
        let kind = work.name == "timer" ? "timer" : "server"
        if end > started { steps.append("\(work.name) \(kind) \((end - started).digits)") }
        if started > work.made {
          steps.append("\(work.name) queue \((started - work.made).digits)")
        }
      }
      next = work.cause
    }
    return steps.reversed()
  }

  /// The calls, with their causes and times.
  var lines: [String] {
    calls.map { work in
      let end = work.end.map(\.digits) ?? ""
      let isServed = work.started.map { $0 < work.end ?? now } ?? false
      let isQueued = work.started.map { $0 > work.made } ?? true
      return "\(work.name) <\(work.cause?.name ?? "start") \(work.made.digits)-\(end)"
        + (isQueued ? " queue -\(work.started?.digits ?? end)\(isServed ? " held" : "")" : "")
        + (work.isCancelled ? " cancelled" : "")
    }.sorted()
  }
}
