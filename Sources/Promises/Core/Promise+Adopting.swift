import Synchronization

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
