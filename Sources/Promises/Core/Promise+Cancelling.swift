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
  func consumerLeft() {
    guard !isSettled else { return }
    let departure = machine.withLock { machine in
      isSettled ? .others(dead: []) : machine.consumerLeft()
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
      machine.upstream = CancellationHook(before: machine.upstream.take(), action)
      return false
    }
    if isCancelled { action() }
  }
}

/// Work outside the graph of promises, seen as an upstream: told that its consumer has left, it acts.
final class CancellationHook: Upstream {
  private let action: Job
  private let next: (any Upstream)?

  /// - Parameters:
  ///   - next: what the promise waited for before, to be told after `action`.
  ///   - action: what to do.
  init(before next: (any Upstream)? = nil, _ action: @escaping Job) {
    self.action = action
    self.next = next
  }

  func consumerLeft() {
    action()
    if let next { Trampoline.tell(next) }
  }

  var upstreamLinks: UpstreamLinks { next.map(UpstreamLinks.one) ?? .none }
}
