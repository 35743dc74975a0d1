import CatenaSystem

/// The work that a pending promise waits for: another promise, a group of promises, or work outside
/// the promise graph, such as a timer or a task.
///
/// A pending promise is one consumer of its upstream. If it settles before the upstream, it calls
/// ``consumerCancelled()`` once. Cancellation consists of these calls only. It propagates from each
/// promise to its upstream and stops at an upstream that has another consumer.
@usableFromInline
package protocol Upstream: AnyObject, Sendable {
  /// Removes one consumer, which has settled before this upstream.
  ///
  /// Removing the last consumer cancels the work.
  func consumerCancelled()

  /// The upstreams of this upstream, for cycle detection.
  var upstreamLinks: UpstreamLinks { get }
}

/// The upstreams that are one step away from a node of the promise graph.
@usableFromInline
package enum UpstreamLinks: Sendable {
  case none
  case one(any Upstream)
  case many([any Upstream])
}

extension UpstreamLinks {
  /// The upstreams in order.
  var all: [any Upstream] {
    if case .many(let many) = self { return many }
    return if case .one(let one) = self { [one] } else { [] }
  }

  /// Returns whether `target` can be reached along these links, over any number of steps.
  ///
  /// A chain without a branch, the common case, allocates no memory. After the first branch,
  /// visited nodes are recorded, so that each node is visited only once.
  func canReach(_ target: AnyObject) -> Bool {
    var links = self
    while case .one(let next) = links {
      if next === target { return true }
      links = next.upstreamLinks
    }
    var pending = links.all
    var visited = Set(pending.map { ObjectIdentifier($0) })
    while let next = pending.popLast() {
      if next === target { return true }
      for next in next.upstreamLinks.all where visited.insert(ObjectIdentifier(next)).inserted {
        pending.append(next)
      }
    }
    return false
  }
}

extension Promise: Upstream {
  /// Rejects this promise with `CancellationError` immediately and removes it as a consumer of its
  /// upstream.
  ///
  /// Upstream work, such as a socket or a timer, is cancelled when it loses its last consumer, and
  /// not before. It has been cancelled when the handlers of this promise run. A promise continues
  /// while other promises are derived from it, also by ``done(on:_:)``, or tasks await it. The
  /// handlers `fail` and `always` are observers: they do not keep work alive.
  ///
  /// Cancelling a settled promise has no effect. Handlers of promises derived from this one receive
  /// the same `CancellationError`.
  public func cancel() { reject(CancellationError(), by: .consumer) }

  @usableFromInline
  package func consumerCancelled() {
    guard !isSettled else { return }
    let removal = lock.withLock { isSettled ? .others(dead: []) : machine.consumerCancelled() }
    if case .last = removal { reject(CancellationError(), by: .lastConsumer) }
  }

  @usableFromInline
  package var upstreamLinks: UpstreamLinks { lock.withLock { machine.links } }

  /// Runs `action` when a consumer settles this promise, or immediately if a consumer has already
  /// settled it.
  ///
  /// `action` never runs when the promise is settled by its resolver or by its upstream.
  func onCancel(_ action: @escaping Job) { addUpstream { CancellationHandler(before: $0, action) } }

  /// Adds an upstream, which is cancelled immediately if a consumer has already settled this promise.
  ///
  /// - Parameter upstream: A closure that returns the upstream, which is to be combined with the previous
  ///   one.
  @inline(__always) func addUpstream(_ upstream: (_ previous: (any Upstream)?) -> any Upstream) {
    let isCancelled = lock.withLock {
      guard !isSettled else { return machine.isCancelled }
      machine.upstream = upstream(machine.upstream.take())
      return false
    }
    if isCancelled { upstream(nil).consumerCancelled() }
  }
}

/// An upstream for work outside the promise graph, which runs an action when its consumer is
/// cancelled.
final class CancellationHandler: Upstream {
  private let action: Job
  private let next: (any Upstream)?

  /// - Parameters:
  ///   - next: The previous upstream of the promise. It is notified after `action` has run.
  ///   - action: The action that cancels the work.
  init(before next: (any Upstream)? = nil, _ action: @escaping Job) {
    self.action = action
    self.next = next
  }

  func consumerCancelled() {
    action()
    if let next { Trampoline.depart(from: next) }
  }

  var upstreamLinks: UpstreamLinks { next.map(UpstreamLinks.one) ?? .none }
}

/// An upstream for work outside the promise graph, which is named in ``Promise/explanation``.
package final class ExplainedWork: Upstream {
  package typealias Body = @Sendable (_ isCancelled: Bool) -> WaitExplanation

  private let body: Body

  init(_ body: @escaping Body) { self.body = body }

  package func consumerCancelled() { _ = body(true) }

  package var upstreamLinks: UpstreamLinks { .none }

  var explanation: WaitExplanation { body(false) }
}

/// An upstream that its consumer does not cancel.
///
/// It makes a promise that must not be cancelled visible to cycle detection.
final class UncancellableUpstream: Upstream {
  private let upstream: any Upstream

  init(_ upstream: any Upstream) { self.upstream = upstream }

  func consumerCancelled() {}

  var upstreamLinks: UpstreamLinks { .one(upstream) }
}

/// The group of promises that a combinator's promise waits for.
final class UpstreamGroup: Upstream {
  let members: [any Upstream]

  init(_ members: [any Upstream]) { self.members = members }

  init<Member>(_ members: [Promise<Member>]) {
    // Converts each element, because a conversion of the whole array casts each member at run time.
    // Uses indices, because an unspecialized `Array.map` allocates for each element.
    self.members = members.indices.map { members[$0] }
  }

  func consumerCancelled() { for member in members { member.consumerCancelled() } }

  var upstreamLinks: UpstreamLinks { .many(members) }
}
