/// The write side of a promise: whoever holds it owes the promise a settlement.
///
/// Only the first of its calls counts; every later one is ignored, from any thread. Once it has bound
/// its promise to another by ``resolve(_:)-(Promise<Value>)``, the call has been made, though the
/// promise may be pending still.
///
/// A resolver released without any call rejects its promise with ``PromiseError/abandoned`` and reports
/// to ``PromiseDiagnostics`` where it was made, so that no promise is left pending by oversight.
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
  init(_ promise: Promise<Value>) {
    self.promise = promise
  }

  deinit {
    if !promise.isSettled { promise.abandon() }
  }

  /// Fulfils the promise with a value.
  ///
  /// - Parameter value: what the promise's handlers receive.
  @inlinable
  public func fulfill(_ value: Value) {
    promise.fulfill(value, by: .resolver)
  }

  /// Rejects the promise with an error.
  ///
  /// - Parameter error: what the promise's handlers receive.
  @inlinable
  public func reject(_ error: any Error) {
    promise.reject(error, by: .resolver)
  }

  /// Settles the promise with a result.
  ///
  /// - Parameter result: success fulfils, failure rejects.
  public func resolve(_ result: Result<Value, any Error>) {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error)
    }
  }

  /// Settles the promise with a result whose errors are of one type.
  ///
  /// - Parameter result: success fulfils, failure rejects.
  public func resolve<Failure>(_ result: Result<Value, Failure>) {
    resolve(result.mapError { $0 as any Error })
  }

  /// Binds the promise to another, whose outcome becomes its own.
  ///
  /// The promise is a consumer of `other`: when it is cancelled and nobody else waits for `other`, that
  /// is cancelled too. A promise that would wait for itself, directly or through others, rejects with
  /// ``PromiseError/cycle``.
  ///
  /// Source: Promises/A+ 2.3.
  ///
  /// - Parameter other: the promise to follow, settled or not.
  public func resolve(_ other: Promise<Value>) {
    promise.bind(to: other, by: .resolver)
  }

  /// The same, and calls something once `other` has settled, before the promise does.
  ///
  /// - Parameters:
  ///   - other: the promise to follow, settled or not.
  ///   - willSettle: called once, whoever has settled the promise.
  package func resolve(_ other: Promise<Value>, willSettle: @escaping @Sendable () -> Void) {
    promise.bind(to: other, by: .resolver, willSettle: willSettle)
  }

  /// Has `action` run when the promise is cancelled: by ``Promise/cancel()``, or because its last
  /// consumer has gone.
  ///
  /// It runs once, on the thread that cancels, after the promise has been rejected and its inline
  /// handlers have run; at once when that has happened already; never when the promise was settled by this resolver. Of several actions the
  /// last added runs first.
  ///
  /// - Parameter action: stops the work that would have settled the promise.
  public func onCancel(_ action: @escaping @Sendable () -> Void) {
    promise.onCancel(action)
  }

  /// Whether nobody needs this resolver's call any more: the promise has settled, perhaps cancelled.
  public var isSettled: Bool { promise.isSettled }
}

extension Resolver where Value == Void {
  /// Fulfils a promise of nothing.
  public func fulfill() {
    fulfill(())
  }
}
