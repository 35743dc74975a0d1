import Dispatch

/// The handlers that follow a handler of the main queue in the same block of the queue.
///
/// A handler of the main queue often makes the next handler of a chain due. It then runs in the same
/// block, without another hop, after the first handler has returned and the trampoline of the thread
/// is idle. For the handler, this makes no difference to a block of its own.
///
/// Handlers that were due earlier must not be overtaken. Before any other handler is dispatched to the
/// main queue, the handlers that wait here are therefore moved to the main queue.
struct MainQueueTurns {
  /// Whether a block of this thread runs the handlers that are added.
  private(set) var isActive = false
  /// Whether a handler that becomes due now is added.
  ///
  /// `true` only after a handler of the block has returned, while the reactions to it run.
  private(set) var isAccepting = false
  /// Whether all further handlers of the block need a hop.
  private var isClosed = false
  /// The handler that runs next.
  ///
  /// A chain without branches never uses `others`.
  private var first: Job?
  private var others = FIFO<Job>()

  /// The number of handlers that have run in the block.
  private var count = 0
  /// The time of the first reading of the clock in the block.
  ///
  /// 0 before that.
  private var start: UInt64 = 0

  /// The maximum number of handlers in one block.
  private static let countLimit = 100
  /// The time after which a block ends, in nanoseconds.
  private static let timeLimit: UInt64 = 4_000_000
  /// The number of handlers between two readings of the clock.
  ///
  /// A short chain therefore does not read it.
  private static let handlersPerReading = 4

  /// Adds a handler.
  ///
  /// Must only be called while this is active.
  mutating func append(_ handler: @escaping Job) {
    if first == nil { first = handler } else { others.append(handler) }
  }

  /// Starts a block.
  ///
  /// - Parameter count: The number of handlers that have run in the block before.
  mutating func begin(after count: Int) {
    isActive = true
    isClosed = false
    self.count = count
    start = 0
  }

  /// Returns the next handler of the block.
  ///
  /// Returns `nil` at the end of the block, which is also reached at one of its limits. The other
  /// handlers are then dispatched to the main queue, so that a long chain, or many slow handlers, do
  /// not keep it from other work.
  mutating func next() -> Job? {
    if first != nil, isLimitReached() { moveToMainQueue() }
    guard let handler = first.take() else {
      isActive = false
      return nil
    }
    first = others.popFirst()
    count += 1
    return handler
  }

  private mutating func isLimitReached() -> Bool {
    if count >= Self.countLimit { return true }
    guard count > 0, count % Self.handlersPerReading == 0 else { return false }
    let now = DispatchTime.now().uptimeNanoseconds
    if start == 0 { start = now }
    return now - start >= Self.timeLimit
  }

  /// Starts to accept handlers, unless further handlers of the block need a hop.
  mutating func accept() { isAccepting = isActive && !isClosed }

  /// Stops accepting handlers.
  ///
  /// - Returns: Whether handlers were accepted.
  @discardableResult
  mutating func pause() -> Bool {
    defer { isAccepting = false }
    return isAccepting
  }

  /// Ends the turns of the current block: all further handlers need a hop.
  mutating func close() {
    guard isActive else { return }
    isClosed = true
    isAccepting = false
    moveToMainQueue()
  }

  /// Dispatches the handlers to the main queue.
  mutating func moveToMainQueue() {
    guard let first = first.take() else { return }
    guard !others.isEmpty else { return DispatchQueue.main.async(execute: first) }
    let others = others
    self.others = FIFO()
    DispatchQueue.main.async { Trampoline.runMainQueueBlock(of: first, others) }
  }
}
