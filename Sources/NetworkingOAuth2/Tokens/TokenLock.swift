import CatenaSystem

/// The lock of a token, which is released by ``release()`` or at the end of its lifetime.
///
/// A store returns one from ``TokenStoring/tryLock(_:)``. A session holds it while it refreshes the token.
public final class TokenLock: Sendable {
  private let onRelease: Mutex<(@Sendable () -> Void)?>

  /// Creates a lock that is held.
  ///
  /// - Parameter onRelease: A closure that releases the lock. It runs once.
  public init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = Mutex(onRelease)
  }

  /// Creates a lock with the lifetime of a lease.
  convenience init(_ lease: FileLease) {
    self.init { lease.release() }
  }

  deinit {
    release()
  }

  /// Releases the lock.
  ///
  /// Repeated calls are no-ops.
  public func release() {
    onRelease.withLock { $0.take() }?()
  }
}
