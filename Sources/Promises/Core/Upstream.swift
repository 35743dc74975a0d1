/// What a pending promise waits for and holds a claim on: another promise, a group of them, or work
/// outside, such as a timer or a task.
///
/// A promise that settles before its upstream does has no more use for it and says so once, by
/// ``consumerLeft()``. That is the whole of cancellation: it travels against the flow of values, one
/// claim at a time, and ends where somebody else still has one.
@usableFromInline
protocol Upstream: AnyObject, Sendable {
  /// One consumer has settled early; upstream work whose last consumer has gone is cancelled.
  func consumerLeft()

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
