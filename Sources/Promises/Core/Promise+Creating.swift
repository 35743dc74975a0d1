extension Promise where Value: Sendable {
  /// Returns a promise that is already fulfilled.
  ///
  /// - Parameters:
  ///   - value: The value of the promise.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A settled promise with the context ``ExecutionContext/main``.
  @inlinable
  public static func fulfilled(
    _ value: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let promise = Promise(waitingFor: nil, on: .main, at: CallSite(file, line))
    promise.fulfill(value, by: .upstream)
    return promise
  }

  /// Returns a promise that is already rejected.
  ///
  /// - Parameters:
  ///   - error: The error of the promise.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A settled promise with the context ``ExecutionContext/main``.
  @inlinable
  public static func rejected(
    _ error: any Error, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let promise = Promise(waitingFor: nil, on: .main, at: CallSite(file, line))
    promise.reject(error, by: .upstream)
    return promise
  }

  /// Returns a pending promise and its resolver.
  ///
  /// - Parameters:
  ///   - context: The context of the promise.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The promise and the resolver that settles it.
  @inlinable
  public static func pending(
    on context: ExecutionContext = .main, file: StaticString = #fileID, line: UInt = #line
  ) -> (promise: Promise, resolver: Resolver<Value>) {
    let promise = Promise(waitingFor: nil, on: context, at: CallSite(file, line, .resolver))
    promise.notifyCreationObserver()
    return (promise, Resolver(promise))
  }

  // MARK: Immediately

  /// Creates a promise for work that reports its result in a callback.
  ///
  /// ```swift
  /// let size = Promise<Int> { resolver in
  ///   store.measure { size in resolver.fulfill(size) }
  /// }
  /// ```
  ///
  /// For a completion handler, `wrap` is shorter.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - start: The closure that starts the work. It runs once, before this initializer returns. An
  ///     error that it throws rejects the promise, unless the closure has already settled the
  ///     promise.
  @inlinable
  public convenience init(
    file: StaticString = #fileID, line: UInt = #line,
    _ start: (_ resolver: Resolver<Value>) throws -> Void
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line, .resolver))
    notifyCreationObserver()
    Resolver(self).settle { resolver in try start(resolver) }
  }

  /// Creates a promise for work that reports its result to one of two closures.
  ///
  /// As ``init(file:line:_:)-(_,_,(Resolver<Value>)->Void)``, with the methods of the resolver as
  /// arguments.
  ///
  /// ```swift
  /// let size = Promise<Int> { fulfill, reject in
  ///   store.measure(success: fulfill, failure: reject)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - start: The closure that starts the work. It runs once, before this initializer returns. If
  ///     it and the work release both closures without a call, the promise is rejected with
  ///     ``PromiseError/abandoned``.
  public convenience init(
    file: StaticString = #fileID, line: UInt = #line,
    _ start: (
      _ fulfill: @escaping @Sendable (Value) -> Void,
      _ reject: @escaping @Sendable (any Error) -> Void
    ) throws -> Void
  ) {
    self.init(file: file, line: line) { (resolver: Resolver<Value>) in
      try start(resolver.fulfill, resolver.reject)
    }
  }

  /// Creates a promise for the result of a synchronous closure, which runs immediately.
  ///
  /// ```swift
  /// let catalogue = Promise { try Catalogue(contentsOf: file) }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - body: The work. It runs once, before this initializer returns.
  public convenience init(
    file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Value
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    if settle(with: body) { Trampoline.deliver(self) }
  }

  // MARK: In a context

  /// Creates a promise for the result of a synchronous closure, which runs in a context.
  ///
  /// ```swift
  /// let catalogue = Promise(on: .background) { try Catalogue(contentsOf: file) }
  /// ```
  ///
  /// - Parameters:
  ///   - context: The context for `body`. With ``ExecutionContext/inline``, `body` runs before this
  ///     initializer returns. The context of the promise itself is always
  ///     ``ExecutionContext/main``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - body: The work. It runs once, or never if the promise is cancelled first.
  @_disfavoredOverload
  public convenience init(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    context.inCurrentScope.run(for: self) {
      if self.settle(with: body) { Trampoline.deliver(self) }
    }
  }

  /// Creates a promise that follows the promise of a closure, which runs in a context.
  ///
  /// - Parameters:
  ///   - context: The context for `body`, not for the promise's handlers.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - body: The closure that starts the work. It runs once, or never if the promise is cancelled
  ///     first. An error that it throws rejects the promise.
  public convenience init(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    context.inCurrentScope.run(for: self) { if self.follow(body) { Trampoline.deliver(self) } }
  }

  /// Creates a promise for work that a closure starts in a context and that reports its result in a
  /// callback.
  ///
  /// - Parameters:
  ///   - context: The context for `start`, not for the promise's handlers.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - start: The closure that starts the work. It runs once, or never if the promise is cancelled
  ///     first. An error that it throws rejects the promise, unless it is already settled.
  public convenience init(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ start: @escaping @Sendable (_ resolver: Resolver<Value>) throws -> Void
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line, .resolver))
    notifyCreationObserver()
    let resolver = Resolver(self)
    context.inCurrentScope.run(for: self) { if !resolver.isSettled { resolver.settle(start) } }
  }

  /// Creates a promise for work that a closure starts in a context and that reports its result to
  /// one of two closures.
  ///
  /// - Parameters:
  ///   - context: The context for `start`, not for the promise's handlers.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - start: The closure that starts the work. It runs once, or never if the promise is cancelled
  ///     first. An error that it throws rejects the promise, unless it is already settled.
  public convenience init(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ start:
      @escaping @Sendable (
        _ fulfill: @escaping @Sendable (Value) -> Void,
        _ reject: @escaping @Sendable (any Error) -> Void
      ) throws -> Void
  ) {
    self.init(on: context, file: file, line: line) { (resolver: Resolver<Value>) in
      try start(resolver.fulfill, resolver.reject)
    }
  }
}

extension Promise where Value == Void {
  /// Returns a promise without a value that is already fulfilled.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A settled promise with the context ``ExecutionContext/main``.
  public static func fulfilled(file: StaticString = #fileID, line: UInt = #line) -> Promise {
    fulfilled((), file: file, line: line)
  }
}

// MARK: firstly

/// Starts a chain in a context.
///
/// The same as `Promise(on: context) { ... }`.
///
/// - Parameters:
///   - context: The context for `body`, not for the promise's handlers.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - body: The closure that starts the first step. It runs once, or never if the promise is
///     cancelled first.
/// - Returns: A promise for the outcome of the promise that `body` returns. It is rejected with the
///   error that `body` throws, and has the context ``ExecutionContext/main``.
public func firstly<Value: Sendable>(
  on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
  _ body: @escaping @Sendable () throws -> Promise<Value>
) -> Promise<Value> {
  Promise(on: context, file: file, line: line, body)
}

/// Starts a chain with a closure that may throw before it returns a promise.
///
/// All errors, including those thrown by `body`, then reach the `fail` of the chain.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - body: The closure that starts the first step. It runs once, before this function returns.
/// - Returns: The promise that `body` returns, or a promise rejected with the error that `body`
///   throws.
public func firstly<Value: Sendable>(
  file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Promise<Value>
) -> Promise<Value> {
  do {
    return try body()
  } catch {
    return .rejected(error, file: file, line: line)
  }
}
