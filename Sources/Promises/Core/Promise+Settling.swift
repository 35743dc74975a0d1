public import CatenaSystem

/// The delivery state of a promise.
///
///     pending -- settle, with reactions ----> delivering <--> deliveringMore
///        |                                      |   ^  ^
///        |                                      v   |  | attach
///        |                                   delivered |
///        +-- settle, without reactions ----> unobserved
///
/// `delivering` and `delivered` are separate states to preserve order: while one thread runs the
/// reactions of a settlement, a reaction attached by another thread joins the end of the list
/// instead of overtaking it. `deliveringMore` tells the delivering thread that the list has more
/// entries; in the state `delivering`, the thread finishes without taking the lock.
///
/// The raw values of the states in which nothing is left to deliver are the greatest.
@usableFromInline
enum DeliveryState: UInt8, Sendable {
  case pending
  /// The promise has settled, and one thread is running the reactions.
  case delivering
  /// As `delivering`, and the list contains reactions that the thread has not taken.
  case deliveringMore
  /// The promise has settled, and every reaction attached so far has run or has been dispatched.
  case delivered
  /// As `delivered`, and no reaction has been attached so far.
  ///
  /// No handler of the promise can therefore wait in a queue.
  case unobserved
}

extension Promise: Settleable {
  @inlinable
  var isSettled: Bool { deliveryState.load(ordering: .acquiring) != DeliveryState.pending.rawValue }

  /// Whether the promise has settled and every reaction attached so far has run or has been
  /// dispatched.
  @inlinable
  package var isDelivered: Bool {
    deliveryState.load(ordering: .acquiring) >= DeliveryState.delivered.rawValue
  }

  @inlinable
  func advance(to deliveryState: DeliveryState) {
    self.deliveryState.store(deliveryState.rawValue, ordering: .releasing)
  }

  // MARK: Settling

  /// Settles the promise unless it has settled already or `source` may no longer settle it.
  ///
  /// - Parameters:
  ///   - source: The origin of the settlement.
  ///   - write: The closure that stores the outcome before other threads can see the settlement.
  /// - Returns: `true` if there are reactions that the caller must deliver.
  @inlinable
  func settle(by source: PromiseMachine.SettlementSource, _ write: () -> Void) -> Bool {
    if TraceStep.isUsed { return settleTraced(by: source, write) }
    return settle(by: source, at: nil, write)
  }

  /// Settles the promise and keeps the step that settles it.
  @usableFromInline @inline(never)
  func settleTraced(by source: PromiseMachine.SettlementSource, _ write: () -> Void) -> Bool {
    // Before the lock, because it may read the time.
    settle(by: source, at: TraceStep.current, write)
  }

  /// The implementation of `settle` with the step that settles the promise, if it is traced.
  @inlinable @inline(__always)
  func settle(
    by source: PromiseMachine.SettlementSource, at step: TraceStep?, _ write: () -> Void
  ) -> Bool {
    var upstream: (any Upstream)?
    let needsDelivery = lock.withLock {
      guard !isSettled, machine.accepts(source) else { return false }
      write()
      if source.leavesUpstream { machine.isCancelled = true }
      upstream = machine.upstream.take()
      if let step { machine.upstream = source.leavesUpstream ? step : step.joining(upstream) }
      // A handler that another thread attaches during the departure also runs after it.
      let needsDelivery =
        firstReaction != nil || source == .observed || source.leavesUpstream && upstream != nil
      advance(
        to: !needsDelivery
          ? .unobserved : machine.otherReactions == nil ? .delivering : .deliveringMore)
      return needsDelivery
    }
    guard source.leavesUpstream, let upstream else { return needsDelivery }
    Trampoline.depart(from: upstream, delivering: needsDelivery ? self : nil)
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

  // MARK: Settling on behalf of the upstream

  /// Settles with the value that `body` returns or the error that it throws.
  ///
  /// Skips `body` if already settled.
  @inlinable
  func settle(with body: () throws -> Value) -> Bool {
    guard !isSettled else { return false }
    do {
      return settle(fulfilling: try body(), by: .upstream)
    } catch {
      return settle(rejecting: error, by: .upstream)
    }
  }

  /// Follows the promise that `body` returns, or rejects with the error that it throws.
  ///
  /// Skips `body` if this promise has already settled.
  @inlinable
  func follow(_ body: () throws -> Promise<Value>) -> Bool {
    guard !isSettled else { return false }
    do {
      return adopt(try body())
    } catch {
      return settle(rejecting: error, by: .upstream)
    }
  }

  /// Settles with the outcome of another settled promise.
  @inlinable
  func settle(
    withOutcomeOf other: Promise<Value>, by source: PromiseMachine.SettlementSource = .upstream
  ) -> Bool {
    if let error = other.error {
      settle(rejecting: error, by: source)
    } else {
      settle(fulfilling: other.fulfilledValue, by: source)
    }
  }

  /// Settles the promise of a `done` with the outcome of the settled promise that it observes.
  ///
  /// - Returns: `false` if the promise has settled before. Otherwise the caller must run the handler,
  ///   and then deliver the reactions.
  @inlinable
  func settle(observing other: Promise<Value>) -> Bool {
    settle(by: .observed) {
      if let error = other.error {
        self.error = error
        slot.retain(other.slot.retainedObject(as: Promise.self) ?? other)
      } else {
        slot.fill(with: other.slot, as: Value.self)
      }
    }
  }

  // MARK: Delivering

  @inlinable
  func deliver(on trampoline: Trampoline.Current) {
    // After the settlement, only a traced promise has an upstream.
    if machine.upstream != nil || trampoline.pointee.step != nil { Trampoline.note(settlementStep) }
    firstReaction.take()?.run(for: self, on: trampoline)
    while !endDelivery() { deliverOtherReactions(on: trampoline) }
  }

  /// Ends the delivery if the list has no more reactions.
  ///
  /// The next attached reaction then starts a new delivery.
  ///
  /// - Returns: Whether the delivery has ended.
  @inlinable
  func endDelivery() -> Bool {
    deliveryState.compareExchange(
      expected: DeliveryState.delivering.rawValue, desired: DeliveryState.delivered.rawValue,
      ordering: .acquiringAndReleasing
    ).exchanged
  }

  @usableFromInline
  func deliverOtherReactions(on trampoline: Trampoline.Current) {
    let otherReactions = lock.withLock {
      advance(to: .delivering)
      return machine.otherReactions.take()
    }
    guard let otherReactions else { return }
    for reaction in otherReactions { reaction.run(for: self, on: trampoline) }
  }
}

extension Promise {
  /// Adopts the outcome of another promise, now or when it settles.
  ///
  /// A promise that would wait for itself, directly or through other promises, is rejected with
  /// ``PromiseError/cycle``. Each promise is linked before the search for a cycle. If two threads
  /// close a cycle concurrently, the later one therefore detects it.
  ///
  /// Source: Promises/A+ 2.3.1, 2.3.2.
  ///
  /// - Returns: `true` if this settled the promise and its reactions must be delivered.
  @inlinable
  func adopt(_ other: Promise<Value>) -> Bool {
    if other.isDelivered {
      other.noteAdoption()
      return TraceStep.adopting(other.settlementStep) { settle(withOutcomeOf: other) }
    }
    bind(to: other, by: .upstream)
    return false
  }

  /// Prepares the adoption of this delivered promise by another promise, without a reaction.
  @inlinable
  func noteAdoption() {
    isHandled.store(true, ordering: .relaxed)
    // Handlers of this promise may wait in the main queue. Those of the other promise must not
    // overtake them, as if a reaction settled it.
    if deliveryState.load(ordering: .relaxed) == DeliveryState.delivered.rawValue {
      Trampoline.endMainQueueTurns()
    }
  }

  /// Binds this promise to another unless it has settled or `source` may no longer settle it.
  ///
  /// - Parameters:
  ///   - other: The promise to follow.
  ///   - source: The origin of the settlement.
  ///   - willSettle: The closure to call after `other` settles and before this promise does.
  @usableFromInline
  func bind(
    to other: Promise<Value>, by source: PromiseMachine.SettlementSource, willSettle: Job? = nil
  ) {
    var previous: (any Upstream)?
    let (isBound, isCancelled) = lock.withLock {
      guard !isSettled, machine.accepts(source) else { return (false, machine.isCancelled) }
      machine.isBound = true
      // A resolver's promise keeps the cancellation actions that its resolver added by `onCancel`.
      if source == .upstream { previous = machine.upstream.take() }
      return (true, false)
    }
    // Released after unlocking, because this may run a user's `deinit`.
    withExtendedLifetime(previous) {}
    guard isBound else {
      if let willSettle { other.observe(.rejection) { _ in willSettle() } }
      if isCancelled { other.registerCancelledConsumer() }
      return
    }
    guard other !== self else {
      willSettle?()
      return reject(PromiseError.cycle, by: .upstream)
    }
    // Fast path for a delivered promise. A `willSettle` closure must run on the trampoline instead:
    // it may bind another promise with another such closure, which would cause unbounded recursion.
    if willSettle == nil, other.isDelivered {
      other.noteAdoption()
      let needsDelivery = TraceStep.adopting(other.settlementStep) { settle(withOutcomeOf: other) }
      if needsDelivery { Trampoline.deliver(self) }
      return
    }
    other.forward(to: self, willSettle: willSettle)
    link(to: other)
  }

  /// Makes `other` the upstream of this promise.
  ///
  /// Must be called after attaching to `other`. Otherwise a cancellation could remove another
  /// consumer of `other` instead of this promise, which `other` has not counted yet.
  private func link(to other: Promise<Value>) {
    let isLinked = lock.withLock {
      guard !isSettled else { return false }
      machine.upstream = machine.upstream.map { UpstreamGroup([$0, other]) } ?? other
      return true
    }
    guard isLinked else { return other.consumerCancelled() }
    if isInCycle(through: other) { rejectCycle(through: other) }
  }

  /// Rejects this promise with ``PromiseError/cycle`` and removes it as a consumer of `other`.
  ///
  /// The promises of the cycle are rejected first: they would be rejected with `CancellationError` if
  /// the consumer were removed before. The actions of ``Resolver/onCancel(_:)`` do not run, because
  /// nobody has cancelled this promise.
  func rejectCycle(through other: any Upstream) {
    // If another thread has settled this promise, that settlement also removes the consumer.
    var isRejected = false
    let needsDelivery = settle(by: .upstream) {
      error = PromiseError.cycle
      isRejected = true
    }
    if needsDelivery { Trampoline.deliver(self) }
    if isRejected { Trampoline.runLast { other.consumerCancelled() } }
  }

  /// Returns whether this promise waits for itself through a new upstream.
  func isInCycle(through other: any Upstream) -> Bool {
    // Only a promise with a consumer can close a cycle.
    let isAwaited = lock.withLock { !isSettled && firstReaction != nil }
    return isAwaited && UpstreamLinks.one(other).canReach(self)
  }

  /// Adds a consumer and removes it again, which cancels this promise unless it has other
  /// consumers.
  ///
  /// Called when this promise is passed to a promise that is already cancelled.
  func registerCancelledConsumer() {
    addConsumer()
    consumerCancelled()
  }

  /// Counts a consumer before its reaction is attached.
  ///
  /// Required if the consumer may be removed before that.
  func addConsumer() {
    isHandled.store(true, ordering: .relaxed)
    lock.withLock { machine.consumers += 1 }
  }
}
