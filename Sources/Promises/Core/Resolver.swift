/// The write side of a promise.
///
/// Only the first call of `fulfill`, `reject` or `resolve` has an effect. Later calls are ignored,
/// on any thread, even if the first call was ``resolve(_:)-(Promise<Value>)`` and the promise is
/// still pending.
///
/// If a resolver is released without a call, its promise is rejected with
/// ``PromiseError/abandoned``, and ``PromiseDiagnostics`` reports the source location of the
/// promise. A forgotten call therefore does not leave the promise pending.
///
/// ```swift
/// let (promise, resolver) = Promise<String>.pending()
/// let request = device.read { text, error in
///   if let text { resolver.fulfill(text) } else { resolver.reject(error ?? ReadError.unknown) }
/// }
/// resolver.onCancel { request.stop() }
/// ```
public final class Resolver<Value: Sendable>: Sendable {
  @usableFromInline let promise: Promise<Value>

  @inlinable
  init(_ promise: Promise<Value>) { self.promise = promise }

  deinit {
    if !promise.isSettled { promise.abandon() }
  }

  /// Fulfils the promise with a value.
  ///
  /// - Parameter value: The value for the promise's handlers.
  @inlinable
  public func fulfill(_ value: Value) { promise.fulfill(value, by: .resolver) }

  /// Rejects the promise with an error.
  ///
  /// - Parameter error: The error for the promise's handlers.
  @inlinable
  public func reject(_ error: any Error) { promise.reject(error, by: .resolver) }

  /// Settles the promise with a result.
  ///
  /// - Parameter result: The outcome. A success fulfils the promise; a failure rejects it.
  public func resolve(_ result: Result<Value, any Error>) {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error)
    }
  }

  /// Settles the promise with a result that has a typed error.
  ///
  /// - Parameter result: The outcome. A success fulfils the promise; a failure rejects it.
  public func resolve<Failure>(_ result: Result<Value, Failure>) {
    resolve(result.mapError { $0 as any Error })
  }

  /// Settles the promise with the arguments of a completion handler.
  ///
  /// ```swift
  /// let text = Promise<String> { resolver in
  ///   device.read { text, error in resolver.resolve(text, error) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value, or `nil` if the work has failed.
  ///   - error: The error, or `nil` if the work has succeeded. An error has precedence over a value.
  ///     Without either, the promise is rejected with ``PromiseError/missingValue``.
  public func resolve(_ value: Value?, _ error: (any Error)?) {
    if let error {
      reject(error)
    } else if let value {
      fulfill(value)
    } else {
      reject(PromiseError.missingValue)
    }
  }

  /// Binds the promise to another promise and adopts its outcome.
  ///
  /// The promise becomes a consumer of `other`: if it is cancelled and `other` has no other
  /// consumer, `other` is cancelled too. A promise that would wait for itself, directly or through
  /// other promises, is rejected with ``PromiseError/cycle``.
  ///
  /// Source: Promises/A+ 2.3.
  ///
  /// - Parameter other: The promise to follow, pending or settled.
  public func resolve(_ other: Promise<Value>) { promise.bind(to: other, by: .resolver) }

  /// Binds the promise to another promise and calls a closure between the two settlements.
  ///
  /// - Parameters:
  ///   - other: The promise to follow, pending or settled.
  ///   - willSettle: The closure to call once, after `other` settles and before the promise does.
  ///     It is called even if the promise has already been settled in another way.
  package func resolve(_ other: Promise<Value>, willSettle: @escaping @Sendable () -> Void) {
    promise.bind(to: other, by: .resolver, willSettle: willSettle)
  }

  /// Starts the work that settles the promise.
  ///
  /// An error that `start` throws rejects the promise.
  @inlinable
  func settle(_ start: (Resolver) throws -> Void) {
    do {
      try start(self)
    } catch {
      reject(error)
    }
  }

  /// Runs `action` when the promise is cancelled, by ``Promise/cancel()`` or because it lost its
  /// last consumer.
  ///
  /// `action` runs once, on the thread that cancels, after the promise has been rejected and before
  /// its handlers run. If the promise is already cancelled, `action` runs immediately. It
  /// never runs if this resolver settled the promise. Actions run in the reverse order of their
  /// addition.
  ///
  /// - Parameter action: The closure that stops the work of the promise.
  public func onCancel(_ action: @escaping @Sendable () -> Void) { promise.onCancel(action) }

  /// Cancels work when the promise is cancelled, as ``onCancel(_:)``, and names the work in
  /// ``Promise/explanation``.
  ///
  /// - Parameter body: A closure that cancels the work if its argument is `true`, and otherwise returns
  ///   its explanation. It is one closure, so that the explanation needs no allocation.
  package func onCancelOrExplain(_ body: @escaping ExplainedWork.Body) {
    let work: any Upstream = ExplainedWork(body)
    promise.addUpstream { previous in previous.map { UpstreamGroup([work, $0]) } ?? work }
  }

  /// Whether the promise has settled, for example by cancellation.
  ///
  /// Further calls that settle the promise then have no effect.
  public var isSettled: Bool { promise.isSettled }
}

extension Resolver where Value == Void {
  /// Fulfils a promise without a value.
  public func fulfill() { fulfill(()) }
}
