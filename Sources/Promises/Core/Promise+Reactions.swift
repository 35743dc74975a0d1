public import CatenaSystem

/// A unit of work without arguments.
@usableFromInline
package typealias Job = @Sendable () -> Void

/// The work to run when a promise settles.
@usableFromInline
struct Reaction: Sendable {
  /// The promise that this reaction settles.
  ///
  /// `nil` for a handler such as `fail`, which cannot be cancelled.
  @usableFromInline var dependent: (any Settleable)?
  @usableFromInline let job: Work

  /// Receives the settled promise and the dependent, so that the closure need not retain them.
  ///
  /// Returns whether it has settled the dependent. The caller then delivers the dependent's
  /// reactions.
  @usableFromInline
  typealias Work = @Sendable (_ settled: any Settleable, _ dependent: (any Settleable)?) -> Bool

  @inlinable
  init(for dependent: consuming (any Settleable)?, _ job: @escaping Work) {
    self.dependent = dependent
    self.job = job
  }

  /// Whether the reaction has nothing left to do because its dependent has already been settled in
  /// another way.
  var isDead: Bool { dependent?.isSettled == true }

  /// Runs the work.
  ///
  /// If it settles the dependent, queues the dependent for delivery.
  @inlinable
  consuming func run(for settled: any Settleable, on trampoline: Trampoline.Current) {
    // `take()` moves the reference to the trampoline. A copy would be retained and released.
    var dependent = dependent.take()
    if job(settled, dependent), let dependent = dependent.take() {
      trampoline.pointee.append(dependent)
    }
  }
}

/// The type-erased interface of a promise for the delivery of reactions.
@usableFromInline
protocol Settleable: AnyObject, Sendable {
  var isSettled: Bool { get }
  /// The source location of the promise.
  var site: CallSite { get }
  /// The step of a trace that has settled the promise.
  var settlementStep: TraceStep? { get }

  /// Cancels the promise.
  func cancel()

  /// Rejects the promise because the resolver or handler that should settle it was released.
  func abandon()

  /// Runs the attached reactions in order, including those attached during the delivery.
  ///
  /// - Parameter trampoline: The running trampoline of this thread. It receives the promises to
  ///   deliver next.
  func deliver(on trampoline: Trampoline.Current)
}

/// The parts of an outcome that a reaction uses: the rejection, the value, both or neither.
///
/// The type is declared outside `Promise`, because a nested type would be generic, and each test of
/// it in unspecialized code would look up metadata.
@usableFromInline
struct Interest: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The reaction handles the rejection, or passes it on to a promise that must handle it.
  @inlinable static var rejection: Interest { Interest(rawValue: 1) }
  /// The reaction uses the value.
  ///
  /// It counts as a consumer, which keeps upstream work running.
  @inlinable static var value: Interest { Interest(rawValue: 2) }
  /// The interest of a derived promise, which uses the rejection and the value.
  @inlinable static var everything: Interest { [.rejection, .value] }
}

extension Promise {
  /// Runs `job` immediately if this promise has delivered all earlier reactions and no reaction is
  /// running on this thread.
  ///
  /// Otherwise it does nothing and returns `false`. Operators on the hot path try this first,
  /// because `job` then needs no heap allocation.
  @inlinable
  func reactNow<Next>(
    _ interest: Interest, _ next: Promise<Next>, _ job: (Promise, Promise<Next>) -> Bool
  ) -> Bool {
    guard isDelivered else { return false }
    if interest.contains(.rejection) { isHandled.store(true, ordering: .relaxed) }
    return Trampoline.runIfIdle {
      // After the settlement, only a traced promise has an upstream.
      if machine.upstream != nil { Trampoline.note(settlementStep) }
      if job(self, next) { Trampoline.deliver(next) }
    }
  }

  /// Attaches a reaction that runs once this promise has settled and all earlier reactions have
  /// run.
  ///
  /// The reaction runs inline. It dispatches work to a context itself, because only the reaction
  /// knows whether there is work to do. On the settled promise, it may read `error`, and the value
  /// if `error` is `nil`.
  @inlinable
  func attach(_ interest: Interest, _ reaction: consuming Reaction) {
    if interest.contains(.rejection) { isHandled.store(true, ordering: .relaxed) }
    // Optional, so that the closure can take it. A copy would be retained and released.
    var reaction = Optional(reaction)
    let needsDelivery = lock.withLock {
      // Wrapping addition, because the count of a settled promise is unused and can overflow.
      if interest.contains(.value) { machine.consumers &+= 1 }
      if !isSettled, firstReaction == nil {
        firstReaction = reaction.take()
        return false
      }
      if extendDelivery() {
        machine.append(reaction.take())
        return false
      }
      firstReaction = reaction.take()
      advance(to: .delivering)
      return true
    }
    if needsDelivery { Trampoline.deliverLateReaction(of: self) }
  }

  /// Tells the delivering thread that the list of reactions grows.
  ///
  /// Must be called under the lock.
  ///
  /// - Returns: `false` if all reactions have been delivered. The caller must then deliver the new
  ///   reaction. No other thread can start a delivery before the lock is released.
  @inlinable
  func extendDelivery() -> Bool {
    guard isSettled else { return true }
    let (_, previous) = deliveryState.compareExchange(
      expected: DeliveryState.delivering.rawValue, desired: DeliveryState.deliveringMore.rawValue,
      ordering: .acquiringAndReleasing)
    return previous < DeliveryState.delivered.rawValue
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
  ///   - interest: The parts of the outcome that the new promise uses.
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
    context.handle(for: self) { if settle(self) { Trampoline.deliver(self, in: context) } }
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

  /// Runs a closure after this promise has settled and its handlers have run or have been
  /// dispatched.
  ///
  /// The settling thread first runs all inline handlers that follow from the settlement and
  /// dispatches the others.
  ///
  /// The closure is not a consumer: it does not prevent the cancellation of this promise.
  ///
  /// - Parameter handler: The closure to run once: on the thread that settles the promise or, if it
  ///   has settled, on the caller's thread.
  package func runAfterHandlers(_ handler: @escaping @Sendable () -> Void) {
    observe([]) { _ in Trampoline.runLast(handler) }
  }
}
