import Synchronization

/// A piece of work without arguments.
@usableFromInline
typealias Job = @Sendable () -> Void

/// What is to happen when a promise settles.
@usableFromInline
struct Reaction: Sendable {
  /// The promise that this reaction will settle, or nil for a handler such as `done`, which no
  /// one can withdraw.
  @usableFromInline var dependent: (any Settleable)?
  @usableFromInline let job: Work

  /// Gets the promise that has settled and the dependent, so that it need not hold on to them, and
  /// returns whether it has settled the dependent, whose reactions are then due.
  @usableFromInline
  typealias Work = @Sendable (_ settled: any Settleable, _ dependent: (any Settleable)?) -> Bool

  @inlinable
  init(for dependent: consuming (any Settleable)?, _ job: @escaping Work) {
    self.dependent = dependent
    self.job = job
  }

  /// Has nothing left to do, since its dependent was settled by somebody else.
  var isDead: Bool { dependent?.isSettled == true }

  /// Runs the work, and queues what it has made due.
  @inlinable
  consuming func run(for settled: any Settleable, on trampoline: Trampoline.Current) {
    // Taken, and taken again, so that it is moved on to the trampoline: a copy would count references.
    var dependent = dependent.take()
    if job(settled, dependent), let due = dependent.take() { trampoline.pointee.append(due) }
  }
}

/// A promise seen without its type: what the machinery needs to know of it.
@usableFromInline
protocol Settleable: AnyObject, Sendable {
  var isSettled: Bool { get }

  /// Rejects: what was to settle this promise has been let go of.
  func abandon()

  /// Runs the reactions attached so far, and those attached meanwhile, in order.
  ///
  /// - Parameter trampoline: this thread's, which is running, and gets what is due in turn.
  func deliver(on trampoline: Trampoline.Current)
}

/// Whether attaching a reaction takes on the promise's rejection, its work, or neither.
///
/// It stands outside `Promise`, since inside it would be generic as that is, and each test of it in
/// code that is not specialised a search for metadata.
@usableFromInline
struct Interest: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A rejection is handled, or passed on to a promise that has to be.
  @inlinable static var rejection: Interest { Interest(rawValue: 1) }
  /// The value is wanted: upstream work goes on while this consumer stays.
  @inlinable static var value: Interest { Interest(rawValue: 2) }
  /// What a derived promise takes on.
  @inlinable static var everything: Interest { [.rejection, .value] }
}

extension Promise {
  /// Runs `job` right here when this promise has settled, every reaction attached before has had its
  /// turn, and the thread is idle; else does nothing and returns false.
  ///
  /// A hot operator tries this first: what runs here need not be made a heap object.
  @inlinable
  func reactNow<Next>(
    _ interest: Interest, _ next: Promise<Next>, _ job: (Promise, Promise<Next>) -> Bool
  ) -> Bool {
    guard isDelivered else { return false }
    if interest.contains(.rejection) { isHandled.store(true, ordering: .relaxed) }
    return Trampoline.runIfIdle { if job(self, next) { Trampoline.deliver(next) } }
  }

  /// Has a reaction run once this promise has settled and every one attached before has had its turn.
  ///
  /// It runs inline: what moves to a context does so itself, since only it knows whether there is
  /// anything to do there. It may read `error`, and `value` if that is nil, of the promise it gets.
  @inlinable
  func attach(_ interest: Interest, _ reaction: consuming Reaction) {
    if interest.contains(.rejection) { isHandled.store(true, ordering: .relaxed) }
    // Optional, so that it can be moved into the closure: a copy would count references up and down.
    var reaction = Optional(reaction)
    let isDue = machine.withLock { machine in
      // Wraps, since on a settled promise, where it means nothing, it has no bound.
      if interest.contains(.value) { machine.consumers &+= 1 }
      if !isSettled, first == nil {
        first = reaction.take()
        return false
      }
      if extend() {
        machine.append(reaction.take())
        return false
      }
      first = reaction.take()
      advance(to: .delivering)
      return true
    }
    if isDue { Trampoline.deliver(self) }
  }

  /// Tells whoever delivers that the list gets longer; under the lock.
  ///
  /// - Returns: false when all has been delivered: then it is up to the caller, and nobody else can begin to
  ///   deliver before the lock is free.
  @inlinable
  func extend() -> Bool {
    guard isSettled else { return true }
    let (_, before) = deliveryState.compareExchange(
      expected: DeliveryState.delivering.rawValue, desired: DeliveryState.deliveringMore.rawValue,
      ordering: .acquiringAndReleasing)
    return before != DeliveryState.delivered.rawValue
  }

  /// A promise that comes back to its reaction, with its type.
  ///
  /// Inlined always, since a call would look its metadata up in code that is not specialised.
  @inlinable @inline(__always)
  static func from(_ promise: (any Settleable)?) -> Promise {
    unsafeDowncast(promise.unsafelyUnwrapped, to: Promise.self)
  }

  /// A promise that `react` settles once this one has settled: what most operators are made of.
  ///
  /// - Parameters:
  ///   - site: where it was made.
  ///   - interest: what it takes on.
  ///   - react: runs inline, with both promises, and returns whether it has settled the second.
  /// - Returns: the promise.
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

  /// Has `settle` run in a context, and its reactions delivered from there.
  ///
  /// - Parameters:
  ///   - context: where.
  ///   - settle: settles this promise and returns whether its reactions are due.
  /// - Returns: true when the context was inline, and the caller is to see to the reactions.
  func settle(
    on context: ExecutionContext, _ settle: @escaping @Sendable (_ promise: Promise) -> Bool
  ) -> Bool {
    if context.isInline { return settle(self) }
    context.run(for: self) { if settle(self) { Trampoline.deliver(self) } }
    return false
  }

  /// Has a handler called with the outcome, in a context and with no promise derived.
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
}

extension Promise {
  /// Runs a handler once this promise has settled and its settling thread has run all the inline handlers
  /// that this gave rise to, and sent the others on their way.
  ///
  /// The handler is no consumer: this promise may be cancelled for want of others.
  ///
  /// - Parameter handler: runs once, on the thread that settles the promise or, where that has happened,
  ///   on the caller's.
  package func runAfterHandlers(_ handler: @escaping @Sendable () -> Void) {
    observe([]) { _ in Trampoline.runLast(handler) }
  }
}
