import Synchronization

/// How far a promise is.
///
///     pending ──settle──▶ delivering ⇄ extended
///        │                  │   ▲
///        │                  ▼   │ attach
///        └──nobody waits──▶ delivered
///
/// `delivering` and `delivered` stay apart for the sake of order: while one thread runs the reactions
/// of a settlement, a reaction attached by another joins the end of the list instead of overtaking
/// it. `deliveringMore` tells the delivering thread that the list is not at its end, so that at the end it
/// needs no lock.
@usableFromInline
enum DeliveryState: UInt8, Sendable {
  case pending
  /// Settled; one thread is running the reactions.
  case delivering
  /// The same, and there are more in the list than it has taken.
  case deliveringMore
  /// Settled, and every reaction attached so far has run or been sent on its way.
  case delivered
}

extension Promise: Settleable {
  @inlinable
  var isSettled: Bool {
    deliveryState.load(ordering: .acquiring) != DeliveryState.pending.rawValue
  }

  /// Settled, and every reaction attached so far has run or been sent on its way.
  @inlinable
  package var isDelivered: Bool {
    deliveryState.load(ordering: .acquiring) == DeliveryState.delivered.rawValue
  }

  @inlinable
  func advance(to deliveryState: DeliveryState) {
    self.deliveryState.store(deliveryState.rawValue, ordering: .releasing)
  }

  // MARK: Settling

  /// Settles, if nobody has before.
  ///
  /// - Parameters:
  ///   - source: who does.
  ///   - write: stores the outcome, before anybody can see that it is there.
  /// - Returns: true when there are reactions, which the caller is to see delivered.
  @inlinable
  func settle(by source: PromiseMachine.SettlementSource, _ write: () -> Void) -> Bool {
    var upstream: (any Upstream)?
    let isDue = machine.withLock { machine in
      guard !isSettled, machine.accepts(source) else { return false }
      write()
      if source == .consumer { machine.isCancelled = true }
      upstream = machine.upstream.take()
      let isDue = first != nil
      advance(to: !isDue ? .delivered : machine.others == nil ? .delivering : .deliveringMore)
      return isDue
    }
    guard source == .consumer, let upstream else { return isDue }
    // The handlers come first, then the news travels on.
    if isDue { Trampoline.deliver(self) }
    Trampoline.notify(upstream)
    return false
  }

  @inlinable
  func settle(fulfilling value: Value, by source: PromiseMachine.SettlementSource) -> Bool {
    settle(by: source) { slot.fill(with: value) }
  }

  @inlinable
  func settle(rejecting error: any Error, by source: PromiseMachine.SettlementSource) -> Bool {
    settle(by: source) { self.error = error }
  }

  @inlinable
  func fulfill(_ value: Value, by source: PromiseMachine.SettlementSource) {
    if settle(fulfilling: value, by: source) { Trampoline.deliver(self) }
  }

  @inlinable
  func reject(_ error: any Error, by source: PromiseMachine.SettlementSource) {
    if settle(rejecting: error, by: source) { Trampoline.deliver(self) }
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
    deliveryState.compareExchange(
      expected: DeliveryState.delivering.rawValue, desired: DeliveryState.delivered.rawValue,
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

extension Promise {
  /// Binds this promise to another, whose outcome becomes its own.
  ///
  /// A promise that would wait for itself, directly or through any number of others, rejects with
  /// ``PromiseError/cycle``. The links are made before the search, so that of two threads closing a
  /// circle from both ends the later one sees it.
  ///
  /// Source: Promises/A+ 2.3.1, 2.3.2.
  ///
  /// - Returns: true when that has settled it here and now, and its reactions are due.
  @inlinable
  func adopt(_ other: Promise<Value>) -> Bool {
    if other.isDelivered {
      other.isHandled.store(true, ordering: .relaxed)
      return settle(like: other)
    }
    bind(to: other, by: .upstream)
    return false
  }

  /// The same for a promise that may not be where it thinks: one that others settle too.
  ///
  /// - Parameters:
  ///   - other: the promise to become like.
  ///   - source: who does it.
  ///   - willSettle: called once the other has settled, and before this one does.
  @usableFromInline
  func bind(
    to other: Promise<Value>, by source: PromiseMachine.SettlementSource, willSettle: Job? = nil
  ) {
    var earlier: (any Upstream)?
    let (isBound, isCancelled) = machine.withLock { machine in
      guard !isSettled, machine.accepts(source) else { return (false, machine.isCancelled) }
      machine.isBound = true
      // A resolver's promise keeps what its resolver has asked for by `onCancel`.
      if source == .upstream { earlier = machine.upstream.take() }
      return (true, false)
    }
    // Released after unlocking, since a user's `deinit` may follow.
    withExtendedLifetime(earlier) {}
    guard isBound else {
      if let willSettle { other.observe(.rejection) { _ in willSettle() } }
      if isCancelled { other.registerCancelledConsumer() }
      return
    }
    guard other !== self else {
      willSettle?()
      return reject(PromiseError.cycle, by: .upstream)
    }
    // What has been delivered need not be followed. A moment has to come by way of the trampoline, though,
    // as it may give rise to another of its kind, and that to another.
    if willSettle == nil, other.isDelivered {
      other.isHandled.store(true, ordering: .relaxed)
      if settle(like: other) { Trampoline.deliver(self) }
      return
    }
    other.follow(with: self, willSettle: willSettle)
    link(to: other)
  }

  /// Makes `other` what this promise waits for.
  ///
  /// Not before it has been attached: who leaves without having come takes away somebody else's claim.
  private func link(to other: Promise<Value>) {
    let isLinked = machine.withLock { machine in
      guard !isSettled else { return false }
      machine.upstream = machine.upstream.map { UpstreamGroup([$0, other]) } ?? other
      return true
    }
    guard isLinked else { return other.consumerCancelled() }
    if isInCycle(through: other) { reject(PromiseError.cycle, by: .upstream) }
  }

  /// Whether this promise waits for itself, by way of one that it has just come to wait for.
  func isInCycle(through other: any Upstream) -> Bool {
    // Only a promise that somebody waits for can be what closes a circle.
    let isAwaited = machine.withLock { _ in !isSettled && first != nil }
    return isAwaited && UpstreamLinks.one(other).lead(to: self)
  }

  /// Work handed to a promise that has been cancelled meanwhile has lost a consumer before it had it.
  func registerCancelledConsumer() {
    addConsumer()
    consumerCancelled()
  }

  /// Counts a consumer ahead of its being attached, for one that may have to leave before that.
  func addConsumer() {
    isHandled.store(true, ordering: .relaxed)
    machine.withLock { $0.consumers += 1 }
  }
}
