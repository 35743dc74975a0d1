/// Starts operations, at most `concurrency` at a time, and waits for all of them.
///
/// ```swift
/// let covers = when(books.map { book in { download(book.cover) } }, concurrency: 4)
/// ```
///
/// As soon as one operation fails, the result is rejected, no further operations start, and
/// operations in flight are cancelled, in the order of the array, unless they have other consumers.
/// Cancelling the result has the same effect on the operations.
///
/// - Parameters:
///   - operations: The closures that each start one operation. They run in the order of the array,
///     each at most once. A thrown error fails the operation.
///   - concurrency: The maximum number of operations in flight. Must be at least 1; otherwise the
///     program stops with a failed precondition.
///   - context: The context for the closures and of the result. With `nil`, the first closures run
///     before this function returns, each later one on the thread that settles an earlier promise,
///     and the result has the context of the first operation's promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for all values, in the order of `operations`. It is rejected with the first
///   error that occurs.
public func when<Value: Sendable>(
  _ operations: [@Sendable () throws -> Promise<Value>], concurrency: Int,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Value]> {
  Batch(operations, concurrency, StepStart(on: context) { try $0() }, failsFast: true) {
    $0.map { $0.fulfilledValue }
  }
  .result(on: context, at: CallSite(file, line))
}

/// Starts an operation for each item in a context, at most `concurrency` at a time, and waits for all
/// of them.
///
/// As ``when(_:concurrency:isolation:file:line:_:)``.
///
/// - Parameters:
///   - items: The items.
///   - concurrency: The maximum number of operations in flight. Must be at least 1.
///   - context: The context for `start` and of the result.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that starts the operation for one item. It runs at most once for each
///     item. A thrown error fails the operation.
/// - Returns: A promise for all values, in the order of `items`. It is rejected with the first
///   error that occurs.
public func when<Item: Sendable, Value: Sendable>(
  _ items: sending some Sequence<Item>, concurrency: Int, on context: ExecutionContext,
  file: StaticString = #fileID, line: UInt = #line,
  _ start: @escaping @Sendable (_ item: Item) throws -> Promise<Value>
) -> Promise<[Value]> {
  Batch(items, concurrency, StepStart(on: context, start), failsFast: true) {
    $0.map { $0.fulfilledValue }
  }
  .result(on: context, at: CallSite(file, line))
}

/// Starts an operation for each item, at most `concurrency` at a time, and waits for all of them.
///
/// ```swift
/// let covers = when(books, concurrency: 4) { book in download(book.cover) }
/// ```
///
/// - Parameters:
///   - items: The items, processed in order. An item is read when its operation can start, on the
///     thread that calls this function or that settles an earlier promise, so the sequence can be
///     long or infinite. An array, a range or another `Sendable` sequence can always be passed. Any
///     other sequence, such as one of `lazy`, must not be used elsewhere; the compiler checks this.
///   - concurrency: The maximum number of operations in flight. Must be at least 1; otherwise the
///     program stops with a failed precondition.
///   - isolation: The actor of the caller.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that starts the operation for one item. It runs at most once for each
///     item: the first times before this function returns, unless it is isolated to another actor
///     than the caller, and then on its actor or, without one, on the thread that settles an earlier
///     promise. A thrown error fails the operation.
/// - Returns: A promise for all values, in the order of `items`. It is rejected with the first
///   error that occurs. After an error, no further operations start, and operations in flight are
///   cancelled unless they have other consumers. It has the context of the first operation's
///   promise, or ``ExecutionContext/main`` if that operation starts on another actor than the
///   caller's.
public func when<Item: Sendable, Value: Sendable>(
  _ items: sending some Sequence<Item>, concurrency: Int,
  isolation: isolated (any Actor)? = #isolation,
  file: StaticString = #fileID, line: UInt = #line,
  @_inheritActorContext _ start:
    @escaping @Sendable @isolated(any) (_ item: Item) throws -> Promise<Value>
) -> Promise<[Value]> {
  Batch(items, concurrency, StepStart(start, calledFrom: isolation), failsFast: true) {
    $0.map { $0.fulfilledValue }
  }
  .result(on: nil, at: CallSite(file, line))
}

// MARK: settled

/// Starts operations, at most `concurrency` at a time, and waits until all have settled.
///
/// A failed operation does not affect the others. Cancelling the result cancels the operations in
/// flight that have no other consumer, and no further operations start.
///
/// - Parameters:
///   - operations: The closures that each start one operation, as in
///     ``when(_:concurrency:on:file:line:)``. A thrown error fails the operation.
///   - concurrency: The maximum number of operations in flight. Must be at least 1; otherwise the
///     program stops with a failed precondition.
///   - context: The context for the closures and of the result. `nil` has the same meaning as in
///     `when`.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for all outcomes, in the order of `operations`. It is rejected only if it is
///   cancelled.
public func settled<Value: Sendable>(
  _ operations: [@Sendable () throws -> Promise<Value>], concurrency: Int,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Result<Value, any Error>]> {
  Batch(operations, concurrency, StepStart(on: context) { try $0() }, failsFast: false) {
    $0.map { $0.outcome }
  }
  .result(on: context, at: CallSite(file, line))
}

/// Starts an operation for each item in a context, at most `concurrency` at a time, and waits until
/// all have settled.
///
/// As ``settled(_:concurrency:isolation:file:line:_:)``.
///
/// - Parameters:
///   - items: The items.
///   - concurrency: The maximum number of operations in flight. Must be at least 1.
///   - context: The context for `start` and of the result.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that starts the operation for one item. It runs at most once for each
///     item. A thrown error fails the operation.
/// - Returns: A promise for all outcomes, in the order of `items`. It is rejected only if it is
///   cancelled.
public func settled<Item: Sendable, Value: Sendable>(
  _ items: sending some Sequence<Item>, concurrency: Int, on context: ExecutionContext,
  file: StaticString = #fileID, line: UInt = #line,
  _ start: @escaping @Sendable (_ item: Item) throws -> Promise<Value>
) -> Promise<[Result<Value, any Error>]> {
  Batch(items, concurrency, StepStart(on: context, start), failsFast: false) {
    $0.map { $0.outcome }
  }
  .result(on: context, at: CallSite(file, line))
}

/// Starts an operation for each item, at most `concurrency` at a time, and waits until all have
/// settled.
///
/// ```swift
/// let deliveries = settled(letters, concurrency: 4) { letter in send(letter) }
/// ```
///
/// A failed operation does not affect the others. Cancelling the result cancels the operations in
/// flight that have no other consumer, and no further operations start.
///
/// - Parameters:
///   - items: The items, processed and read as in ``when(_:concurrency:isolation:file:line:_:)``.
///   - concurrency: The maximum number of operations in flight. Must be at least 1; otherwise the
///     program stops with a failed precondition.
///   - isolation: The actor of the caller.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that starts the operation for one item, on the same actors and threads as
///     in `when`. A thrown error fails the operation.
/// - Returns: A promise for all outcomes, in the order of `items`. It is rejected only if it is
///   cancelled.
public func settled<Item: Sendable, Value: Sendable>(
  _ items: sending some Sequence<Item>, concurrency: Int,
  isolation: isolated (any Actor)? = #isolation,
  file: StaticString = #fileID, line: UInt = #line,
  @_inheritActorContext _ start:
    @escaping @Sendable @isolated(any) (_ item: Item) throws -> Promise<Value>
) -> Promise<[Result<Value, any Error>]> {
  Batch(items, concurrency, StepStart(start, calledFrom: isolation), failsFast: false) {
    $0.map { $0.outcome }
  }
  .result(on: nil, at: CallSite(file, line))
}
