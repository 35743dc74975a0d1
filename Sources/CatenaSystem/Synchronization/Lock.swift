#if canImport(Darwin) || CATENA_LOCKS
  public import CCatenaSystem

  /// A lock without a value, in the memory of its owner.
  ///
  /// ``Mutex`` protects one value. An owner of several properties that one lock protects reads and
  /// writes them in ``withLock(_:)`` only. The lock is not recursive.
  ///
  /// `@unchecked Sendable` because the bytes are protected by the system: only its functions use them.
  @usableFromInline
  package struct Lock: ~Copyable, @unchecked Sendable {
    @usableFromInline let storage: Storage

    /// Creates an open lock.
    @inlinable
    package init() {
      storage = Storage()
      catena_lock_init(storage.address)
    }

    deinit { catena_lock_destroy(storage.address) }

    /// Waits until no other thread has the lock, and takes it.
    @inlinable package borrowing func lock() { catena_lock_lock(storage.address) }

    /// Releases the lock on the thread that has taken it.
    @inlinable package borrowing func unlock() { catena_lock_unlock(storage.address) }

    /// The bytes of a lock, which stay at one address while the owner lives.
    @usableFromInline
    @_rawLayout(like: CatenaLock)
    struct Storage: ~Copyable {
      @inlinable init() {}

      @inlinable var address: UnsafeMutablePointer<CatenaLock> { rawAddress(of: self) }
    }
  }

  /// Returns the address of a value with a raw layout, which is not copied to be borrowed.
  @inlinable @inline(__always)
  func rawAddress<Storage: ~Copyable, Element>(
    of storage: borrowing Storage
  ) -> UnsafeMutablePointer<Element> {
    withUnsafePointer(to: storage) { pointer in
      UnsafeMutableRawPointer(mutating: UnsafeRawPointer(pointer))
        .assumingMemoryBound(to: Element.self)
    }
  }
#else
  // `Mutex` and `Atomic`, for this module and all that import it.
  @_exported public import Synchronization

  /// A lock without a value, as above.
  @usableFromInline
  package struct Lock: ~Copyable, Sendable {
    @usableFromInline let mutex = Mutex<Void>(())

    @inlinable package init() {}

    @inlinable package borrowing func lock() { mutex._unsafeLock() }

    @inlinable package borrowing func unlock() { mutex._unsafeUnlock() }
  }
#endif

extension Lock {
  /// Runs a closure while no other thread runs one under the lock.
  ///
  /// - Parameter body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
