import Synchronization

/// A unit of work without arguments.
@usableFromInline
typealias Job = @Sendable () -> Void

/// The work to run when a promise settles.
@usableFromInline
struct Reaction: Sendable {
  /// The promise that this reaction settles.
  ///
  /// `nil` for a handler such as `done`, which cannot be withdrawn.
  @usableFromInline var dependent: (any Settleable)?
  @usableFromInline let job: Work

  /// Receives the settled promise and the dependent, so that the closure need not retain them.
  ///
  /// Returns whether it has settled the dependent, whose reactions must then be delivered.
  @usableFromInline
  typealias Work = @Sendable (_ settled: any Settleable, _ dependent: (any Settleable)?) -> Bool

  @inlinable
  init(for dependent: consuming (any Settleable)?, _ job: @escaping Work) {
    self.dependent = dependent
    self.job = job
  }

  /// Whether the reaction has nothing left to do because its dependent has been settled by other
  /// means.
  var isDead: Bool { dependent?.isSettled == true }

  /// Runs the work.
  ///
  /// If it settles the dependent, queues the dependent for delivery.
  @inlinable
  consuming func run(for settled: any Settleable, on trampoline: Trampoline.Current) {
    // Taken twice, so that the reference is moved to the trampoline. A copy would be retained and
    // released.
    var dependent = dependent.take()
    if job(settled, dependent), let due = dependent.take() { trampoline.pointee.append(due) }
  }
}

/// The type-erased interface of a promise for the delivery of reactions.
@usableFromInline
protocol Settleable: AnyObject, Sendable {
  var isSettled: Bool { get }

  /// Rejects the promise because the code responsible for settling it was released without doing
  /// so.
  func abandon()

  /// Runs the attached reactions, and those attached meanwhile, in order.
  ///
  /// - Parameter trampoline: The running trampoline of this thread. It receives the promises to
  ///   deliver next.
  func deliver(on trampoline: Trampoline.Current)
}

/// The responsibilities that a reaction takes on: for the rejection, for the upstream work, for
/// both or for neither.
///
/// The type is declared outside `Promise`, because a nested type would be generic, and each test of
/// it in unspecialized code would look up metadata.
@usableFromInline
struct Interest: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The rejection is handled, or passed on to a promise that must handle it.
  @inlinable static var rejection: Interest { Interest(rawValue: 1) }
  /// The value is used: upstream work continues while this consumer stays.
  @inlinable static var value: Interest { Interest(rawValue: 2) }
  /// The interest of a derived promise.
  @inlinable static var everything: Interest { [.rejection, .value] }
}

extension Promise {
  /// Runs `job` immediately if this promise has delivered all earlier reactions and the thread is
  /// idle.
  ///
  /// Otherwise it does nothing and returns `false`. Operators on the hot path try this first,
  /// because `job` then needs no heap allocation.
  @inlinable
  func reactNow<Next>(
    _ interest: Interest, _ next: Promise<Next>, _ job: (Promise, Promise<Next>) -> Bool
  ) -> Bool {
    guard isDelivered else { return false }
    if interest.contains(.rejection) { isHandled.store(true, ordering: .relaxed) }
    return Trampoline.runIfIdle { if job(self, next) { Trampoline.deliver(next) } }
  }

  /// Attaches a reaction that runs once this promise has settled and all earlier reactions have
  /// run.
  ///
  /// The reaction runs inline and moves to a context itself, because only the reaction knows
  /// whether it has work to do there. On the settled promise, it may read `error`, and the value if
  /// `error` is `nil`.
  @inlinable
  func attach(_ interest: Interest, _ reaction: consuming Reaction) {
    if interest.contains(.rejection) { isHandled.store(true, ordering: .relaxed) }
    // Optional, so that the closure can take it. A copy would be retained and released.
    var reaction = Optional(reaction)
    let isDue = machine.withLock { machine in
      // Wrapping addition: on a settled promise the count has no meaning and no bound.
      if interest.contains(.value) { machine.consumers &+= 1 }
      if !isSettled, first == nil {
        first = reaction.take()
        return false
      }
      if extendDelivery() {
        machine.append(reaction.take())
        return false
      }
      first = reaction.take()
      advance(to: .delivering)
      return true
    }
    if isDue { Trampoline.deliver(self) }
  }

  /// Tells the delivering thread that the list of reactions grows.
  ///
  /// Requires the lock.
  ///
  /// - Returns: `false` if everything has been delivered. The caller must then deliver; no other
  ///   thread can start before the lock is released.
  @inlinable
  func extendDelivery() -> Bool {
    guard isSettled else { return true }
    let (_, previous) = deliveryState.compareExchange(
      expected: DeliveryState.delivering.rawValue, desired: DeliveryState.deliveringMore.rawValue,
      ordering: .acquiringAndReleasing)
    return previous != DeliveryState.delivered.rawValue
  }

  /// Restores the type of a promise that is passed to its reaction.
  ///
  /// Always inlined, because a call from unspecialized code would look up metadata.
  @inlinable @inline(__always)
  static func from(_ promise: (any Settleable)?) -> Promise {
    unsafeDowncast(promise.unsafelyUnwrapped, to: Promise.self)
  }

  /// Returns a promise that `react` settles after this promise settles.
  ///
  /// Most operators are built on this method.
  ///
  /// - Parameters:
  ///   - site: The source location of the new promise.
  ///   - interest: The responsibilities that the new promise takes on.
  ///   - react: The closure that runs inline with both promises. It returns whether it has settled
  ///     the second one.
  /// - Returns: The new promise.
  func derive<Next>(
    at site: CallSite, _ interest: Interest = .everything,
    _ react: @escaping @Sendable (_ settled: Promise, _ next: Promise<Next>) -> Bool
  ) -> Promise<Next> {
    let next: Promise<Next> = derived(at: site)
    if !reactNow(interest, next, react) {
      attach(interest, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }

  /// Runs `settle` in a context and delivers the reactions from there.
  ///
  /// - Parameters:
  ///   - context: The context for `settle`.
  ///   - settle: The closure that settles this promise. It returns whether reactions must be
  ///     delivered.
  /// - Returns: `true` if the context is inline and the caller must deliver the reactions.
  func settle(
    on context: ExecutionContext, _ settle: @escaping @Sendable (_ promise: Promise) -> Bool
  ) -> Bool {
    if context.isInline { return settle(self) }
    context.run(for: self) { if settle(self) { Trampoline.deliver(self) } }
    return false
  }

  /// Calls a handler with the settled promise, inline and without a derived promise.
  @inlinable
  func observe(_ interest: Interest, _ handler: @escaping @Sendable (_ settled: Promise) -> Void) {
    attach(
      interest,
      Reaction(for: nil) { settled, _ in
        handler(.from(settled))
        return false
      })
  }

  /// The outcome of a settled promise.
  @inlinable
  var outcome: Result<Value, any Error> {
    if let error { .failure(error) } else { .success(fulfilledValue) }
  }

  /// Runs a handler after this promise has settled and its handlers have been processed.
  ///
  /// The settling thread first runs all inline handlers that follow from the settlement and
  /// dispatches the others.
  ///
  /// The handler is not a consumer: it does not keep this promise from being cancelled.
  ///
  /// - Parameter handler: The closure to run once: on the thread that settles the promise or, if it
  ///   has settled, on the caller's thread.
  package func runAfterHandlers(_ handler: @escaping @Sendable () -> Void) {
    observe([]) { _ in Trampoline.runLast(handler) }
  }
}
