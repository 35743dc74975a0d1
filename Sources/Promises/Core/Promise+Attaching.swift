import Synchronization

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
    let (_, before) = progress.compareExchange(
      expected: Progress.delivering.rawValue, desired: Progress.extended.rawValue,
      ordering: .acquiringAndReleasing)
    return before != Progress.delivered.rawValue
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
