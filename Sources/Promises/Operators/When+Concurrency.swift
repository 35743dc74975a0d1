import Synchronization

/// Starts operations, at most `concurrency` at a time, and waits for all of them.
///
/// ```swift
/// let covers = when(books.map { book in { download(book.cover) } }, concurrency: 4)
/// ```
///
/// As soon as one operation fails, the result is rejected, no further operations start, and those
/// in flight are cancelled unless they have other consumers. Cancelling the result does the same.
///
/// - Parameters:
///   - starts: The closures that each start one operation. Each runs at most once, in the order of
///     the array: the first ones before this function returns, each later one where an earlier
///     promise settles. A thrown error fails the operation.
///   - concurrency: The maximum number of operations in flight. Must be at least 1; otherwise the
///     program stops with a failed precondition.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for all values, in the order of `starts`. It is rejected with the first
///   error that occurs. It has the context of the first operation's promise.
public func when<Value>(
  _ starts: [@Sendable () throws -> Promise<Value>], concurrency: Int,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Value]> {
  precondition(concurrency >= 1, "when: concurrency is \(concurrency), but must be at least 1")
  let batch = Batch(starts)
  guard let first = batch.startNext() else { return .fulfilled([], file: file, line: line) }
  let result = Promise<[Value]>(
    waitingFor: batch, on: first.promise.context, at: CallSite(file, line))
  batch.follow(first.promise, first.index, for: result)
  for _ in 1..<min(concurrency, starts.count) { batch.startNext(for: result) }
  return result
}

/// Starts an operation for each item, at most `concurrency` at a time, and waits for all of them.
///
/// ```swift
/// let covers = when(books, concurrency: 4) { book in download(book.cover) }
/// ```
///
/// - Parameters:
///   - items: The items, processed in order.
///   - concurrency: The maximum number of operations in flight. Must be at least 1; otherwise the
///     program stops with a failed precondition.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that starts the operation for one item. It runs at most once for each. A
///     thrown error fails the operation.
/// - Returns: A promise for all values, in the order of `items`. It is rejected with the first
///   error that occurs. No further operations then start, and those in flight are cancelled unless
///   they have other consumers. It has the context of the first operation's promise.
public func when<Item: Sendable, Value>(
  _ items: some Sequence<Item>, concurrency: Int,
  file: StaticString = #fileID, line: UInt = #line,
  _ start: @escaping @Sendable (_ item: Item) throws -> Promise<Value>
) -> Promise<[Value]> {
  let starts = items.map { item in { @Sendable in try start(item) } }
  return when(starts, concurrency: concurrency, file: file, line: line)
}

/// The operations of one bounded `when`: those in flight and those still to start.
private final class Batch<Value: Sendable>: Upstream {
  private struct State {
    var started = 0
    var inFlight: [Int: Promise<Value>] = [:]
    var fulfilled: [Promise<Value>?]
    var unfinishedCount: Int
    var isFinished = false
  }

  private let count: Int
  private let start: @Sendable (_ index: Int) throws -> Promise<Value>
  private let state: Mutex<State>

  init(_ starts: [@Sendable () throws -> Promise<Value>]) {
    count = starts.count
    // Captures the scope, because later operations start where an earlier promise settles.
    start = HandlerScope.capturing { index in try starts[index]() }
    state = Mutex(
      State(fulfilled: Array(repeating: nil, count: starts.count), unfinishedCount: starts.count))
  }

  /// Starts the next operation, if any.
  ///
  /// Its fulfilment starts the one after it.
  func startNext(for result: Promise<[Value]>) {
    guard let next = startNext() else { return }
    follow(next.promise, next.index, for: result)
  }

  func startNext() -> (promise: Promise<Value>, index: Int)? {
    guard let index = nextIndex() else { return nil }
    let promise: Promise<Value>
    do {
      promise = try start(index)
    } catch {
      // Wrapped in a promise, so that a long run of throwing closures uses constant stack depth.
      promise = .rejected(error)
    }
    // Checked here because the reaction runs later when this code runs inside another handler.
    if promise.isSettled, promise.error != nil { stopStarting() }
    return (promise, index)
  }

  func follow(_ promise: Promise<Value>, _ index: Int, for result: Promise<[Value]>) {
    promise.addConsumer()
    let isActive = state.withLock { state in
      if !state.isFinished { state.inFlight[index] = promise }
      return !state.isFinished
    }
    guard isActive else { return promise.consumerCancelled() }
    promise.attach(
      [],
      Reaction(for: result) { settled, result in
        self.memberSettled(index, .from(settled), for: .from(result))
      })
    if result.isInCycle(through: promise) { result.reject(PromiseError.cycle, by: .consumer) }
  }

  private func stopStarting() {
    state.withLock { $0.started = count }
  }

  private func nextIndex() -> Int? {
    state.withLock { state in
      guard !state.isFinished, state.started < count else { return nil }
      defer { state.started += 1 }
      return state.started
    }
  }

  private func memberSettled(
    _ index: Int, _ promise: Promise<Value>, for result: Promise<[Value]>
  ) -> Bool {
    if let error = promise.error {
      stopStarting()
      return result.settle(rejecting: error, by: .consumer)
    }
    let all = state.withLock { state -> [Promise<Value>?]? in
      state.inFlight[index] = nil
      state.fulfilled[index] = promise
      state.unfinishedCount -= 1
      return state.unfinishedCount == 0 ? state.fulfilled : nil
    }
    if let all {
      return result.settle(fulfilling: all.compactMap { $0?.fulfilledValue }, by: .upstream)
    }
    startNext(for: result)
    return false
  }

  func consumerCancelled() {
    let inFlight = state.withLock { state in
      state.isFinished = true
      defer { state.inFlight = [:] }
      return state.inFlight
    }
    for promise in inFlight.values { promise.consumerCancelled() }
  }

  var upstreamLinks: UpstreamLinks {
    .many(state.withLock { Array($0.inFlight.values) })
  }
}

/// Combines the elements of a sequence by asynchronous steps, one after the other.
///
/// - Parameters:
///   - sequence: The sequence. All elements are read before this function returns.
///   - initial: The partial result for the first step. It is the result of an empty sequence.
///   - context: The context for `step`.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - step: The closure that starts a step with the partial result of the earlier steps. The next
///     step waits for its promise.
/// - Returns: A promise for the result of the last step. It is rejected with the first error, after
///   which no step starts.
public func reduce<Elements: Sequence & Sendable, Partial>(
  _ sequence: Elements, _ initial: Partial, on context: ExecutionContext = .main,
  file: StaticString = #fileID, line: UInt = #line,
  _ step:
    @escaping @Sendable (_ partial: Partial, _ element: Elements.Element) throws ->
    Promise<Partial>
) -> Promise<Partial> where Elements.Element: Sendable {
  var promise = Promise.fulfilled(initial, file: file, line: line)
  for element in sequence {
    promise = promise.then(on: context, file: file, line: line) { try step($0, element) }
  }
  return promise
}
