import Dispatch
import Synchronization

/// Two threads that share the work on a range of indices, kept so that making them is not measured.
final class ThreadPair: Sendable {
  private let starts = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
  private let ended = DispatchSemaphore(value: 0)
  /// Written while both threads wait, and read by them after the semaphore has let them go on.
  private let work = Mutex<@Sendable (_ half: Int) -> Void>({ _ in })

  init() {
    for (half, start) in starts.enumerated() {
      // A thread for each, so that both run at the same time whatever the pool is doing.
      DispatchQueue(label: "settler \(half)").async { [self] in
        while true {
          start.wait()
          work.withLock { $0 }(half)
          ended.signal()
        }
      }
    }
  }

  /// Calls `body` with each index below `count`, the lower half on one thread and the upper on the
  /// other, and returns when both have ended.
  func halve(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
    work.withLock {
      $0 = { half in
        for index in (half * count / 2)..<((half + 1) * count / 2) { body(index) }
      }
    }
    for start in starts { start.signal() }
    for _ in starts { ended.wait() }
  }
}
