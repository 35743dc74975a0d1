import Synchronization

/// Starts a number of things, never more than some at a time, and waits for all.
///
/// ```swift
/// let covers = when(books.map { book in { download(book.cover) } }, concurrency: 4)
/// ```
///
/// As soon as one fails so does the result: no more are started, and those under way are cancelled
/// unless somebody else waits for them. Cancelling the result does the same.
///
/// - Parameters:
///   - starts: each starts one thing, and runs at most once. The first ones run here and now, each
///     later one where an earlier promise settles, in the order of the array. Throwing is failing.
///   - concurrency: how many may be under way at once; at least 1, anything else is a programmer's
///     error and stops the program.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise of all values, in the order of `starts`, rejected with the first error to come.
///   It carries the context of the first promise.
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

/// Does the same for each of a number of things, never more than some at a time, and waits for all.
///
/// ```swift
/// let covers = when(books, concurrency: 4) { book in download(book.cover) }
/// ```
///
/// - Parameters:
///   - items: what to go through, in order.
///   - concurrency: how many may be under way at once; at least 1, anything else is a programmer's
///     error and stops the program.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
///   - start: starts the work for one item, and runs at most once for each. Throwing is failing.
/// - Returns: a promise of all values, in the order of `items`, rejected with the first error to come,
///   with which no more are started and those under way are cancelled unless somebody else waits.
///   It carries the context of the first promise.
public func when<Item: Sendable, Value>(
  _ items: some Sequence<Item>, concurrency: Int,
  file: StaticString = #fileID, line: UInt = #line,
  _ start: @escaping @Sendable (_ item: Item) throws -> Promise<Value>
) -> Promise<[Value]> {
  let starts = items.map { item in { @Sendable in try start(item) } }
  return when(starts, concurrency: concurrency, file: file, line: line)
}

/// The work of one bounded `when`: what is under way, and what is still to be started.
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
    // The later ones start wherever an earlier promise settles.
    start = HandlerScope.capturing { index in try starts[index]() }
    state = Mutex(
      State(fulfilled: Array(repeating: nil, count: starts.count), unfinishedCount: starts.count))
  }

  /// Starts the next thing, if there is one, whose fulfilment starts the one after.
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
      // A promise too, so that a long row of these takes no deeper stack than one.
      promise = .rejected(error)
    }
    // Not only when its turn comes to be handled, which inside another handler is later.
    if promise.isSettled, promise.error != nil { stopStarting() }
    return (promise, index)
  }

  func follow(_ promise: Promise<Value>, _ index: Int, for result: Promise<[Value]>) {
    promise.addConsumer()
    let isWanted = state.withLock { state in
      if !state.isFinished { state.inFlight[index] = promise }
      return !state.isFinished
    }
    guard isWanted else { return promise.consumerCancelled() }
    promise.attach(
      [],
      Reaction(for: result) { settled, result in
        self.ended(index, .from(settled), for: .from(result))
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

  private func ended(
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

/// Goes through a sequence with steps that take time, one after the other.
///
/// - Parameters:
///   - sequence: what to go through; its elements are all taken here and now.
///   - initial: what the first step starts from, and the result of none.
///   - context: where `step` runs.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
///   - step: starts a step with what has come of the earlier ones; the next waits for its promise.
/// - Returns: a promise of what the last step has come to, rejected with the first error, after which
///   no step is started.
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
