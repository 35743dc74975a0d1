import CatenaSystem
public import Dispatch

/// The context in which a promise runs its handlers.
///
/// Every promise has a context. Its handlers use it unless they specify their own or are written in
/// the code of an actor, and derived promises inherit it. ``Promise/on(_:file:line:)`` changes the
/// context for the rest of a chain. A promise that is not derived from another starts with ``main``.
///
/// ```swift
/// download
///   .then(on: .queue(parsing)) { data in try Catalogue(data) }   // on a custom queue
///   .done { catalogue in show(catalogue) }                       // on the main queue again
/// ```
///
/// A handler without `on:` that is written in the code of an actor is isolated to this actor and runs
/// there: in a `@MainActor` class on the main queue, in an `actor` on the actor if it uses the actor,
/// in the order of attachment. Top-level code of a program is main-actor code.
///
/// Only a handler that applies to the outcome is dispatched to its context. A rejection skips a
/// `then`, and a value skips a `recover`, without a hop.
///
/// On every context except ``inline``, a handler runs after the call that attaches it has returned,
/// even if the promise has already settled (Promises/A+ 2.2.4). The handlers of one promise are
/// dispatched to their contexts in the order of attachment.
public struct ExecutionContext: Sendable {
  @usableFromInline
  package enum Target: Sendable {
    case main
    case inline
    case queue(DispatchQueue)
    case actor(any Actor)
    case custom(any CustomContext)
  }

  @usableFromInline package let target: Target

  @usableFromInline
  init(_ target: Target) { self.target = target }

  /// The main queue.
  ///
  /// On Apple platforms, the main run loop runs this queue. A command-line program must run it
  /// itself: with an asynchronous `main` that awaits a promise, with ``Promise/wait(timeout:)`` on
  /// the main thread, with `dispatchMain()` or with `RunLoop.main.run()`. If the main thread blocks
  /// in any other way, these handlers never run.
  public static let main = ExecutionContext(.main)

  /// A context that runs handlers immediately, without a hop.
  ///
  /// The handler runs on the thread that settles the promise. If the promise has already settled,
  /// the handler runs within the call that attaches it.
  ///
  /// If that thread is running another inline handler, the new handler waits until that one
  /// returns, so chains of any length use constant stack depth. An inline handler must not block.
  /// It runs under any lock that the settling or attaching thread holds.
  @inlinable
  public static var inline: ExecutionContext { ExecutionContext(.inline) }

  /// A dispatch queue.
  ///
  /// A concurrent queue does not preserve the order of the handlers.
  ///
  /// - Parameter queue: The queue that receives each handler by `async`.
  /// - Returns: The context. For the main queue, it is ``main``.
  public static func queue(_ queue: DispatchQueue) -> ExecutionContext {
    queue.getSpecific(key: mainQueueKey) == nil ? ExecutionContext(.queue(queue)) : .main
  }

  /// Whether the current thread runs the main queue.
  ///
  /// `Thread.isMainThread` is not equivalent: on Linux an asynchronous `main` leaves the main thread,
  /// and another thread runs the main queue.
  package static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueKey) != nil }

  /// A key with a value on the main queue only.
  ///
  /// Queues are not comparable on Linux.
  private static let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// The global concurrent queue with the default quality of service.
  public static let background = ExecutionContext.queue(.global())

  /// A Swift Concurrency task executor.
  ///
  /// Each handler runs in a separate detached task on it. Requires macOS 15, iOS 18, tvOS 18, watchOS 11
  /// or visionOS 2.
  ///
  /// - Parameter executor: The executor of the tasks. A serial executor preserves the order of the
  ///   handlers.
  /// - Returns: The context.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  public static func executor(_ executor: any TaskExecutor) -> ExecutionContext {
    .custom { job in
      Task.detached(executorPreference: executor) { job() }
    }
  }

  /// A context that runs closures with a custom function, for example on an operation queue or an
  /// event loop.
  ///
  /// - Parameter enqueue: The function that receives a handler and runs it exactly once, now or
  ///   later, on any thread. If it drops a handler, the promise that depends on the handler is
  ///   rejected with ``PromiseError/abandoned``.
  /// - Returns: The context.
  public static func custom(
    _ enqueue: @escaping @Sendable (_ handler: @escaping @Sendable () -> Void) -> Void
  ) -> ExecutionContext {
    ExecutionContext(.custom(ClosureContext(enqueue)))
  }

  @inlinable package var isInline: Bool { if case .inline = target { true } else { false } }

  /// Returns the context for a handler that specifies `explicit`, within the current
  /// ``HandlerScope``.
  ///
  /// - Parameter explicit: The context that the handler specifies, or this context.
  /// - Returns: The context of ``adapting(_:)``, within the scope.
  @inlinable
  func resolving(_ explicit: ExecutionContext) -> ExecutionContext {
    adapting(explicit).inCurrentScope
  }

  /// A context that runs closures in this context, within the current ``HandlerScope``.
  ///
  /// Outside all scopes, it is this context.
  @inlinable
  var inCurrentScope: ExecutionContext { HandlerScope.isUsed ? HandlerScope.scoped(self) : self }

  /// Returns the context for a handler that specifies `explicit` instead of this context.
  ///
  /// A custom context can wrap it, for example to track the handler. ``inline`` is returned
  /// unchanged.
  @inlinable
  func adapting(_ explicit: ExecutionContext) -> ExecutionContext {
    if case .custom(let custom) = target, !explicit.isInline { return custom.adapting(explicit) }
    return explicit
  }

  /// Returns the context for a promise that uses `explicit` instead of this context.
  ///
  /// Unlike ``adapting(_:)``, it adapts ``inline`` too: inline handlers need no tracking, but later
  /// handlers of the chain do.
  func replaced(by explicit: ExecutionContext) -> ExecutionContext {
    if case .custom(let custom) = target { custom.adapting(explicit) } else { explicit }
  }

  /// Runs a job in this context: immediately if the context is inline, otherwise asynchronously.
  @usableFromInline
  package func run(_ job: @escaping @Sendable () -> Void) {
    switch target {
    case .inline: job()
    case .main: DispatchQueue.main.async(execute: job)
    case .queue(let queue): queue.async(execute: job)
    case .actor(let actor): enqueue(on: actor, job)
    case .custom(let context): context.enqueue(job, at: nil)
    }
  }

  /// Runs a handler in this context, which settles a promise if there is one.
  ///
  /// Must only be called by a reaction. A handler that another handler on the main queue has made due
  /// then follows it in the same block of the main queue, without another hop.
  @usableFromInline
  func handle(for promise: (any Settleable)? = nil, _ job: @escaping Job) {
    switch target {
    case .main: if Trampoline.addMainQueueTurn(job) { return }
    // The context can dispatch to the main queue itself.
    case .custom: Trampoline.endMainQueueTurns()
    case .inline, .queue, .actor: break
    }
    if let promise { run(for: promise, job) } else { run(job) }
  }

  /// Runs a job that settles a promise.
  ///
  /// If the context drops the job, the promise is abandoned.
  @usableFromInline
  func run(for promise: any Settleable, _ job: @escaping Job) {
    guard case .custom(let context) = target else { return run(job) }
    if context.runsInline { return context.enqueue(job, at: promise.site) }
    let abandonmentGuard = AbandonmentGuard(for: promise)
    let guarded: Job = { if abandonmentGuard.beginRun() { job() } }
    context.enqueue(guarded, at: promise.site)
  }
}

/// A guard that abandons a promise if its context releases the settling job without running it.
private final class AbandonmentGuard: Sendable {
  private let promise: any Settleable
  private let isOpen = Atomic(true)

  init(for promise: any Settleable) { self.promise = promise }

  /// Marks the job as run.
  ///
  /// Returns `false` if a context violates its contract and runs the job a second time.
  func beginRun() -> Bool { isOpen.exchange(false, ordering: .relaxed) }

  deinit {
    if isOpen.load(ordering: .relaxed) { promise.abandon() }
  }
}

/// A context that is implemented by an object.
@usableFromInline
package protocol CustomContext: AnyObject, Sendable {
  /// Runs a job, which settles the promise of a source location, if there is one.
  func enqueue(_ job: @escaping Job, at site: CallSite?)

  /// Returns the context for a handler that specifies `explicit` instead of this context.
  func adapting(_ explicit: ExecutionContext) -> ExecutionContext

  /// Whether it runs each job before `enqueue` returns, exactly once.
  var runsInline: Bool { get }
}

extension CustomContext {
  @usableFromInline package var runsInline: Bool { false }
}

/// A context that consists of closures.
final class ClosureContext: CustomContext {
  private let adapt: @Sendable (ExecutionContext) -> ExecutionContext
  private let body: @Sendable (@escaping Job) -> Void

  init(
    adapting adapt: @escaping @Sendable (ExecutionContext) -> ExecutionContext = { $0 },
    _ body: @escaping @Sendable (@escaping Job) -> Void
  ) {
    self.adapt = adapt
    self.body = body
  }

  func enqueue(_ job: @escaping Job, at site: CallSite?) { body(job) }

  func adapting(_ explicit: ExecutionContext) -> ExecutionContext { adapt(explicit) }
}

extension Promise {
  /// Returns a promise with the same outcome and another default context for its handlers.
  ///
  /// ```swift
  /// download.on(.queue(parsing)).then(parse).then(index).on(.main).done(show)
  /// ```
  ///
  /// - Parameters:
  ///   - context: The default context for handlers of the new promise and of promises derived from
  ///     it.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise with this promise's outcome and the context `context`.
  public func on(
    _ context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let next = Promise(
      waitingFor: isSettled ? nil : self, on: self.context.replaced(by: context),
      at: CallSite(file, line))
    forward(to: next)
    return next
  }

  /// Settles `next` with the outcome of this promise.
  ///
  /// - Parameters:
  ///   - next: The promise to settle after this one.
  ///   - willSettle: The closure to call after this promise settles and before `next` does. It is
  ///     called even if `next` has already been settled in another way.
  func forward(to next: Promise, willSettle: Job? = nil) {
    guard let willSettle else {
      return attach(
        .everything, Reaction(for: next) { Promise.from($1).settle(withOutcomeOf: .from($0)) })
    }
    attach(
      .everything,
      Reaction(for: nil) { settled, _ in
        willSettle()
        if next.settle(withOutcomeOf: .from(settled)) { Trampoline.deliver(next) }
        return false
      })
  }
}
