import Synchronization

/// Counts what is under way, handlers in the contexts that it tracks among it, and tells when there is
/// nothing.
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

  /// Counts something more as under way, until its ticket ends.
  func begin() -> ActivityTicket {
    state.withLock { $0.underWay += 1 }
    return ActivityTicket { self.end() }
  }

  private func end() {
    let waiters = state.withLock { state in
      state.underWay -= 1
      guard state.underWay == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

extension ExecutionContext {
  /// Runs tasks so that who waits for this context's handlers waits for them; nil where nobody does.
  var activityExecutor: ActivityExecutor? {
    guard case .custom(let custom) = target, let tracked = custom as? TrackedContext else {
      return nil
    }
    return ActivityExecutor { [activity = tracked.activity] in activity.begin() }
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
    let ticket = activity.begin()
    // A handler that is dropped unrun drops its ticket with it.
    base.run {
      job()
      ticket.end()
    }
  }

  func adopting(_ explicit: ExecutionContext) -> ExecutionContext {
    activity.tracking(base.combined(with: explicit))
  }
}
