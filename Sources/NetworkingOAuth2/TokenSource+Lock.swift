import CatenaSystem
import Promises

/// The lock of the store.
extension TokenSource {
  /// The time for which a renewal waits for the lock of another process, which may repeat its refresh.
  private static let lockLimit = Duration.seconds(300)

  enum LockResult {
    case acquired(TokenLock)
    case found(OAuth2Token)
  }

  /// Acquires the lock of the store, or finds a token in the meantime.
  func lock(_ find: () async throws -> OAuth2Token?) async throws -> LockResult {
    let (store, key) = (store, key)
    let end = context.scheduler.now + Self.lockLimit
    var wait = Duration.milliseconds(5)
    while true {
      if let lock = try await onQueue({ try self.tryLock(store, key) }) { return .acquired(lock) }
      guard context.scheduler.now < end else {
        throw OAuth2Error(.storeFailed, "another process holds the lock of the token")
      }
      try await context.scheduler.sleep(for: wait)
      wait = min(wait * 2, .milliseconds(100))
      if let token = try await find() { return .found(token) }
    }
  }

  /// Acquires the lock of the store, and excludes the other changes of this session.
  private func tryLock(_ store: any TokenStoring, _ key: TokenKey) throws -> TokenLock? {
    guard !isChanging.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
    var lock: TokenLock?
    defer { if lock == nil { isChanging.store(false, ordering: .releasing) } }
    lock = try store.tryLock(key)
    return lock.map { lock in
      TokenLock(
        renew: lock.renew,
        onRelease: {
          lock.release()
          self.isChanging.store(false, ordering: .releasing)
        })
    }
  }
}
