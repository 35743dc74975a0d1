import CatenaSystem

/// The lock of a token, which is released by ``release()`` or at the end of its lifetime.
///
/// A store returns one from ``TokenStoring/tryLock(_:)``. A session holds it while it refreshes the token.
public final class TokenLock: Sendable {
  private let onRelease: Mutex<(@Sendable () -> Void)?>
  /// Renews the lock, and throws ``FileLease/Lost`` if another process has taken it over.
  let renew: @Sendable () throws -> Void

  /// Creates a lock that is held.
  ///
  /// - Parameter onRelease: A closure that releases the lock. It runs once.
  public convenience init(onRelease: @escaping @Sendable () -> Void) {
    self.init(renew: {}, onRelease: onRelease)
  }

  init(renew: @escaping @Sendable () throws -> Void, onRelease: @escaping @Sendable () -> Void) {
    self.renew = renew
    self.onRelease = Mutex(onRelease)
  }

  /// Creates a lock with the lifetime of a lease.
  convenience init(_ lease: FileLease) {
    self.init(renew: { try lease.renew() }, onRelease: { lease.release() })
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
