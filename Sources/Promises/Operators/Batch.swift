import CatenaSystem

/// The operations of one `when` or `settled` with a concurrency limit.
///
/// One thread at a time reads items and starts operations: at first the caller's thread, later a
/// thread that settles an operation's promise. A thread that frees a slot while another thread is
/// starting operations leaves the slot to that thread.
final class Batch<Value: Sendable, Collected: Sendable>: Upstream {
  private struct State: ~Copyable {
    /// The promises of the operations that have settled, by index.
    var settled: [Promise<Value>?] = []
    /// The promises that have not settled, by index.
    var inFlight: [Int: Promise<Value>] = [:]
    /// The number of slots in use, including that of an operation that is being started.
    var slotsInUse = 0
    /// Whether a thread is starting operations.
    ///
    /// At first, it is the caller's thread.
    var isStarting = true
    /// Whether no further operation starts.
    var isExhausted = false
    /// Whether the result is settled or cancelled, or about to be.
    var isOver = false

    /// Reserves a slot and an index for the next operation.
    ///
    /// Returns `nil` if there is no free slot or nothing left to start.
    mutating func reserveSlot(of concurrency: Int) -> Int? {
      guard !isOver, !isExhausted, slotsInUse < concurrency else { return nil }
      slotsInUse += 1
      settled.append(nil)
      return settled.count - 1
    }

    /// Releases the slot of an operation for which there was no item.
    mutating func reachedEnd() {
      slotsInUse -= 1
      settled.removeLast()
      isExhausted = true
    }

    /// Decides how the starting thread continues after ``reserveSlot(of:)`` returned `nil`.
    mutating func afterLastStart(_ concurrency: Int) -> Continuation {
      if !isOver, !isExhausted, slotsInUse < concurrency { return .start }
      isStarting = false
      guard !isOver, isExhausted, slotsInUse == 0 else { return .stop }
      isOver = true
      return .finish(settled.compactMap { $0 })
    }
  }

  private enum Continuation {
    /// Another thread has freed a slot.
    case start
    /// A thread that settles a promise in flight continues.
    case stop
    /// All operations have ended.
    case finish([Promise<Value>])
  }

  private let concurrency: Int
  private let failsFast: Bool
  /// Reads the next item and starts its operation. Returns `nil` at the end of the sequence.
  // `nonisolated(unsafe)` because only the thread that has set `isStarting` calls it.
  nonisolated(unsafe) private let startNext:
    (_ isCallerWaiting: Bool, _ parent: ExecutionContext) throws -> Promise<Value>?
  private let collect: @Sendable (_ settled: [Promise<Value>]) -> Collected
  private let state = Mutex(State())

  /// - Parameters:
  ///   - items: The items. They are read one at a time, when an operation can start.
  ///   - concurrency: The maximum number of operations in flight.
  ///   - start: The closure that starts the operation for one item.
  ///   - failsFast: Whether the first error rejects the result.
  ///   - collect: The closure that returns the result of the settled promises.
  init<Item: Sendable>(
    _ items: sending some Sequence<Item>, _ concurrency: Int, _ start: StepStart<Item, Value>,
    failsFast: Bool, _ collect: @escaping @Sendable (_ settled: [Promise<Value>]) -> Collected
  ) {
    precondition(concurrency >= 1, "concurrency is \(concurrency), but must be at least 1")
    self.concurrency = concurrency
    self.failsFast = failsFast
    self.collect = collect
    var iterator = items.makeIterator()
    startNext = { isCallerWaiting, parent in
      guard let item = iterator.next() else { return nil }
      return try start(item, isCallerWaiting: isCallerWaiting, inheriting: parent)
    }
  }

  /// Starts the first operations.
  ///
  /// - Parameters:
  ///   - context: The context of the promise. `nil` uses that of the first operation's promise.
  ///   - site: The source location of the promise.
  /// - Returns: The promise for the result.
  func result(on context: ExecutionContext?, at site: CallSite) -> Promise<Collected> {
    let first = startOperation(isCallerWaiting: true, inheriting: context ?? .main)
    let result = Promise<Collected>(
      waitingFor: self, on: context ?? first?.promise.context ?? .main, at: site)
    if let first { follow(first.promise, first.index, for: result) }
    startOperations(for: result, isCallerWaiting: true, inheriting: result.context)
    return result
  }

  // MARK: Starting

  /// Starts operations in the free slots, or settles the result if all operations have ended.
  ///
  /// Must only be called by the thread that has set `isStarting`.
  private func startOperations(
    for result: Promise<Collected>, isCallerWaiting: Bool, inheriting parent: ExecutionContext
  ) {
    while true {
      while let next = startOperation(isCallerWaiting: isCallerWaiting, inheriting: parent) {
        follow(next.promise, next.index, for: result)
      }
      switch state.withLock({ $0.afterLastStart(concurrency) }) {
      case .start: continue
      case .stop: return
      case .finish(let members):
        if result.settle(fulfilling: collect(members), by: .upstream) { Trampoline.deliver(result) }
        return
      }
    }
  }

  private func startOperation(
    isCallerWaiting: Bool, inheriting parent: ExecutionContext
  ) -> (promise: Promise<Value>, index: Int)? {
    guard let index = state.withLock({ $0.reserveSlot(of: concurrency) }) else { return nil }
    let promise: Promise<Value>
    do {
      guard let started = try startNext(isCallerWaiting, parent) else {
        state.withLock { $0.reachedEnd() }
        return nil
      }
      promise = started
    } catch {
      // Wrapped in a promise, so that many throwing closures in a row use constant stack depth.
      promise = .rejected(error)
    }
    // Checked here because the reaction is deferred when this code runs inside another handler.
    if failsFast, promise.isRejected { state.withLock { $0.isExhausted = true } }
    return (promise, index)
  }

  private func follow(_ promise: Promise<Value>, _ index: Int, for result: Promise<Collected>) {
    promise.addConsumer()
    let isActive = state.withLock { state in
      if !state.isOver { state.inFlight[index] = promise }
      return !state.isOver
    }
    guard isActive else { return promise.consumerCancelled() }
    promise.attach(
      [],
      Reaction(for: result) { settled, result in
        self.memberSettled(index, .from(settled), for: .from(result))
      })
    if result.isInCycle(through: promise) { result.rejectCycle(through: self) }
  }

  /// Frees the slot of a settled promise and starts the next operation.
  ///
  /// - Returns: Whether this has settled the result.
  private func memberSettled(
    _ index: Int, _ promise: Promise<Value>, for result: Promise<Collected>
  ) -> Bool {
    let error = failsFast ? promise.error : nil
    let startsOperations = state.withLock { state in
      state.inFlight[index] = nil
      state.slotsInUse -= 1
      state.settled[index] = promise
      if error != nil { state.isOver = true }
      guard !state.isOver, !state.isStarting else { return false }
      state.isStarting = true
      return true
    }
    if let error { return result.settle(rejecting: error, by: .consumer) }
    if startsOperations {
      startOperations(for: result, isCallerWaiting: false, inheriting: promise.context)
    }
    return false
  }

  // MARK: Cancelling

  func consumerCancelled() {
    let inFlight = state.withLock { state in
      state.isOver = true
      defer { state.inFlight = [:] }
      return state.inFlight
    }
    for (_, promise) in inFlight.sorted(by: { $0.key < $1.key }) { promise.consumerCancelled() }
  }

  var upstreamLinks: UpstreamLinks { .many(state.withLock { Array($0.inFlight.values) }) }
}
