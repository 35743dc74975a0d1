import Synchronization

/// A value that the closures of mocks share, such as the boards that a mocked backend has.
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
/// Everything may be called from any thread; calls come one after the other.
public final class MockState<Value: Sendable>: Sendable {
  private let current: Mutex<Value>
  private let initial: Value

  /// Makes a state.
  ///
  /// - Parameter value: what it begins with, and goes back to by ``reset()``.
  public init(_ value: Value) {
    current = Mutex(value)
    initial = value
  }

  /// What it is at this moment.
  ///
  /// To change it by what it is, use ``withValue(_:)``.
  public var value: Value {
    get { current.withLock { $0 } }
    set { withExtendedLifetime(current.withLock { swap(&$0, newValue) }) {} }
  }

  /// Looks at the value or changes it, with nobody in between.
  ///
  /// - Parameter body: gets the value. It runs under a lock, so it must not use this state itself.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; what it has changed until then remains.
  public func withValue<Result: Sendable, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try current.withLock { value throws(Failure) in try body(&value) }
  }

  /// Goes back to what it began with.
  public func reset() {
    value = initial
  }
}

/// Puts a new value in the place of one that is returned, to be released after unlocking.
private func swap<Value>(_ value: inout Value, _ new: Value) -> Value {
  defer { value = new }
  return value
}
