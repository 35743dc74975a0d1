public import CatenaSystem

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
/// - **Threads.** All members may be used from any thread. A handler with `on:` runs in that
///   ``ExecutionContext``. Any other handler runs on the actor in whose code it is written or, if it
///   has no isolation, in the promise's ``context``, by default ``ExecutionContext/main``.
/// - **Lifetime.** A promise needs no owner. The work that settles it keeps it alive, and it keeps
///   its handlers alive until they have run. Releasing a promise does not cancel it.
/// - **Cancellation.** ``cancel()`` rejects with `CancellationError` immediately and cancels
///   upstream work that has no other consumer.
/// - **Unhandled errors** are reported to ``PromiseDiagnostics`` with the source location of the
///   promise.
///
/// Source: Promises/A+ 1.1, with cancellation and contexts added.
public final class Promise<Value> {
  @usableFromInline let deliveryState = Atomic<UInt8>(DeliveryState.pending.rawValue)
  /// Whether the rejection of this promise is handled, by a handler or by a derived promise.
  @usableFromInline let isHandled = Atomic<Bool>(false)
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked)
  @usableFromInline var machine: PromiseMachine
  /// The first reaction, stored inline because most promises have only one.
  @exclusivity(unchecked)
  @usableFromInline var firstReaction: Reaction?
  @exclusivity(unchecked)
  @usableFromInline var error: (any Error)?
  /// The value of a fulfilled promise.
  ///
  /// In the rejected promise of a `done`, the promise on which `done` was called, or the first one of
  /// several `done` in a row. The rejection is handled if it is at one of these promises, and only
  /// the first one reports it.
  @exclusivity(unchecked)
  @usableFromInline var slot = ValueSlot()

  /// The default context of this promise's handlers, for those that are not isolated to an actor.
  public let context: ExecutionContext
  @usableFromInline let site: CallSite

  /// Creates a pending promise with its upstream.
  ///
  /// All other initializers use this one.
  @inlinable
  init(waitingFor upstream: (any Upstream)?, on context: ExecutionContext, at site: CallSite) {
    machine = PromiseMachine(upstream: upstream)
    self.context = context
    self.site = site
  }

  deinit {
    if error != nil {
      let isHandled = isHandled.load(ordering: .relaxed)
      if let observed = slot.releaseObject(as: Promise.self) {
        if isHandled { observed.isHandled.store(true, ordering: .relaxed) }
      } else if !isHandled {
        reportUnhandled()
      }
    } else if isSettled {
      slot.destroy(Value.self)
    } else {
      PromiseDiagnostics.report(.neverSettled(at: site, after: nil))
    }
  }
}

// `machine` is accessed under the lock. Until settlement, `firstReaction`, `error` and `slot` are
// written under the lock. The settlement is the last write of `error` and `slot`; readers first load
// `deliveryState` with acquire ordering and see a settled state. After settlement, only the
// delivering thread accesses `firstReaction`. When delivery has ended, the next thread that attaches
// a reaction stores it in `firstReaction` under the lock and becomes the delivering thread.
//
// `@unchecked Sendable` because the lock and `deliveryState` protect all variables, as described.
extension Promise: @unchecked Sendable {}

// MARK: State

extension Promise where Value: Sendable {
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

  /// The value if the promise is fulfilled now, otherwise `nil`.
  ///
  /// Unlike ``value``, it does not wait.
  public var currentValue: Value? { isSettled && error == nil ? fulfilledValue : nil }
}

extension Promise {
  /// Whether the promise is neither fulfilled nor rejected.
  ///
  /// A promise may settle just after this property returned `true`.
  public var isPending: Bool { !isSettled }

  /// Whether the promise has a value.
  public var isFulfilled: Bool { isSettled && error == nil }

  /// Whether the promise has an error.
  ///
  /// A cancelled promise has one.
  public var isRejected: Bool { isSettled && error != nil }

  /// The error if the promise is rejected now, otherwise `nil`.
  ///
  /// Reading the error does not count as handling the rejection.
  public var currentError: (any Error)? { isSettled ? error : nil }
}

extension Promise: CustomStringConvertible {
  /// The type and the state, such as `Promise<Int>(fulfilled: 42)`.
  ///
  /// The value or the error is included with the first 200 characters of its own description. Mask
  /// secrets there, or do not print a promise of a secret.
  public var description: String {
    guard isSettled else { return "Promise<\(Value.self)>(pending)" }
    guard let error else {
      return "Promise<\(Value.self)>(fulfilled: \("\(fulfilledValue)".prefix(200)))"
    }
    return "Promise<\(Value.self)>(rejected: \("\(error)".prefix(200)))"
  }
}

extension Promise {
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
