import Dispatch
import Synchronization

/// Where a handler runs.
///
/// Every promise carries a context, which the handlers attached to it use unless they name one of
/// their own, and which the promises derived from it inherit; ``Promise/on(_:file:line:)`` changes it from
/// there on. A promise made from nothing starts with ``main``.
///
/// ```swift
/// download
///   .then(on: .queue(parsing)) { data in try Catalogue(data) }   // on a queue of your own
///   .done { catalogue in show(catalogue) }                       // on the main queue again
/// ```
///
/// Only a handler that has something to do moves to its context: a rejection passes a `then`, and a
/// value passes a `recover`, right where the promise settled.
///
/// On every context but ``inline`` a handler runs after the call that attached it has returned, even
/// when the promise had settled before (Promises/A+ 2.2.4). Handlers of one promise reach their
/// contexts in the order in which they were attached.
public struct ExecutionContext: Sendable {
  @usableFromInline
  enum Target: Sendable {
    case main
    case inline
    case queue(DispatchQueue)
    case custom(any CustomContext)
  }

  @usableFromInline let target: Target

  @usableFromInline
  init(_ target: Target) {
    self.target = target
  }

  /// The main queue, which on Apple's platforms the main run loop turns.
  ///
  /// A command-line program on any platform has to turn it itself: an asynchronous `main` that awaits
  /// a promise does, and so do ``Promise/wait(timeout:)`` on the main thread, `dispatchMain()` and
  /// `RunLoop.main.run()`. A main thread that blocks in any other way never runs these handlers.
  public static let main = ExecutionContext(.main)

  /// No hop: the handler runs on the thread that settles the promise, or, when the promise has
  /// settled already, inside the call that attaches it.
  ///
  /// Where that thread is in the middle of another inline handler the new one waits until it has
  /// returned, so that chains of any length need no stack. An inline handler must not block; it runs
  /// inside whatever lock its caller holds.
  @inlinable
  public static var inline: ExecutionContext { ExecutionContext(.inline) }

  /// A dispatch queue; a concurrent one gives up the order of handlers among themselves.
  ///
  /// - Parameter queue: the queue each handler is sent to with `async`.
  /// - Returns: the context.
  public static func queue(_ queue: DispatchQueue) -> ExecutionContext {
    ExecutionContext(.queue(queue))
  }

  /// The global concurrent queue of the default quality of service.
  public static let background = ExecutionContext.queue(.global())

  /// A task executor of Swift Concurrency; each handler is a task of its own on it.
  ///
  /// - Parameter executor: where the tasks run; a serial one keeps the order of the handlers.
  /// - Returns: the context.
  public static func executor(_ executor: any TaskExecutor) -> ExecutionContext {
    .custom { job in
      Task(executorPreference: executor) { job() }
    }
  }

  /// Anything else that can run a closure: an operation queue, an event loop.
  ///
  /// - Parameter enqueue: takes a handler and runs it exactly once, now or later, on any thread. One
  ///   that it drops never runs; the promise waiting for it rejects with ``PromiseError/abandoned``.
  /// - Returns: the context.
  public static func custom(
    _ enqueue: @escaping @Sendable (_ handler: @escaping @Sendable () -> Void) -> Void
  ) -> ExecutionContext {
    ExecutionContext(.custom(ClosureContext(enqueue)))
  }

  @inlinable var isInline: Bool {
    if case .inline = target { true } else { false }
  }

  /// The context for a handler: the one that it names as the context of its promise would have it, or
  /// that one itself, inside the scope that it is attached in.
  @inlinable
  func adopting(_ explicit: ExecutionContext?) -> ExecutionContext {
    let context = explicit.map(combined(with:)) ?? self
    guard HandlerScope.isUsed.load(ordering: .relaxed) else { return context }
    return HandlerScope.scoped(context)
  }

  /// A context that is named, as this one would have it.
  @inlinable
  func combined(with explicit: ExecutionContext) -> ExecutionContext {
    if case .custom(let custom) = target, !explicit.isInline { return custom.adopting(explicit) }
    return explicit
  }

  /// The context that a promise carries which is told to carry `explicit` after this one: inline
  /// handlers need no tracking, but those that come after them do.
  func replaced(by explicit: ExecutionContext) -> ExecutionContext {
    if case .custom(let custom) = target { custom.adopting(explicit) } else { explicit }
  }

  /// Runs a job here: at once when inline, later otherwise.
  @usableFromInline
  package func run(_ job: @escaping @Sendable () -> Void) {
    switch target {
    case .inline: job()
    case .main: DispatchQueue.main.async(execute: job)
    case .queue(let queue): queue.async(execute: job)
    case .custom(let context): context.enqueue(job)
    }
  }

  /// Runs a job that settles a promise: a context that drops it unrun abandons the promise.
  @usableFromInline
  func run(for promise: any Settleable, _ job: @escaping Job) {
    guard case .custom(let context) = target else { return run(job) }
    let abandonmentGuard = AbandonmentGuard(to: promise)
    context.enqueue {
      if abandonmentGuard.beginRun() { job() }
    }
  }
}

/// What a job in the hands of a foreign context owes a promise.
private final class AbandonmentGuard: Sendable {
  private let promise: any Settleable
  private let isOpen = Atomic(true)

  init(to promise: any Settleable) {
    self.promise = promise
  }

  /// False for a context that runs a handler again, against its contract.
  func beginRun() -> Bool {
    isOpen.exchange(false, ordering: .relaxed)
  }

  deinit {
    if isOpen.load(ordering: .relaxed) { promise.abandon() }
  }
}

/// A context that this module does not know by name.
@usableFromInline
protocol CustomContext: AnyObject, Sendable {
  func enqueue(_ job: @escaping Job)

  /// What becomes of a context that a handler names in this one's stead.
  func adopting(_ explicit: ExecutionContext) -> ExecutionContext
}

private final class ClosureContext: CustomContext {
  private let body: @Sendable (@escaping Job) -> Void

  init(_ body: @escaping @Sendable (@escaping Job) -> Void) {
    self.body = body
  }

  func enqueue(_ job: @escaping Job) {
    body(job)
  }

  func adopting(_ explicit: ExecutionContext) -> ExecutionContext { explicit }
}

extension Promise {
  /// The same promise with another default for the handlers attached from here on.
  ///
  /// ```swift
  /// download.on(.queue(parsing)).then(parse).then(index).on(.main).done(show)
  /// ```
  ///
  /// - Parameters:
  ///   - context: where handlers run that name no context of their own, here and down the chain.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise with this one's outcome, that carries `context`.
  public func on(
    _ context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let next = Promise(
      waitingFor: isSettled ? nil : self, on: self.context.replaced(by: context),
      at: CallSite(file, line))
    follow(with: next)
    return next
  }

  /// Has `next` settle as this promise does.
  ///
  /// - Parameters:
  ///   - next: settles after this one.
  ///   - willSettle: called in between; it is called, too, where somebody else has settled `next`.
  func follow(with next: Promise, willSettle: Job? = nil) {
    guard let willSettle else {
      return attach(.everything, Reaction(for: next) { Promise.from($1).settle(like: .from($0)) })
    }
    attach(
      .everything,
      Reaction(for: nil) { settled, _ in
        willSettle()
        if next.settle(like: .from(settled)) { Trampoline.deliver(next) }
        return false
      })
  }
}
