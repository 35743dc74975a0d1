/// Returns a promise for the value that a completion handler receives.
///
/// ```swift
/// let text = wrap { completion in device.read(completion) }    // (String?, (any Error)?) -> Void
/// ```
///
/// There is an overload for each usual shape of a completion handler:
///
/// | handler | promise |
/// |---|---|
/// | `() -> Void` | `Promise<Void>` |
/// | `(Value) -> Void` | `Promise<Value>` |
/// | `(Result<Value, Failure>) -> Void` | `Promise<Value>` |
/// | `((any Error)?) -> Void` | `Promise<Void>` |
/// | `(Value?, (any Error)?) -> Void`, also with a value that is not optional | `Promise<Value>` |
/// | `((any Error)?, Value?) -> Void` | `Promise<Value>` |
/// | `(First?, Second?, (any Error)?) -> Void` | `Promise<(First, Second)>` |
///
/// Only the first call of the handler has an effect. If the handler is released without a call, the
/// promise is rejected with ``PromiseError/abandoned``. To stop the work when the promise is
/// cancelled, use ``Resolver/onCancel(_:)`` in
/// ``Promise/init(file:line:_:)-(_,_,(Resolver<Value>)->Void)``.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that passes the handler to the work. It runs once, before this function
///     returns. An error that it throws rejects the promise, unless it is already settled.
/// - Returns: A promise with the context ``ExecutionContext/main``.
@_disfavoredOverload
public func wrap<Value: Sendable>(
  file: StaticString = #fileID, line: UInt = #line,
  _ start: (_ completion: @escaping @Sendable (Value) -> Void) throws -> Void
) -> Promise<Value> {
  Promise(file: file, line: line) { (resolver: Resolver<Value>) in
    try start { resolver.fulfill($0) }
  }
}

/// Returns a promise that is fulfilled when a completion handler without arguments is called.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that passes the handler to the work. It runs once, before this function
///     returns.
/// - Returns: A promise without a value. It is rejected with the error that `start` throws, or with
///   ``PromiseError/abandoned`` if the handler is released without a call.
public func wrap(
  file: StaticString = #fileID, line: UInt = #line,
  _ start: (_ completion: @escaping @Sendable () -> Void) throws -> Void
) -> Promise<Void> {
  Promise(file: file, line: line) { (resolver: Resolver<Void>) in
    try start { resolver.fulfill() }
  }
}

/// Returns a promise for the result that a completion handler receives.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that passes the handler to the work. It runs once, before this function
///     returns.
/// - Returns: A promise for the value. It is rejected with the error of the result, with the error
///   that `start` throws, or with ``PromiseError/abandoned`` if the handler is released without a
///   call.
public func wrap<Value: Sendable, Failure: Error>(
  file: StaticString = #fileID, line: UInt = #line,
  _ start: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) throws -> Void
) -> Promise<Value> {
  Promise(file: file, line: line) { (resolver: Resolver<Value>) in
    try start { resolver.resolve($0) }
  }
}

/// Returns a promise for the success of work whose completion handler receives an optional error.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that passes the handler to the work. It runs once, before this function
///     returns.
/// - Returns: A promise without a value. It is rejected with the error, with the error that `start`
///   throws, or with ``PromiseError/abandoned`` if the handler is released without a call.
public func wrap(
  file: StaticString = #fileID, line: UInt = #line,
  _ start: (_ completion: @escaping @Sendable ((any Error)?) -> Void) throws -> Void
) -> Promise<Void> {
  Promise(file: file, line: line) { (resolver: Resolver<Void>) in
    try start { error in resolver.resolve((), error) }
  }
}

/// Returns a promise for the value of work whose completion handler receives a value and an optional
/// error.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that passes the handler to the work. It runs once, before this function
///     returns.
/// - Returns: A promise for the value. It is rejected with the error, which has precedence over a
///   value, with ``PromiseError/missingValue`` if both are `nil`, with the error that `start` throws,
///   or with ``PromiseError/abandoned`` if the handler is released without a call.
public func wrap<Value: Sendable>(
  file: StaticString = #fileID, line: UInt = #line,
  _ start: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws -> Void
) -> Promise<Value> {
  Promise(file: file, line: line) { (resolver: Resolver<Value>) in
    try start { value, error in resolver.resolve(value, error) }
  }
}

/// Returns a promise for the value of work whose completion handler receives an optional error and
/// then a value.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that passes the handler to the work. It runs once, before this function
///     returns.
/// - Returns: A promise as for a handler that receives the value first.
public func wrap<Value: Sendable>(
  file: StaticString = #fileID, line: UInt = #line,
  _ start: (_ completion: @escaping @Sendable ((any Error)?, Value?) -> Void) throws -> Void
) -> Promise<Value> {
  Promise(file: file, line: line) { (resolver: Resolver<Value>) in
    try start { error, value in resolver.resolve(value, error) }
  }
}

/// Returns a promise for the values of work whose completion handler receives two values and an
/// optional error, such as the data and the response of a request.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - start: The closure that passes the handler to the work. It runs once, before this function
///     returns.
/// - Returns: A promise for both values. It is rejected with the error, which has precedence over the
///   values, with ``PromiseError/missingValue`` if there is no error and a value is `nil`, with the
///   error that `start` throws, or with ``PromiseError/abandoned`` if the handler is released without
///   a call.
public func wrap<First: Sendable, Second: Sendable>(
  file: StaticString = #fileID, line: UInt = #line,
  _ start: (_ completion: @escaping @Sendable (First?, Second?, (any Error)?) -> Void) throws ->
    Void
) -> Promise<(First, Second)> {
  Promise(file: file, line: line) { (resolver: Resolver<(First, Second)>) in
    try start { first, second, error in
      let values = first.flatMap { first in second.map { (first, $0) } }
      resolver.resolve(values, error)
    }
  }
}
