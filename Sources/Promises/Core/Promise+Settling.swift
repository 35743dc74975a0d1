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
/// it. `extended` tells the delivering thread that the list is not at its end, so that at the end it
/// needs no lock.
@usableFromInline
enum Progress: UInt8, Sendable {
  case pending
  /// Settled; one thread is running the reactions.
  case delivering
  /// The same, and there are more in the list than it has taken.
  case extended
  /// Settled, and every reaction attached so far has run or been sent on its way.
  case delivered
}

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
  ///   - settler: who does it.
  ///   - moment: called once the other has settled, and before this one does.
  @usableFromInline
  func bind(
    to other: Promise<Value>, by settler: PromiseMachine.Settler, after moment: Job? = nil
  ) {
    var earlier: (any Upstream)?
    let (isBound, isCancelled) = machine.withLock { machine in
      guard !isSettled, machine.accepts(settler) else { return (false, machine.isCancelled) }
      machine.isBound = true
      // A resolver's promise keeps what its resolver has asked for by `onCancel`.
      if settler == .upstream { earlier = machine.upstream.take() }
      return (true, false)
    }
    // Released after unlocking, since a user's `deinit` may follow.
    withExtendedLifetime(earlier) {}
    guard isBound else {
      if let moment { other.observe(.rejection) { _ in moment() } }
      if isCancelled { other.consumerCameTooLate() }
      return
    }
    guard other !== self else {
      moment?()
      return reject(PromiseError.cycle, by: .upstream)
    }
    // What has been delivered need not be followed. A moment has to come by way of the trampoline, though,
    // as it may give rise to another of its kind, and that to another.
    if moment == nil, other.isDelivered {
      other.isHandled.store(true, ordering: .relaxed)
      if settle(like: other) { Trampoline.deliver(self) }
      return
    }
    other.follow(with: self, after: moment)
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
    guard isLinked else { return other.consumerLeft() }
    if isInCircle(through: other) { reject(PromiseError.cycle, by: .upstream) }
  }

  /// Whether this promise waits for itself, by way of one that it has just come to wait for.
  func isInCircle(through other: any Upstream) -> Bool {
    // Only a promise that somebody waits for can be what closes a circle.
    let isAwaited = machine.withLock { _ in !isSettled && first != nil }
    return isAwaited && UpstreamLinks.one(other).lead(to: self)
  }

  /// Work handed to a promise that has been cancelled meanwhile has lost a consumer before it had it.
  func consumerCameTooLate() {
    claim()
    consumerLeft()
  }

  /// Counts a consumer ahead of its being attached, for one that may have to leave before that.
  func claim() {
    isHandled.store(true, ordering: .relaxed)
    machine.withLock { $0.consumers += 1 }
  }
}
