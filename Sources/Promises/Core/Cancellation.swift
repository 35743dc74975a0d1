import Synchronization

extension Promise: Upstream {
  /// Rejects this promise with `CancellationError` at once, and tells what it waits for.
  ///
  /// Upstream work, a socket or a timer, is cancelled when its last consumer has gone, and not
  /// before: a promise that others have derived from, awaited, or attached a ``done(on:_:)``
  /// to goes on for them. Handlers `fail` and `always` only look on; they keep no work alive.
  ///
  /// Of a promise that has settled it changes nothing. Handlers on promises derived from this one see
  /// the same `CancellationError`.
  public func cancel() {
    reject(CancellationError(), by: .consumer)
  }

  @usableFromInline
  func consumerCancelled() {
    guard !isSettled else { return }
    let departure = machine.withLock { machine in
      isSettled ? .others(dead: []) : machine.consumerCancelled()
    }
    if case .last = departure { cancel() }
  }

  @usableFromInline
  var upstreamLinks: UpstreamLinks {
    machine.withLock { $0.links }
  }

  /// Has `action` run when this promise is settled by anybody but the one who owes it its value; at
  /// once when that has happened already.
  func onCancel(_ action: @escaping Job) {
    let isCancelled = machine.withLock { machine in
      guard !isSettled else { return machine.isCancelled }
      machine.upstream = CancellationHandler(before: machine.upstream.take(), action)
      return false
    }
    if isCancelled { action() }
  }
}

/// Work outside the graph of promises, seen as an upstream: told that its consumer has left, it acts.
final class CancellationHandler: Upstream {
  private let action: Job
  private let next: (any Upstream)?

  /// - Parameters:
  ///   - next: what the promise waited for before, to be told after `action`.
  ///   - action: what to do.
  init(before next: (any Upstream)? = nil, _ action: @escaping Job) {
    self.action = action
    self.next = next
  }

  func consumerCancelled() {
    action()
    if let next { Trampoline.notify(next) }
  }

  var upstreamLinks: UpstreamLinks { next.map(UpstreamLinks.one) ?? .none }
}

/// What a pending promise waits for and holds a claim on: another promise, a group of them, or work
/// outside, such as a timer or a task.
///
/// A promise that settles before its upstream does has no more use for it and says so once, by
/// ``consumerLeft()``. That is the whole of cancellation: it travels against the flow of values, one
/// claim at a time, and ends where somebody else still has one.
@usableFromInline
protocol Upstream: AnyObject, Sendable {
  /// One consumer has settled early; upstream work whose last consumer has gone is cancelled.
  func consumerCancelled()

  /// What this one waits for in its turn, for the search for cycles.
  var upstreamLinks: UpstreamLinks { get }
}

/// The next steps against the flow from one point of a promise graph.
@usableFromInline
enum UpstreamLinks: Sendable {
  case none
  case one(any Upstream)
  case many([any Upstream])
}

extension UpstreamLinks {
  /// Whether following these links, over any number of steps, comes to `target`.
  ///
  /// The common case, a chain without a branch, takes no memory; behind the first branch the
  /// places seen are remembered, so that a graph that joins again is walked once.
  func lead(to target: AnyObject) -> Bool {
    var links = self
    while true {
      switch links {
      case .none: return false
      case .one(let next):
        if next === target { return true }
        links = next.upstreamLinks
      case .many(let branches): return Self.search(branches, for: target)
      }
    }
  }

  private static func search(_ branches: [any Upstream], for target: AnyObject) -> Bool {
    var open = branches
    var seen = Set(branches.map { ObjectIdentifier($0) })
    while let next = open.popLast() {
      if next === target { return true }
      let further: [any Upstream] =
        switch next.upstreamLinks {
        case .none: []
        case .one(let one): [one]
        case .many(let many): many
        }
      for candidate in further where seen.insert(ObjectIdentifier(candidate)).inserted {
        open.append(candidate)
      }
    }
    return false
  }
}

/// The several promises that one made by a combinator waits for.
final class UpstreamGroup: Upstream {
  private let members: [any Upstream]

  init(_ members: [any Upstream]) {
    self.members = members
  }

  init<Member>(_ members: [Promise<Member>]) {
    // One by one, since to convert the array as a whole casts each member at run time; and by index,
    // since Array.map allocates for each element where it is not specialised.
    self.members = members.indices.map { members[$0] }
  }

  func consumerCancelled() {
    for member in members { member.consumerCancelled() }
  }

  var upstreamLinks: UpstreamLinks { .many(members) }
}
