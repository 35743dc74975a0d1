import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A thread's queue of the work that results from settlements.
///
/// A reaction that settles another promise does not run that promise's reactions itself. They wait
/// in this queue until the reaction returns. A chain of any length therefore uses constant stack
/// depth, and work runs in the order in which it was queued. Each thread has its own trampoline,
/// which is created on first use and released when the thread ends. No lock is needed, because no
/// other thread accesses it.
@usableFromInline
struct Trampoline {
  private enum Work {
    case deliver(any Settleable)
    case notify(any Upstream)
  }

  /// A pointer to the trampoline of a thread, for use on that thread.
  @usableFromInline typealias Current = UnsafeMutablePointer<Trampoline>

  private var isRunning = false
  private var queue = FIFO<Work>()
  /// The only unit of work, if `queue` is empty.
  ///
  /// A chain without branches never uses the queue.
  private var single: Work?
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
      trampoline.pointee.append(.deliver(promise))
    } else {
      trampoline.pointee.isRunning = true
      promise.deliver(on: trampoline)
      drain(trampoline)
      trampoline.pointee.isRunning = false
    }
  }

  /// Notifies an upstream that a consumer has been cancelled.
  @usableFromInline
  static func notify(_ upstream: any Upstream) {
    let trampoline = current
    trampoline.pointee.append(.notify(upstream))
    guard !trampoline.pointee.isRunning else { return }
    trampoline.pointee.isRunning = true
    drain(trampoline)
    trampoline.pointee.isRunning = false
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
    drain(current)
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
  }

  private static func drainQueue(_ trampoline: Current) {
    while let work = trampoline.pointee.next() {
      switch consume work {
      case .deliver(let promise): promise.deliver(on: trampoline)
      case .notify(let upstream): upstream.consumerCancelled()
      }
    }
  }

  /// Queues a settled promise for delivery on a running trampoline.
  @usableFromInline
  mutating func append(_ promise: consuming any Settleable) {
    append(.deliver(promise))
  }

  private mutating func append(_ work: consuming Work) {
    if single == nil, queue.isEmpty {
      single = work
    } else {
      appendToQueue(work)
    }
  }

  /// Not inlined, so that the common path, which does not call this, stays small.
  @inline(never)
  private mutating func appendToQueue(_ work: consuming Work) {
    if let earlier = single.take() { queue.append(earlier) }
    queue.append(work)
  }

  private mutating func next() -> Work? {
    if let work = single.take() { return work }
    return queue.popFirst()
  }

  // MARK: Per-thread storage

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
    let trampoline = pointer.assumingMemoryBound(to: Trampoline.self)
    trampoline.deinitialize(count: 1)
    trampoline.deallocate()
  }

  /// The trampoline of this thread.
  ///
  /// A pointer that is accessed field by field, because the trampoline's work accesses the
  /// trampoline too.
  private static var current: Current {
    if let pointer = pthread_getspecific(key) {
      return pointer.assumingMemoryBound(to: Trampoline.self)
    }
    let trampoline = Current.allocate(capacity: 1)
    trampoline.initialize(to: Trampoline())
    pthread_setspecific(key, trampoline)
    return trampoline
  }
}
