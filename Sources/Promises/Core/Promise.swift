import Synchronization

// `@unchecked Sendable` because what is not in `machine` is protected by its lock and by `deliveryState`: `first`,
// `error` and `slot` are written under the lock until settlement. The settlement is the last to write
// `error` and `slot`; who reads them has seen `deliveryState` say so, with acquire ordering. From then on `first`
// belongs to the one thread that delivers; when all has been delivered the next to attach a reaction puts it
// there, under the lock, and becomes that thread.

/// A value that is not there yet, or the reason why it will never be.
///
/// A promise is pending until it is fulfilled with a value or rejected with an error; the first
/// settlement wins, every later one is ignored, and it never changes again. Handlers attached before
/// and after settlement are treated alike: each runs exactly once, in the order attached, never
/// under a lock of the promise's.
///
/// ```swift
/// login(user, password)
///   .then { session in boards(of: session) }      // a step that takes time: another promise
///   .map { boards in boards.filter(\.isOpen) }     // one that does not
///   .done { boards in show(boards) }
///   .fail { error in report(error) }
/// ```
///
/// - **Threads.** Everything may be called from any thread. Handlers run in their
///   ``ExecutionContext``, `.main` unless said otherwise.
/// - **Lifetime.** A promise needs no owner: what will settle it keeps it alive, and it keeps its
///   handlers alive until they have run. Dropping a promise cancels nothing.
/// - **Cancellation.** ``cancel()`` rejects with `CancellationError` at once, and cancels upstream
///   work that nobody else waits for.
/// - **Errors nobody handles** are reported to ``PromiseDiagnostics``, with the line that made the
///   promise.
///
/// Source: Promises/A+ 1.1, with cancellation and contexts added.
public final class Promise<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let deliveryState = Atomic<UInt8>(DeliveryState.pending.rawValue)
  /// Whether somebody has taken on this promise's rejection: a handler of its own, or a promise
  /// derived from it.
  @usableFromInline let isHandled = Atomic<Bool>(false)
  @usableFromInline let machine: Mutex<PromiseMachine>
  /// The first reaction has a place of its own: most promises never have a second.
  @exclusivity(unchecked)
  @usableFromInline var first: Reaction?
  @exclusivity(unchecked)
  @usableFromInline var error: (any Error)?
  @exclusivity(unchecked)
  @usableFromInline var slot = ValueSlot()

  /// Where handlers run that name no context of their own.
  public let context: ExecutionContext
  @usableFromInline let site: CallSite

  /// The one designated way to make a promise: pending, with what it waits for.
  @inlinable
  init(waitingFor upstream: (any Upstream)?, on context: ExecutionContext, at site: CallSite) {
    machine = Mutex(PromiseMachine(upstream: upstream))
    self.context = context
    self.site = site
  }

  deinit {
    if error != nil {
      if !isHandled.load(ordering: .relaxed) { reportUnhandled() }
    } else if isSettled {
      slot.destroy(Value.self)
    } else {
      reportNeverSettled()
    }
  }
}

extension Promise {
  /// The value, once `deliveryState` says settled and `error` is nil; to be read at no other time.
  @inlinable
  var fulfilledValue: Value { slot.read(as: Value.self) }

  /// A promise that waits for this one and inherits its context.
  @inlinable
  func derived<NewValue>(at site: CallSite) -> Promise<NewValue> {
    Promise<NewValue>(waitingFor: isSettled ? nil : self, on: context, at: site)
  }
}

extension Promise {
  /// What a promise is at one moment.
  ///
  /// Source: Promises/A+ 2.1.
  public enum State: Sendable {
    /// Neither fulfilled nor rejected yet.
    case pending
    /// Has its value, for good.
    case fulfilled(Value)
    /// Has its error, for good.
    case rejected(any Error)
  }

  /// The state at this moment, which may be another by the time it is looked at if it is `pending`.
  ///
  /// Looking does not count as handling a rejection.
  public var state: State {
    guard isSettled else { return .pending }
    if let error { return .rejected(error) }
    return .fulfilled(fulfilledValue)
  }
}

extension Promise {
  /// A promise fulfilled from the start.
  ///
  /// - Parameters:
  ///   - value: its value.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  /// - Returns: a settled promise on the ``ExecutionContext/main`` context.
  @inlinable
  public static func fulfilled(
    _ value: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let promise = Promise(waitingFor: nil, on: .main, at: CallSite(file, line))
    promise.fulfill(value, by: .upstream)
    return promise
  }

  /// A promise rejected from the start.
  ///
  /// - Parameters:
  ///   - error: its error.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  /// - Returns: a settled promise on the ``ExecutionContext/main`` context.
  @inlinable
  public static func rejected(
    _ error: any Error, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let promise = Promise(waitingFor: nil, on: .main, at: CallSite(file, line))
    promise.reject(error, by: .upstream)
    return promise
  }

  /// A promise and the one object that can settle it.
  ///
  /// - Parameters:
  ///   - context: what the promise carries.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  /// - Returns: a pending promise, and its resolver.
  @inlinable
  public static func pending(
    on context: ExecutionContext = .main, file: StaticString = #fileID, line: UInt = #line
  ) -> (promise: Promise, resolver: Resolver<Value>) {
    let promise = root(on: context, at: CallSite(file, line))
    return (promise, Resolver(promise))
  }

  /// Wraps work that reports by callback.
  ///
  /// ```swift
  /// let size = Promise<Int> { resolver in
  ///   store.measure { size in resolver.fulfill(size) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  ///   - start: starts the work; runs once, here and now, before this initialiser returns. An error
  ///     that it throws rejects the promise, unless it has settled it before.
  @inlinable
  public convenience init(
    file: StaticString = #fileID, line: UInt = #line,
    _ start: (_ resolver: Resolver<Value>) throws -> Void
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    watchIfEnabled()
    let resolver = Resolver(self)
    do {
      try start(resolver)
    } catch {
      resolver.reject(error)
    }
  }

  /// Runs a closure that returns or throws at once, and keeps the outcome.
  ///
  /// ```swift
  /// let catalogue = Promise(on: .background) { try Catalogue(contentsOf: file) }
  /// ```
  ///
  /// - Parameters:
  ///   - context: where `body` runs; ``ExecutionContext/inline`` is here and now, before this
  ///     initialiser returns. It is not what the promise carries: that is ``ExecutionContext/main``.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  ///   - body: the work; runs once, or never when the promise is cancelled before.
  public convenience init(
    on context: ExecutionContext = .inline,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    context.run(for: self) { if self.settle(with: body) { Trampoline.deliver(self) } }
  }

  /// A pending promise that nothing inside this module will settle by itself, watched when
  /// ``PromiseDiagnostics`` has been asked to.
  @inlinable
  static func root(on context: ExecutionContext, at site: CallSite) -> Promise {
    let promise = Promise(waitingFor: nil, on: context, at: site)
    promise.watchIfEnabled()
    return promise
  }
}
