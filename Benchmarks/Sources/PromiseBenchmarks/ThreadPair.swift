import Dispatch
import Synchronization

/// Two threads that share the work on a range of indices, reused so that their creation is not measured.
final class ThreadPair: Sendable {
  private let starts = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
  private let ended = DispatchSemaphore(value: 0)
  /// Written while both threads wait, and read by them after the semaphore has resumed them.
  private let work = Mutex<@Sendable (_ half: Int) -> Void>({ _ in })

  init() {
    for (half, start) in starts.enumerated() {
      // A queue for each half, so that both threads run at the same time.
      DispatchQueue(label: "settler \(half)").async { [self] in
        while true {
          start.wait()
          work.withLock { $0 }(half)
          ended.signal()
        }
      }
    }
  }

  /// Calls `body` with each index below `count`, and returns when both threads have finished.
  ///
  /// One thread takes the lower half of the indices, the other the upper half.
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
