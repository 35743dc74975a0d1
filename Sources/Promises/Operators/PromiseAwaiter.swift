import CatenaSystem

/// A task that awaits a promise, as one of its consumers.
///
/// The task is resumed once: when the promise has settled, or when the task is cancelled before.
///
/// `@unchecked Sendable` because each variable is protected by `state`: `continuation` is written before
/// the state becomes `waiting`, and the thread that ends the wait is the only one that then uses both.
@usableFromInline
final class PromiseAwaiter: Settleable, @unchecked Sendable {
  private enum State {
    /// The task has not suspended yet.
    static let starting: UInt8 = 0
    static let waiting: UInt8 = 1
    static let settled: UInt8 = 2
    static let cancelled: UInt8 = 3
  }

  private let state = Atomic(State.starting)
  private var continuation: TaskContinuation<Void>?
  /// The awaited promise, until the wait ends.
  private var promise: (any Settleable & Upstream)?

  /// Creates an awaiter, to which the promise must get a reaction that calls ``promiseSettled()``.
  ///
  /// - Parameter promise: The promise.
  @usableFromInline
  init(of promise: any Settleable & Upstream) { self.promise = promise }

  /// Suspends the current task until the promise has settled or the task is cancelled.
  ///
  /// - Parameter promise: The promise to be one of the ``AwaitedPromises`` meanwhile. `nil` adds none.
  /// - Returns: `false` if the task was cancelled first. The promise may then be pending.
  @usableFromInline
  func wait(listing promise: (any Settleable & Upstream)? = nil) async -> Bool {
    let awaited = AwaitedPromises.current
    let number = promise.flatMap { awaited?.add($0) }
    await withTaskCancellationHandler {
      await TaskContinuation.wait(isolation: nil) { continuation in
        self.continuation = continuation
        let (isWaiting, _) = state.compareExchange(
          expected: State.starting, desired: State.waiting, ordering: .acquiringAndReleasing)
        if !isWaiting { resume() }
      }
    } onCancel: {
      cancel()
    }
    if let number { awaited?.remove(number) }
    return state.load(ordering: .acquiring) == State.settled
  }

  private func resume() { continuation.take()?.resume() }

  /// Ends the wait unless it has ended.
  ///
  /// - Parameter end: The new state.
  /// - Returns: Whether the task has suspended. `nil` if the wait has ended before.
  private func end(_ end: UInt8) -> Bool? {
    var last = State.starting
    while last < State.settled {
      let (isEnded, current) = state.compareExchange(
        expected: last, desired: end, ordering: .acquiringAndReleasing)
      if isEnded { return last == State.waiting }
      last = current
    }
    return nil
  }

  /// Resumes the task because the promise has settled.
  @usableFromInline
  func promiseSettled() {
    guard let hasSuspended = end(State.settled) else { return }
    promise = nil
    if hasSuspended { resume() }
  }

  /// Removes the task as a consumer of the promise, and then resumes it, because it is cancelled.
  @usableFromInline
  func cancel() {
    guard let hasSuspended = end(State.cancelled), let promise = promise.take() else { return }
    Trampoline.depart(from: promise, delivering: hasSuspended ? self : nil)
  }

  @usableFromInline
  func deliver(on trampoline: Trampoline.Current) {
    if trampoline.pointee.step != nil { Trampoline.note(nil) }
    resume()
  }

  @usableFromInline var isSettled: Bool { state.load(ordering: .acquiring) >= State.settled }
  @usableFromInline var site: CallSite { CallSite(#fileID, #line) }
  @usableFromInline var settlementStep: TraceStep? { nil }
  @usableFromInline func abandon() { cancel() }
}
