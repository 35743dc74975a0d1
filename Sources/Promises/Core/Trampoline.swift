import CCatenaSystem
import CatenaSystem

/// A thread's queue of the work that results from settlements.
///
/// A reaction that settles another promise does not run that promise's reactions itself. They wait
/// in this queue until the reaction returns. A chain of any length therefore uses constant stack
/// depth, and promises are delivered in the order in which they were queued. Each thread has its own
/// trampoline, which is created on first use and released when the thread ends. No lock is needed,
/// because no other thread accesses it.
///
/// Departures of consumers do not wait in this queue. When a handler runs, work that lost its last
/// consumer before has therefore been cancelled, and the handler cannot join it.
@usableFromInline
struct Trampoline {
  /// A pointer to the trampoline of a thread, for use on that thread.
  @usableFromInline typealias Current = UnsafeMutablePointer<Trampoline>

  private var isRunning = false
  /// The settled promises whose reactions must run.
  private var queue = FIFO<any Settleable>()
  /// The only settled promise, if `queue` is empty.
  ///
  /// A chain without branches never uses the queue.
  private var single: (any Settleable)?
  /// The upstreams that have lost a consumer and do not know it yet.
  private var departures = FIFO<any Upstream>()
  private var isDeparting = false
  /// The handlers that follow in the current block of the main queue.
  private var turns = MainQueueTurns()
  /// The step of a trace that has settled the promise whose reactions run.
  @usableFromInline var step: TraceStep?
  /// The closures to run when no other work is left.
  private var last: [() -> Void] = []

  /// Runs `body` and then all work that results from it.
  ///
  /// Does nothing and returns `false` if the trampoline of this thread is already running.
  @usableFromInline
  static func runIfIdle(_ body: () -> Void) -> Bool {
    let trampoline = current
    guard !trampoline.pointee.isRunning else { return false }
    trampoline.pointee.isRunning = true
    body()
    drain(trampoline)
    trampoline.pointee.isRunning = false
    return true
  }

  /// Runs the reactions of a settled promise: now, or after the current work of the thread.
  @usableFromInline
  static func deliver(_ promise: consuming any Settleable) {
    let trampoline = current
    if trampoline.pointee.isRunning {
      trampoline.pointee.append(promise)
    } else {
      trampoline.pointee.isRunning = true
      promise.deliver(on: trampoline)
      drain(trampoline)
      trampoline.pointee.isRunning = false
    }
  }

  /// Runs the reactions of a promise that a handler in a context has settled, at the end of the
  /// handler's block.
  ///
  /// On the main queue, the handlers that are due then follow in the same block, up to the limits of
  /// ``MainQueueTurns``.
  @usableFromInline
  static func deliver(_ promise: any Settleable, in context: ExecutionContext) {
    let trampoline = current
    guard case .main = context.target, !trampoline.pointee.isRunning else {
      return deliver(promise)
    }
    // A handler that has followed another one continues the block of the other one.
    let isBlock = !trampoline.pointee.turns.isActive
    if isBlock { trampoline.pointee.turns.begin(after: 1) }
    trampoline.pointee.turns.accept()
    deliver(promise)
    trampoline.pointee.turns.pause()
    if isBlock { runTurns(trampoline) }
  }

  /// Adds a handler to the current block of the main queue if it can follow there.
  ///
  /// Otherwise it does nothing and returns `false`. The caller must then dispatch the handler to the
  /// main queue.
  @usableFromInline
  static func addMainQueueTurn(_ handler: @escaping Job) -> Bool {
    let trampoline = current
    guard trampoline.pointee.turns.isActive else { return false }
    guard trampoline.pointee.turns.isAccepting else {
      // These handlers were due earlier.
      trampoline.pointee.turns.moveToMainQueue()
      return false
    }
    trampoline.pointee.turns.append(handler)
    return true
  }

  /// Dispatches all further handlers of the current block to the main queue with a hop.
  ///
  /// Must be called in two cases: before a handler is delivered that must not overtake handlers that
  /// wait in the main queue, and before a custom context receives a handler, because the context can
  /// dispatch it to the main queue.
  @usableFromInline
  static func endMainQueueTurns() { current.pointee.turns.close() }

  /// Runs handlers in a block of the main queue, in order.
  static func runMainQueueBlock(of first: @escaping Job, _ others: FIFO<Job>) {
    let trampoline = current
    trampoline.pointee.turns.begin(after: 0)
    trampoline.pointee.turns.append(first)
    for handler in others { trampoline.pointee.turns.append(handler) }
    runTurns(trampoline)
  }

  private static func runTurns(_ trampoline: Current) {
    while let handler = trampoline.pointee.turns.next() { handler() }
  }

  /// Runs a reaction that was attached after all earlier reactions of the promise had run.
  ///
  /// The earlier handlers may still wait in the main queue, so later ones must not overtake them.
  @usableFromInline
  static func deliverLateReaction(of promise: any Settleable) {
    endMainQueueTurns()
    deliver(promise)
  }

  /// Removes a consumer from an upstream, and from the upstreams above it that lose their last
  /// consumer.
  ///
  /// All of them are notified before this returns, unless one of them is just being notified. Then
  /// the reactions of the consumer run: now, or after the current work of the thread.
  ///
  /// - Parameters:
  ///   - upstream: The upstream that loses a consumer.
  ///   - consumer: The settled promise whose reactions must run, or `nil` if it has none.
  @usableFromInline
  static func depart(from upstream: any Upstream, delivering consumer: (any Settleable)? = nil) {
    let trampoline = current
    let wasRunning = trampoline.pointee.isRunning
    trampoline.pointee.isRunning = true
    if let consumer { trampoline.pointee.append(consumer) }
    trampoline.pointee.departures.append(upstream)
    if !trampoline.pointee.isDeparting { notifyUpstreams(trampoline) }
    guard !wasRunning else { return }
    drain(trampoline)
    trampoline.pointee.isRunning = false
  }

  /// Notifies the upstreams in the queue one after the other, so that a chain of any length uses
  /// constant stack depth.
  private static func notifyUpstreams(_ trampoline: Current) {
    let wasDeparting = trampoline.pointee.isDeparting
    trampoline.pointee.isDeparting = true
    while let upstream = trampoline.pointee.departures.popFirst() { upstream.consumerCancelled() }
    trampoline.pointee.isDeparting = wasDeparting
  }

  /// Runs `body` after the current work of the thread and all work that results from it.
  ///
  /// Runs `body` immediately if the trampoline is not running.
  static func runLast(_ body: @escaping () -> Void) {
    let trampoline = current
    guard trampoline.pointee.isRunning else { return body() }
    trampoline.pointee.last.append(body)
  }

  /// Runs the queued work of the thread.
  ///
  /// Must be called before a handler blocks its thread: it could otherwise wait for work in this
  /// queue, which runs only after the handler returns.
  static func runPending() {
    let trampoline = current
    let wasAccepting = trampoline.pointee.turns.pause()
    let step = trampoline.pointee.step
    notifyUpstreams(trampoline)
    drain(trampoline)
    trampoline.pointee.step = step
    if wasAccepting { trampoline.pointee.turns.accept() }
  }

  private static func drain(_ trampoline: Current) {
    drainQueue(trampoline)
    while !trampoline.pointee.last.isEmpty {
      let last = trampoline.pointee.last
      trampoline.pointee.last = []
      for body in last {
        body()
        drainQueue(trampoline)
      }
    }
    if trampoline.pointee.step != nil { trampoline.pointee.step = nil }
  }

  private static func drainQueue(_ trampoline: Current) {
    while let promise = trampoline.pointee.next() { promise.deliver(on: trampoline) }
  }

  /// The step of a trace that has settled the promise whose reactions run on this thread.
  static var step: TraceStep? { current.pointee.step }

  /// Runs a closure whose settlements and handlers are due to a step.
  @usableFromInline static func with<Result>(_ step: TraceStep?, _ body: () -> Result) -> Result {
    let trampoline = current
    let outer = trampoline.pointee.step
    trampoline.pointee.step = step
    defer { trampoline.pointee.step = outer }
    return body()
  }

  /// Notes the step that has settled a promise whose reactions run next.
  @usableFromInline
  static func note(_ step: TraceStep?) {
    current.pointee.step = TraceStep.later(step, TraceStep.ofScope)
  }

  /// Queues a settled promise for delivery on a running trampoline.
  @usableFromInline
  mutating func append(_ promise: consuming any Settleable) {
    if single == nil, queue.isEmpty {
      single = promise
    } else {
      appendToQueue(promise)
    }
  }

  /// Not inlined, so that the common path, which does not call this, stays small.
  @inline(never)
  private mutating func appendToQueue(_ promise: consuming any Settleable) {
    if let earlier = single.take() { queue.append(earlier) }
    queue.append(promise)
  }

  private mutating func next() -> (any Settleable)? {
    if let promise = single.take() { return promise }
    return queue.popFirst()
  }

  // MARK: Per-thread storage

  /// The key whose destructor releases the trampoline when the thread ends.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { pointer in
      #if canImport(Darwin)
        release(pointer)
      #else
        if let pointer { release(pointer) }
      #endif
    }
    return key
  }()

  private static func release(_ pointer: UnsafeMutableRawPointer) {
    // A later destructor that settles a promise makes another trampoline.
    catena_set_trampoline(nil)
    let trampoline = pointer.assumingMemoryBound(to: Trampoline.self)
    trampoline.deinitialize(count: 1)
    trampoline.deallocate()
  }

  /// The trampoline of this thread.
  ///
  /// A pointer that is accessed field by field, because the trampoline's work accesses the
  /// trampoline too.
  private static var current: Current {
    catena_get_trampoline()?.assumingMemoryBound(to: Trampoline.self) ?? created()
  }

  @inline(never)
  private static func created() -> Current {
    let trampoline = Current.allocate(capacity: 1)
    trampoline.initialize(to: Trampoline())
    pthread_setspecific(key, trampoline)
    catena_set_trampoline(trampoline)
    return trampoline
  }
}
