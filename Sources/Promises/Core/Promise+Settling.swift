import Synchronization

extension Promise: Settleable {
  @inlinable
  var isSettled: Bool {
    progress.load(ordering: .acquiring) != Progress.pending.rawValue
  }

  /// Settled, and every reaction attached so far has run or been sent on its way.
  @inlinable
  package var isDelivered: Bool {
    progress.load(ordering: .acquiring) == Progress.delivered.rawValue
  }

  @inlinable
  func advance(to progress: Progress) {
    self.progress.store(progress.rawValue, ordering: .releasing)
  }

  // MARK: Settling

  /// Settles, if nobody has before.
  ///
  /// - Parameters:
  ///   - settler: who does.
  ///   - write: stores the outcome, before anybody can see that it is there.
  /// - Returns: true when there are reactions, which the caller is to see delivered.
  @inlinable
  func settle(by settler: PromiseMachine.Settler, _ write: () -> Void) -> Bool {
    var upstream: (any Upstream)?
    let isDue = machine.withLock { machine in
      guard !isSettled, machine.accepts(settler) else { return false }
      write()
      if settler == .consumer { machine.isCancelled = true }
      upstream = machine.upstream.take()
      let isDue = first != nil
      advance(to: !isDue ? .delivered : machine.others == nil ? .delivering : .extended)
      return isDue
    }
    guard settler == .consumer, let upstream else { return isDue }
    // The handlers come first, then the news travels on.
    if isDue { Trampoline.deliver(self) }
    Trampoline.tell(upstream)
    return false
  }

  @inlinable
  func settle(fulfilling value: Value, by settler: PromiseMachine.Settler) -> Bool {
    settle(by: settler) { slot.fill(with: value) }
  }

  @inlinable
  func settle(rejecting error: any Error, by settler: PromiseMachine.Settler) -> Bool {
    settle(by: settler) { self.error = error }
  }

  @inlinable
  func fulfill(_ value: Value, by settler: PromiseMachine.Settler) {
    if settle(fulfilling: value, by: settler) { Trampoline.deliver(self) }
  }

  @inlinable
  func reject(_ error: any Error, by settler: PromiseMachine.Settler) {
    if settle(rejecting: error, by: settler) { Trampoline.deliver(self) }
  }

  // MARK: Settling as the upstream's doing

  /// Settles with what `body` returns or throws; skips it when somebody has cancelled meanwhile.
  @inlinable
  func settle(with body: () throws -> Value) -> Bool {
    guard !isSettled else { return false }
    do {
      return settle(fulfilling: try body(), by: .upstream)
    } catch {
      return settle(rejecting: error, by: .upstream)
    }
  }

  /// Follows the promise that `body` returns, or rejects with what it throws; skips it when somebody
  /// has cancelled meanwhile.
  @inlinable
  func follow(_ body: () throws -> Promise<Value>) -> Bool {
    guard !isSettled else { return false }
    do {
      return adopt(try body())
    } catch {
      return settle(rejecting: error, by: .upstream)
    }
  }

  /// Settles with what another promise has settled with.
  @inlinable
  func settle(like other: Promise<Value>) -> Bool {
    if let error = other.error {
      settle(rejecting: error, by: .upstream)
    } else {
      settle(fulfilling: other.fulfilledValue, by: .upstream)
    }
  }

  // MARK: Delivering

  @inlinable
  func deliver(on trampoline: Trampoline.Current) {
    first.take()?.run(for: self, on: trampoline)
    while !endDelivery() { deliverOthers(on: trampoline) }
  }

  /// True when the list was at its end; the next to attach a reaction then delivers it.
  @inlinable
  func endDelivery() -> Bool {
    progress.compareExchange(
      expected: Progress.delivering.rawValue, desired: Progress.delivered.rawValue,
      ordering: .acquiringAndReleasing
    ).exchanged
  }

  @usableFromInline
  func deliverOthers(on trampoline: Trampoline.Current) {
    let others = machine.withLock { machine in
      advance(to: .delivering)
      return machine.others.take()
    }
    guard let others else { return }
    for reaction in others { reaction.run(for: self, on: trampoline) }
  }
}
