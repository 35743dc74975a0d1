#if os(Linux)
  import Synchronization
  import TestSupport

  /// Keeps handlers of a backend until a test lets them go, or their clients leave.
  final class Gate: Sendable {
    private struct State {
      var openings = 0
      var waiters: [(count: Int, isFree: Log<Void>)] = []
    }

    /// The handlers that have been cancelled, as their clients have left.
    let cancelled = Log<Void>()
    private let state = Mutex(State())

    /// Opens the gate once more.
    func open() {
      let freed = state.withLock { state in
        state.openings += 1
        return state.waiters.filter { $0.count <= state.openings }
      }
      for waiter in freed { waiter.isFree.append(()) }
    }

    /// Waits until the gate has been opened so many times, or the task is cancelled.
    func pass(_ count: Int = 1) async {
      let isFree = Log<Void>()
      let isOpen = state.withLock { state in
        state.waiters.append((count, isFree))
        return count <= state.openings
      }
      if isOpen { return }
      await withTaskCancellationHandler {
        _ = await isFree.entries(1)
      } onCancel: {
        cancelled.append(())
        isFree.append(())
      }
    }
  }
#endif
