import CatenaSystem

/// A mutable value that the closures of mocks share, such as the boards of a mocked backend.
///
/// ```swift
/// let titles = MockState<[JSON]>([])
/// let routes = [
///   Route(.get, "/boards") { _ in .json(.array(titles.value)) },
///   Route(.post, "/boards") { request in
///     let board = try request.decode(JSON.self)
///     titles.withValue { $0.append(board["title"]) }
///     return .status(201)
///   },
/// ]
/// ```
///
/// All members may be used from any thread. A lock serializes the accesses.
public final class MockState<Value: Sendable>: Sendable {
  private let current: Mutex<Value>
  private let initial: Value

  /// Creates a state.
  ///
  /// - Parameter value: The initial value. ``reset()`` restores it.
  public init(_ value: Value) {
    current = Mutex(value)
    initial = value
  }

  /// The current value.
  ///
  /// To change it based on its current value, use ``withValue(_:)``.
  public var value: Value {
    get { current.withLock { $0 } }
    set { withExtendedLifetime(current.withLock { swap(&$0, newValue) }) {} }
  }

  /// Reads or changes the value atomically.
  ///
  /// - Parameter body: A closure that receives the value. It runs under a lock and must not use
  ///   this state.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`. Changes made before the error remain.
  public func withValue<Result: Sendable, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try current.withLock { value throws(Failure) in try body(&value) }
  }

  /// Restores the initial value.
  public func reset() {
    value = initial
  }
}

/// Replaces a value and returns the old one, so that it is released after unlocking.
private func swap<Value>(_ value: inout Value, _ new: Value) -> Value {
  defer { value = new }
  return value
}
