import CatenaSystem
import Dispatch
public import Promises

extension CookieJar {
  /// Writes all changes to the file, merges the changes of other processes, and waits until the
  /// handlers have received all changes.
  ///
  /// Writing is automatic. Use this method before the process ends, to notice errors, and to read
  /// cookies that another process has written. A jar in memory only waits for its handlers.
  ///
  /// - Returns: A promise that is fulfilled when the changes made before the call are in the file. It
  ///   is rejected with ``NetworkError``, with the code
  ///   ``NetworkError/Code-swift.enum/cookieFileFailed``, if the file cannot be read or written. The
  ///   changes are kept, and written with the next change or call.
  public func synchronize() -> Promise<Void> {
    let (promise, resolver) = Promise<Void>.pending(on: .inline)
    fileQueue.async {
      let result = self.save()
      self.observerQueue.async {
        // Another thread may have recorded changes and not started their delivery yet.
        self.deliver()
        resolver.resolve(result)
      }
    }
    return promise
  }

  /// Schedules a write of the unsaved changes.
  func scheduleSave(after delay: Duration) {
    let save: @Sendable () -> Void = {
      self.fileQueue.async {
        let isUnsaved = self.state.withLock { $0.saving?.begin(at: self.scheduler.now) ?? false }
        if isUnsaved { _ = self.save() }
      }
    }
    if delay > .zero { _ = scheduler.schedule(after: delay, save) } else { save() }
  }

  /// Merges the changes into the file, and those of other processes into the jar.
  ///
  /// It runs on `fileQueue`.
  private func save() -> Result<Void, any Error> {
    guard let file else { return .success(()) }
    var saved: Set<Cookie.Key> = []
    var written: [Cookie] = []
    do {
      try file.update { found in
        let (store, keys) = merge(found)
        saved = keys
        written = store.cookies.filter { $0.expires != nil }
        return written
      }
      state.withLock { $0.saving?.content = written }
      return .success(())
    } catch {
      state.withLock { $0.saving?.restore(saved) }
      return .failure(error)
    }
  }

  /// Merges the changes of other processes into the jar, and takes the unsaved changes.
  ///
  /// Both happen under one lock: a cookie that is stored in between would otherwise be taken for one
  /// that another process has removed.
  ///
  /// - Parameter found: The cookies in the file, or `nil` if there is no file.
  /// - Returns: The store to write, and the keys of the unsaved changes in it.
  private func merge(_ found: [Cookie]?) -> (store: CookieStore, saved: Set<Cookie.Key>) {
    let isUnchanged = found == state.withLock { $0.saving?.content }
    let foundKeys = isUnchanged ? [] : Set((found ?? []).map(\.key))
    return changeState { state, now, changes in
      let unsaved = state.saving?.takeUnsaved() ?? []
      changes = state.store.removeExpired(at: now)
      // Fast path: no other process has written. Requests wait for the lock.
      if let found, !isUnchanged {
        changes += state.store.removeAll(because: .removedFromFile) { cookie in
          cookie.expires != nil && !foundKeys.contains(cookie.key) && !unsaved.contains(cookie.key)
        }
        for cookie in found where !unsaved.contains(cookie.key) {
          changes += state.store.set(cookie.limited(at: now), at: now, isUse: false)
        }
      }
      return ((state.store, unsaved), saveDelay: nil)
    }
  }
}

/// The record of the changes that are not in the file: a state machine.
struct CookieSaving {
  /// The time between the starts of two automatic writes.
  static let interval = Duration.seconds(1)

  /// The cookies of the file when this jar last read or wrote it.
  ///
  /// `nil` if there was no file.
  var content: [Cookie]?
  /// The keys of the cookies that have changed since the file was written.
  private var unsaved: Set<Cookie.Key> = []
  /// The start of the last automatic write.
  private var lastStart: Duration?
  private var isScheduled = false

  init(content: [Cookie]?) { self.content = content }

  /// Records changes.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - now: The time of the jar's scheduler.
  /// - Returns: The delay of the next write, or `nil` if it has been scheduled already.
  mutating func record(_ changes: [CookieJar.Change], at now: Duration) -> Duration? {
    for change in changes where change.isPersistent { unsaved.insert(change.cookie.key) }
    guard !isScheduled, !unsaved.isEmpty else { return nil }
    isScheduled = true
    return lastStart.map { max($0 + Self.interval - now, .zero) } ?? .zero
  }

  /// Starts a scheduled write.
  ///
  /// - Returns: Whether there is something to write. ``CookieJar/synchronize()`` may have written it.
  mutating func begin(at now: Duration) -> Bool {
    isScheduled = false
    guard !unsaved.isEmpty else { return false }
    lastStart = now
    return true
  }

  /// Returns the keys of the unsaved changes, and forgets them.
  mutating func takeUnsaved() -> Set<Cookie.Key> {
    defer { unsaved = [] }
    return unsaved
  }

  /// Adds the keys of changes that could not be written.
  mutating func restore(_ keys: Set<Cookie.Key>) { unsaved.formUnion(keys) }
}

extension CookieJar.Change {
  /// Whether the change affects the file.
  fileprivate var isPersistent: Bool {
    switch self {
    case .stored(let cookie, let old): cookie.expires != nil || old?.expires != nil
    case .removed(let cookie, _): cookie.expires != nil
    }
  }
}
