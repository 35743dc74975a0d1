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

/// The work that settlements on one thread have given rise to, done one piece after the other.
///
/// A reaction that settles another promise does not run that one's reactions from inside itself; they
/// wait here until it has returned. So a chain of any length takes a constant depth of stack, and
/// what was caused first runs first. Each thread has a trampoline of its own, made when it first needs
/// one and released when it ends; it needs no lock, since no other thread sees it.
@usableFromInline
struct Trampoline {
  private enum Work {
    case deliver(any Settleable)
    case notify(any Upstream)
  }

  /// A thread's trampoline, for use on that thread.
  @usableFromInline typealias Current = UnsafeMutablePointer<Trampoline>

  private var isRunning = false
  private var queue = FIFO<Work>()
  /// The work, when there is only one piece; a chain without branches never uses the queue.
  private var single: Work?
  /// What waits until there is no other work.
  private var last: [() -> Void] = []

  /// Runs `body` and then all that it has given rise to; does nothing and returns false when the
  /// thread is in the middle of such work already.
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

  /// Has a settled promise run its reactions: now, or when the thread's work in hand is done.
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

  /// Tells what a promise was waiting for that it does so no longer.
  @usableFromInline
  static func notify(_ upstream: any Upstream) {
    let trampoline = current
    trampoline.pointee.append(.notify(upstream))
    guard !trampoline.pointee.isRunning else { return }
    trampoline.pointee.isRunning = true
    drain(trampoline)
    trampoline.pointee.isRunning = false
  }

  /// Runs `body` when the thread's work in hand, and all that this gives rise to, is done; at once when
  /// there is none.
  static func runLast(_ body: @escaping () -> Void) {
    let trampoline = current
    guard trampoline.pointee.isRunning else { return body() }
    trampoline.pointee.last.append(body)
  }

  /// Does the thread's outstanding work from inside a piece of it: for a caller about to block, who
  /// would else wait for something behind itself in the queue.
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

  /// Queues a settled promise for its turn, on a trampoline that is running.
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

  /// Not inlined, so that the common path, where this is not called, stays small.
  @inline(never)
  private mutating func appendToQueue(_ work: consuming Work) {
    if let earlier = single.take() { queue.append(earlier) }
    queue.append(work)
  }

  private mutating func next() -> Work? {
    if let work = single.take() { return work }
    return queue.popFirst()
  }

  // MARK: One a thread

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

  /// This thread's, reached by a pointer, field by field, since what it runs comes back to it.
  private static var current: Current {
    if let pointer = pthread_getspecific(key) {
      return pointer.assumingMemoryBound(to: Trampoline.self)
    }
    let made = Current.allocate(capacity: 1)
    made.initialize(to: Trampoline())
    pthread_setspecific(key, made)
    return made
  }
}
