import Synchronization

/// Starts operations, at most `concurrency` at a time, and waits for all of them.
///
/// ```swift
/// let covers = when(books.map { book in { download(book.cover) } }, concurrency: 4)
/// ```
///
/// As soon as one operation fails, the result is rejected, no further operations start, and
/// operations in flight are cancelled unless they have other consumers. Cancelling the result has
/// the same effect on the operations.
///
/// - Parameters:
///   - operations: The closures that each start one operation. They run in the order of the array,
///     each at most once. The first ones run before this function returns. Each later one runs on
///     the thread that settles an earlier promise. A thrown error fails the operation.
///   - concurrency: The maximum number of operations in flight. Must be at least 1; otherwise the
///     program stops with a failed precondition.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for all values, in the order of `operations`. It is rejected with the first
///   error that occurs. It has the context of the first operation's promise.
public func when<Value>(
  _ operations: [@Sendable () throws -> Promise<Value>], concurrency: Int,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Value]> {
  precondition(concurrency >= 1, "when: concurrency is \(concurrency), but must be at least 1")
  let batch = Batch(operations)
  guard let first = batch.startNext() else { return .fulfilled([], file: file, line: line) }
  let result = Promise<[Value]>(
    waitingFor: batch, on: first.promise.context, at: CallSite(file, line))
  batch.follow(first.promise, first.index, for: result)
  for _ in 1..<min(concurrency, operations.count) { batch.startNext(for: result) }
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
///   - start: The closure that starts the operation for one item. It runs at most once for each
///     item. A thrown error fails the operation.
/// - Returns: A promise for all values, in the order of `items`. It is rejected with the first
///   error that occurs. After an error, no further operations start, and operations in flight are
///   cancelled unless they have other consumers. It has the context of the first operation's
///   promise.
public func when<Item: Sendable, Value>(
  _ items: some Sequence<Item>, concurrency: Int,
  file: StaticString = #fileID, line: UInt = #line,
  _ start: @escaping @Sendable (_ item: Item) throws -> Promise<Value>
) -> Promise<[Value]> {
  let operations = items.map { item in { @Sendable in try start(item) } }
  return when(operations, concurrency: concurrency, file: file, line: line)
}

/// The operations of one `when` with a concurrency limit.
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

  init(_ operations: [@Sendable () throws -> Promise<Value>]) {
    count = operations.count
    // Captures the scope, because later operations start on the thread that settles an earlier
    // promise.
    start = HandlerScope.capturing { index in try operations[index]() }
    state = Mutex(
      State(
        fulfilled: Array(repeating: nil, count: operations.count), unfinishedCount: operations.count
      ))
  }

  /// Starts the next operation, if any.
  ///
  /// When it is fulfilled, the operation after it starts.
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
      // Wrapped in a promise, so that many throwing closures in a row use constant stack depth.
      promise = .rejected(error)
    }
    // Checked here because the reaction is deferred when this code runs inside another handler.
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
    let members = state.withLock { state -> [Promise<Value>?]? in
      state.inFlight[index] = nil
      state.fulfilled[index] = promise
      state.unfinishedCount -= 1
      return state.unfinishedCount == 0 ? state.fulfilled : nil
    }
    if let members {
      return result.settle(fulfilling: members.compactMap { $0?.fulfilledValue }, by: .upstream)
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

/// Combines the elements of a sequence in asynchronous steps that run one at a time.
///
/// - Parameters:
///   - sequence: The sequence. All elements are read before this function returns.
///   - initial: The partial result for the first step. It is the result of an empty sequence.
///   - context: The context for `step`.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - step: The closure that starts a step with the partial result of the earlier steps. The next
///     step waits for its promise.
/// - Returns: A promise for the result of the last step. It is rejected with the first error, and
///   no step starts after that.
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
