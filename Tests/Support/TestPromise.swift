import Dispatch
package import Promises

/// The time at which a promise under test settles, relative to the attachment of its handlers.
package enum Timing: CaseIterable, Sendable {
  /// Before any handler is attached.
  case settled
  /// Immediately after the handlers are attached, on the same thread.
  case immediate
  /// After the handlers are attached, on another thread.
  case eventual
}

/// The three results of a promise under test.
package enum Outcome: CaseIterable, Sendable {
  case success
  case failure
  case cancellation

  /// 7, `TestError("upstream")` or a `CancellationError`.
  package var result: Result<Int, any Error> {
    switch self {
    case .success: .success(7)
    case .failure: .failure(TestError("upstream"))
    case .cancellation: .failure(CancellationError())
    }
  }

  /// Returns whether a result equals ``result``.
  package func matches(_ result: Result<Int, any Error>) -> Bool {
    switch (self, result) {
    case (.success, .success(7)): true
    case (.failure, .failure(let error)): error as? TestError == TestError("upstream")
    case (.cancellation, .failure(let error)): error is CancellationError
    default: false
    }
  }

  /// The failure and the cancellation.
  package static let rejections: [Outcome] = [.failure, .cancellation]
}

/// A promise with a predetermined result that settles at a given time.
package struct TestPromise<Value: Sendable>: Sendable {
  package let promise: Promise<Value>
  private let timing: Timing
  private let resolve: @Sendable () -> Void

  package init(_ outcome: Result<Value, any Error>, _ timing: Timing) {
    let (promise, resolver) = Promise<Value>.pending()
    self.promise = promise
    self.timing = timing
    resolve = { resolver.resolve(outcome) }
    if timing == .settled { resolve() }
  }

  /// Settles the promise according to its timing; called after all handlers are attached.
  package func settle() {
    switch timing {
    case .settled: break
    case .immediate: resolve()
    case .eventual: DispatchQueue.global().async(execute: resolve)
    }
  }
}

/// Applies `operation` to a promise that settles with `outcome` at the given time.
///
/// - Returns: The result of the promise that `operation` returns.
package func apply<Value: Sendable, Output: Sendable>(
  to outcome: Result<Value, any Error>, _ timing: Timing,
  _ operation: (Promise<Value>) -> Promise<Output>
) async -> Result<Output, any Error> {
  let subject = TestPromise(outcome, timing)
  let promise = operation(subject.promise)
  subject.settle()
  return await promise.result
}

/// Applies `operation` to a promise that settles with `outcome`, and to an inner promise.
///
/// The operation returns the inner promise from its handler. Both promises settle at the given
/// time.
///
/// - Returns: The result of the promise that `operation` returns.
package func apply<Value: Sendable, Inner: Sendable, Output: Sendable>(
  to outcome: Result<Value, any Error>, inner: Result<Inner, any Error>, _ timing: Timing,
  _ operation: (Promise<Value>, Promise<Inner>) -> Promise<Output>
) async -> Result<Output, any Error> {
  let subject = TestPromise(inner, timing)
  return await apply(to: outcome, timing) { promise in
    let next = operation(promise, subject.promise)
    subject.settle()
    return next
  }
}

extension Promise where Value: Sendable {
  /// Whether the promise is rejected with a `CancellationError`.
  package var isCancelled: Bool {
    if case .rejected(let error) = state { error is CancellationError } else { false }
  }

  /// The error of a rejected promise, or `nil`.
  package var rejectionError: (any Error)? {
    if case .rejected(let error) = state { error } else { nil }
  }

  /// The value of a fulfilled promise, or `nil`.
  package var fulfilledValue: Value? {
    if case .fulfilled(let value) = state { value } else { nil }
  }
}

/// An error that is identified by its name.
package struct TestError: Error, Equatable, CustomStringConvertible {
  package let name: String

  package init(_ name: String = "test") {
    self.name = name
  }

  package var description: String { "TestError(\(name))" }
}

extension Result where Failure == any Error {
  /// Returns the error as a particular type, or `nil`.
  package func failure<Expected: Error>(as type: Expected.Type = Expected.self) -> Expected? {
    if case .failure(let error) = self { error as? Expected } else { nil }
  }

  /// The error, or `nil`.
  package var error: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}
