extension Promise {
  /// A promise fulfilled from the start.
  ///
  /// - Parameters:
  ///   - value: its value.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  /// - Returns: a settled promise on the ``ExecutionContext/main`` context.
  @inlinable
  public static func fulfilled(
    _ value: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let promise = Promise(waitingFor: nil, on: .main, at: CallSite(file, line))
    promise.fulfill(value, by: .upstream)
    return promise
  }

  /// A promise rejected from the start.
  ///
  /// - Parameters:
  ///   - error: its error.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  /// - Returns: a settled promise on the ``ExecutionContext/main`` context.
  @inlinable
  public static func rejected(
    _ error: any Error, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let promise = Promise(waitingFor: nil, on: .main, at: CallSite(file, line))
    promise.reject(error, by: .upstream)
    return promise
  }

  /// A promise and the one object that can settle it.
  ///
  /// - Parameters:
  ///   - context: what the promise carries.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  /// - Returns: a pending promise, and its resolver.
  @inlinable
  public static func pending(
    on context: ExecutionContext = .main, file: StaticString = #fileID, line: UInt = #line
  ) -> (promise: Promise, resolver: Resolver<Value>) {
    let promise = root(on: context, at: CallSite(file, line))
    return (promise, Resolver(promise))
  }

  /// Wraps work that reports by callback.
  ///
  /// ```swift
  /// let size = Promise<Int> { resolver in
  ///   store.measure { size in resolver.fulfill(size) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  ///   - start: starts the work; runs once, here and now, before this initialiser returns. An error
  ///     that it throws rejects the promise, unless it has settled it before.
  @inlinable
  public convenience init(
    file: StaticString = #fileID, line: UInt = #line,
    _ start: (_ resolver: Resolver<Value>) throws -> Void
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    watchIfAsked()
    let resolver = Resolver(self)
    do {
      try start(resolver)
    } catch {
      resolver.reject(error)
    }
  }

  /// Runs a closure that returns or throws at once, and keeps the outcome.
  ///
  /// ```swift
  /// let catalogue = Promise(on: .background) { try Catalogue(contentsOf: file) }
  /// ```
  ///
  /// - Parameters:
  ///   - context: where `body` runs; ``ExecutionContext/inline`` is here and now, before this
  ///     initialiser returns. It is not what the promise carries: that is ``ExecutionContext/main``.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  ///   - body: the work; runs once, or never when the promise is cancelled before.
  public convenience init(
    on context: ExecutionContext = .inline,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) {
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    context.run(for: self) { if self.settle(with: body) { Trampoline.deliver(self) } }
  }

  /// A pending promise that nothing inside this module will settle by itself, watched when
  /// ``PromiseDiagnostics`` has been asked to.
  @inlinable
  static func root(on context: ExecutionContext, at site: CallSite) -> Promise {
    let promise = Promise(waitingFor: nil, on: context, at: site)
    promise.watchIfAsked()
    return promise
  }
}
