import Synchronization

// `@unchecked Sendable` because what is not in `machine` is protected by its lock and by `progress`: `first`,
// `error` and `slot` are written under the lock until settlement. The settlement is the last to write
// `error` and `slot`; who reads them has seen `progress` say so, with acquire ordering. From then on `first`
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
  @usableFromInline let progress = Atomic<UInt8>(Progress.pending.rawValue)
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
  /// The value, once `progress` says settled and `error` is nil; to be read at no other time.
  @inlinable
  var fulfilledValue: Value { slot.read(as: Value.self) }

  /// A promise that waits for this one and inherits its context.
  @inlinable
  func derived<NewValue>(at site: CallSite) -> Promise<NewValue> {
    Promise<NewValue>(waitingFor: isSettled ? nil : self, on: context, at: site)
  }
}
