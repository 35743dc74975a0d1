import Synchronization

// `@unchecked Sendable` because everything outside `machine` is protected by its lock and by
// `deliveryState`. Until settlement, `firstReaction`, `error` and `slot` are written under the
// lock. The settlement is the last write of `error` and `slot`; readers first load `deliveryState`
// with acquire ordering and see a settled state. After settlement, only the delivering thread
// accesses `firstReaction`. When delivery has ended, the next thread that attaches a reaction
// stores it in `firstReaction` under the lock and becomes the delivering thread.

/// The future result of asynchronous work: a value or an error.
///
/// A promise is pending until it is fulfilled with a value or rejected with an error. The first
/// settlement wins. Later ones are ignored, and the outcome never changes. It makes no difference
/// whether a handler is attached before or after settlement: it runs exactly once, in the order of
/// attachment, and never under a lock of the promise.
///
/// ```swift
/// login(user, password)
///   .then { session in boards(of: session) }      // an asynchronous step returns a promise
///   .map { boards in boards.filter(\.isOpen) }    // a synchronous step returns a value
///   .done { boards in show(boards) }
///   .fail { error in report(error) }
/// ```
///
/// - **Threads.** All members may be used from any thread. Handlers run in their
///   ``ExecutionContext``, by default ``ExecutionContext/main``.
/// - **Lifetime.** A promise needs no owner. The work that settles it keeps it alive, and it keeps
///   its handlers alive until they have run. Releasing a promise does not cancel it.
/// - **Cancellation.** ``cancel()`` rejects with `CancellationError` immediately and cancels
///   upstream work that has no other consumer.
/// - **Unhandled errors** are reported to ``PromiseDiagnostics`` with the source location of the
///   promise.
///
/// Source: Promises/A+ 1.1, with cancellation and contexts added.
public final class Promise<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let deliveryState = Atomic<UInt8>(DeliveryState.pending.rawValue)
  /// Whether the rejection of this promise is handled, by a handler or by a derived promise.
  @usableFromInline let isHandled = Atomic<Bool>(false)
  @usableFromInline let machine: Mutex<PromiseMachine>
  /// The first reaction, stored inline because most promises have only one.
  @exclusivity(unchecked)
  @usableFromInline var firstReaction: Reaction?
  @exclusivity(unchecked)
  @usableFromInline var error: (any Error)?
  @exclusivity(unchecked)
  @usableFromInline var slot = ValueSlot()

  /// The default context of this promise's handlers.
  public let context: ExecutionContext
  @usableFromInline let site: CallSite

  /// Creates a pending promise with its upstream.
  ///
  /// All other initializers use this one.
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
  /// A snapshot of a promise's state.
  ///
  /// Source: Promises/A+ 2.1.
  public enum State: Sendable {
    /// The promise is neither fulfilled nor rejected.
    case pending
    /// The promise has a value, which is final.
    case fulfilled(Value)
    /// The promise has an error, which is final.
    case rejected(any Error)
  }

  /// The current state.
  ///
  /// A promise may settle just after this property returned `pending`. Reading the state does not
  /// count as handling a rejection.
  public var state: State {
    guard isSettled else { return .pending }
    if let error { return .rejected(error) }
    return .fulfilled(fulfilledValue)
  }

  // MARK: Creating promises

  /// Returns a promise that is already fulfilled.
  ///
  /// - Parameters:
  ///   - value: The value of the promise.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A settled promise with the context ``ExecutionContext/main``.
  @inlinable
  public static func fulfilled(
    _ value: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let promise = Promise(waitingFor: nil, on: .main, at: CallSite(file, line))
    promise.fulfill(value, by: .upstream)
    return promise
  }

  /// Returns a promise that is already rejected.
  ///
  /// - Parameters:
  ///   - error: The error of the promise.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A settled promise with the context ``ExecutionContext/main``.
  @inlinable
  public static func rejected(
    _ error: any Error, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let promise = Promise(waitingFor: nil, on: .main, at: CallSite(file, line))
    promise.reject(error, by: .upstream)
    return promise
  }

  /// Returns a pending promise and its resolver.
  ///
  /// - Parameters:
  ///   - context: The context of the promise.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The promise and the resolver that settles it.
  @inlinable
  public static func pending(
    on context: ExecutionContext = .main, file: StaticString = #fileID, line: UInt = #line
  ) -> (promise: Promise, resolver: Resolver<Value>) {
    let promise = root(on: context, at: CallSite(file, line))
    return (promise, Resolver(promise))
  }

  /// Creates a promise for work that reports its result in a callback.
  ///
  /// ```swift
  /// let size = Promise<Int> { resolver in
  ///   store.measure { size in resolver.fulfill(size) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - start: The closure that starts the work. It runs once, before this initializer returns. An
  ///     error that it throws rejects the promise, unless the closure has already settled the
  ///     promise.
  @inlinable
  public convenience init(
    file: StaticString = #fileID, line: UInt = #line,
    _ start: (_ resolver: Resolver<Value>) throws -> Void
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    notifyCreationObserver()
    let resolver = Resolver(self)
    do {
      try start(resolver)
    } catch {
      resolver.reject(error)
    }
  }

  /// Creates a promise for the result of a synchronous closure.
  ///
  /// ```swift
  /// let catalogue = Promise(on: .background) { try Catalogue(contentsOf: file) }
  /// ```
  ///
  /// - Parameters:
  ///   - context: The context for `body`. With ``ExecutionContext/inline``, `body` runs before this
  ///     initializer returns. The context of the promise itself is always
  ///     ``ExecutionContext/main``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - body: The work. It runs once, or never if the promise is cancelled first.
  public convenience init(
    on context: ExecutionContext = .inline,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    context.run(for: self) { if self.settle(with: body) { Trampoline.deliver(self) } }
  }

  /// Returns a pending promise that is settled from outside this module.
  ///
  /// The promise is passed to the observer of new promises in ``PromiseDiagnostics``.
  @inlinable
  static func root(on context: ExecutionContext, at site: CallSite) -> Promise {
    let promise = Promise(waitingFor: nil, on: context, at: site)
    promise.notifyCreationObserver()
    return promise
  }

  // MARK: Internals

  /// The value of a fulfilled promise.
  ///
  /// Reading it in any other state is undefined.
  @inlinable
  var fulfilledValue: Value { slot.read(as: Value.self) }

  /// Returns a pending promise that waits for this one and inherits its context.
  @inlinable
  func derived<NewValue>(at site: CallSite) -> Promise<NewValue> {
    Promise<NewValue>(waitingFor: isSettled ? nil : self, on: context, at: site)
  }
}
