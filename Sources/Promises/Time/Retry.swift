import CatenaSystem

/// Repeats an operation until it succeeds or its schedule allows no further retry.
///
/// ```swift
/// retry(.exponential(initial: .seconds(1), limit: 3)) { attempt in upload(part) }
/// ```
///
/// Attempts never overlap. Stack depth and memory do not grow with the number of attempts.
/// Cancelling the promise cancels the current attempt or the current delay.
///
/// - Parameters:
///   - schedule: The number of retries, the delays and the errors to retry.
///   - scheduler: The scheduler for the delays.
///   - isolation: The actor of the caller.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - body: The closure that starts an attempt. It receives the number of the attempt, from 1. The
///     first attempt starts before this function returns, unless `body` is isolated to another actor
///     than the caller. Each later one starts on the actor of `body` or, without one, on the thread
///     that settles the previous attempt or fires the timer. A thrown error fails the attempt.
/// - Returns: A promise for the first value. It is rejected with the error of the last attempt. It has
///   the context ``ExecutionContext/main``.
public func retry<Value: Sendable>(
  _ schedule: RetrySchedule, scheduler: some Scheduler = .live,
  isolation: isolated (any Actor)? = #isolation,
  file: StaticString = #fileID, line: UInt = #line,
  @_inheritActorContext _ body:
    @escaping @Sendable @isolated(any) (_ attempt: Int) throws -> Promise<Value>
) -> Promise<Value> {
  Attempts(schedule, scheduler, CallSite(file, line), StepStart(body, calledFrom: isolation))
    .result(on: .main)
}

/// Repeats an operation in a context until it succeeds or its schedule allows no further retry.
///
/// As ``retry(_:scheduler:isolation:file:line:_:)``.
///
/// - Parameters:
///   - schedule: The number of retries, the delays and the errors to retry.
///   - scheduler: The scheduler for the delays.
///   - context: The context for `body` and of the returned promise. With
///     ``ExecutionContext/inline``, the first attempt starts before this function returns.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - body: The closure that starts an attempt. It receives the number of the attempt, from 1. A
///     thrown error fails the attempt.
/// - Returns: A promise for the first value. It is rejected with the error of the last attempt.
public func retry<Value: Sendable>(
  _ schedule: RetrySchedule, scheduler: some Scheduler = .live, on context: ExecutionContext,
  file: StaticString = #fileID, line: UInt = #line,
  _ body: @escaping @Sendable (_ attempt: Int) throws -> Promise<Value>
) -> Promise<Value> {
  Attempts(schedule, scheduler, CallSite(file, line), StepStart(on: context, body))
    .result(on: context)
}

/// The sequence of attempts of one `retry`.
private final class Attempts<Value: Sendable>: Upstream {
  private let schedule: RetrySchedule
  private let scheduler: any Scheduler
  private let site: CallSite
  private let body: StepStart<Int, Value>
  /// The current attempt or the delay before the next one.
  private let current = Mutex<(any Upstream)?>(nil)

  init(
    _ schedule: RetrySchedule, _ scheduler: any Scheduler, _ site: CallSite,
    _ body: StepStart<Int, Value>
  ) {
    self.schedule = schedule
    self.scheduler = scheduler
    self.site = site
    self.body = body
  }

  /// Starts the first attempt and returns the promise for the result.
  func result(on context: ExecutionContext) -> Promise<Value> {
    let promise = Promise<Value>(
      waitingFor: self, on: scheduler.context(for: context), at: site)
    start(1, for: promise, isCallerWaiting: true)
    return promise
  }

  /// Starts an attempt.
  ///
  /// Its outcome settles `promise` or leads to the next attempt.
  private func start(_ number: Int, for promise: Promise<Value>, isCallerWaiting: Bool = false) {
    guard !promise.isSettled else { return }
    let attempt: Promise<Value>
    do {
      attempt = try body(
        number, isCallerWaiting: isCallerWaiting, inheriting: promise.context)
    } catch {
      // Wrapped in a promise, so that many throwing attempts use constant stack depth.
      attempt = .rejected(error)
    }
    follow(attempt, for: promise) { settled in
      if let error = settled.error {
        self.failed(number, with: error, for: promise)
      } else {
        promise.fulfill(settled.fulfilledValue, by: .upstream)
      }
    }
  }

  private func failed(_ number: Int, with error: any Error, for promise: Promise<Value>) {
    guard let delay = schedule.delay(beforeRetry: number, after: error) else {
      return promise.reject(error, by: .upstream)
    }
    guard delay > .zero else { return start(number + 1, for: promise) }
    let (file, line): (StaticString, UInt) =
      site.isInternal ? ("the delay before a retry", 0) : (site.staticFile, UInt(site.line))
    let wait = after(delay, scheduler: scheduler, file: file, line: line)
    follow(wait, for: promise) { settled in
      if settled.error == nil { self.start(number + 1, for: promise) }
    }
  }

  /// Calls `handle` when `step` settles, and cancels `step` when `promise` is cancelled.
  private func follow<Step: Sendable>(
    _ step: Promise<Step>, for promise: Promise<Value>,
    _ handle: @escaping @Sendable (_ settled: Promise<Step>) -> Void
  ) {
    step.addConsumer()
    let former = current.withLock { current -> (any Upstream)? in
      defer { current = step }
      return current
    }
    // Released after unlocking, because this may run a user's `deinit` or cause a report.
    withExtendedLifetime(former) {}
    step.attach(
      [],
      Reaction(for: promise) { settled, _ in
        handle(.from(settled))
        return false
      })
    if promise.isInCycle(through: step) {
      promise.rejectCycle(through: self)
    } else if promise.isSettled {
      consumerCancelled()
    }
  }

  func consumerCancelled() {
    let step = current.withLock { $0.take() }
    step?.consumerCancelled()
  }

  var upstreamLinks: UpstreamLinks { current.withLock { $0.map(UpstreamLinks.one) ?? .none } }
}
