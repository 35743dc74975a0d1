#if os(Linux) || os(macOS)
  import Foundation
  import Synchronization

  /// Waits for the end of one child of this process, and stands between its number and those who signal it.
  final class ChildReaper: Sendable {
    private struct State {
      var status: ChildProcess.Status?
      var waiters: [CheckedContinuation<ChildProcess.Status, Never>] = []
    }

    private let child: pid_t
    private let state = Mutex(State())

    /// Waits on a thread of its own.
    init(of child: pid_t) {
      self.child = child
      Thread.detachNewThread { [self] in reap() }
    }

    /// How it has ended, once it has.
    var status: ChildProcess.Status {
      get async {
        await withCheckedContinuation { continuation in
          let status = state.withLock { state in
            if state.status == nil { state.waiters.append(continuation) }
            return state.status
          }
          if let status { continuation.resume(returning: status) }
        }
      }
    }

    /// Sends it a signal, unless it has ended: its number may be another's by then.
    func signal(_ number: Int32) {
      state.withLock { state in
        if state.status == nil { _ = kill(child, number) }
      }
    }

    private func reap() {
      // First it is waited for and left as it is, so that the lock is not held while it runs, and its
      // number is given back under the lock.
      var info = siginfo_t()
      while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      let (status, waiters) = state.withLock { state in
        var word: Int32 = 0
        while waitpid(child, &word, 0) < 0, errno == EINTR {}
        let status = ChildProcess.Status(word: word)
        defer { state.waiters = [] }
        state.status = status
        return (status, state.waiters)
      }
      for waiter in waiters { waiter.resume(returning: status) }
    }
  }
#endif
