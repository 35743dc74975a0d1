#if canImport(Darwin) || CATENA_LOCKS
  /// A value that one thread at a time reads or writes.
  ///
  /// The interface is that of the type in Swift's module Synchronization, which needs macOS 15 and
  /// iOS 18. The value and the lock are in one allocation.
  package struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let storage: Storage

    /// Creates a mutex.
    ///
    /// - Parameter initialValue: The value.
    package init(_ initialValue: consuming sending Value) { storage = Storage(initialValue) }

    /// Runs a closure with the value while no other thread runs one.
    ///
    /// - Parameter body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try storage.withLock(body)
    }

    /// The value and its lock.
    ///
    /// `@unchecked Sendable` because the value is protected by `lock`.
    private final class Storage: @unchecked Sendable {
      private let lock = Lock()
      @exclusivity(unchecked)
      private var value: Value

      init(_ value: consuming sending Value) { self.value = value }

      func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
      ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
      }
    }
  }
#endif
