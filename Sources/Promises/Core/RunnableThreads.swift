import CatenaSystem

/// The threads of this process that have work to do, or wait for a processor to do it.
///
/// On a busy machine, a thread with work may wait for tens of milliseconds.
enum RunnableThreads {
  /// Whether another thread than the current one can run.
  ///
  /// `false` on platforms other than Linux.
  static var exist: Bool {
    #if os(Linux) || os(Android)
      let threads = (try? FileSystem().names(in: "/proc/self/task")) ?? []
      var runnable = threads.lazy.filter { isRunnable($0.text) }.makeIterator()
      // The current thread is one of them.
      return runnable.next() != nil && runnable.next() != nil
    #else
      return false
    #endif
  }

  /// Returns whether a thread has the state `R`, which follows its name in parentheses.
  private static func isRunnable(_ thread: String) -> Bool {
    guard let status = try? OpenFile("/proc/self/task/\(thread)/stat").read(128),
      let end = status.lastIndex(of: UInt8(ascii: ")"))
    else { return false }
    return status[end...].dropFirst(2).first == UInt8(ascii: "R")
  }
}
