import Synchronization

/// Counts the handlers under way in the contexts that it tracks, and tells when there are none.
final class Activity: Sendable {
  private struct State {
    var underWay = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// A context like `context`, whose handlers count from being sent until they have returned.
  func tracking(_ context: ExecutionContext) -> ExecutionContext {
    if case .custom(let custom) = context.target, let tracked = custom as? TrackedContext,
      tracked.activity === self
    {
      return context
    }
    return ExecutionContext(.custom(TrackedContext(base: context, activity: self)))
  }

  /// Returns when nothing is under way: at once, or when the last handler has returned.
  func ended() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.underWay > 0 { state.waiters.append(continuation) }
        return state.underWay == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  fileprivate func begin() {
    state.withLock { $0.underWay += 1 }
  }

  fileprivate func end() {
    let waiters = state.withLock { state in
      state.underWay -= 1
      guard state.underWay == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

private final class TrackedContext: CustomContext {
  let base: ExecutionContext
  let activity: Activity

  init(base: ExecutionContext, activity: Activity) {
    self.base = base
    self.activity = activity
  }

  func enqueue(_ job: @escaping Job) {
    activity.begin()
    let ticket = Ticket(activity)
    base.run {
      job()
      ticket.end()
    }
  }

  func adopting(_ explicit: ExecutionContext) -> ExecutionContext {
    activity.tracking(explicit)
  }

  /// Ends the activity when the handler has returned, or has been dropped unrun.
  private final class Ticket: Sendable {
    private let activity: Activity
    private let isOpen = Atomic(true)

    init(_ activity: Activity) {
      self.activity = activity
    }

    func end() {
      if isOpen.exchange(false, ordering: .relaxed) { activity.end() }
    }

    deinit {
      end()
    }
  }
}
