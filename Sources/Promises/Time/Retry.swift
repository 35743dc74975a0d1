import Synchronization

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
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - body: The closure that starts an attempt. It receives the number of the attempt, from 1. The
///     first attempt starts before this function returns. Each later one starts on the thread that
///     settles the previous attempt or fires the timer. A thrown error fails the attempt.
/// - Returns: A promise for the first value. It is rejected with the error of the last attempt.
public func retry<Value>(
  _ schedule: RetrySchedule, scheduler: some Scheduler = .live,
  file: StaticString = #fileID, line: UInt = #line,
  _ body: @escaping @Sendable (_ attempt: Int) throws -> Promise<Value>
) -> Promise<Value> {
  let site = CallSite(file, line)
  let attempts = Attempts(schedule, scheduler, site, body)
  let promise = Promise<Value>(
    waitingFor: attempts, on: scheduler.context(for: .main), at: site)
  attempts.start(1, for: promise)
  return promise
}

/// The sequence of attempts of one `retry`.
private final class Attempts<Value: Sendable>: Upstream {
  private let schedule: RetrySchedule
  private let scheduler: any Scheduler
  private let site: CallSite
  private let body: @Sendable (Int) throws -> Promise<Value>
  /// The current attempt or the delay before the next one.
  private let current = Mutex<(any Upstream)?>(nil)

  init(
    _ schedule: RetrySchedule, _ scheduler: any Scheduler, _ site: CallSite,
    _ body: @escaping @Sendable (Int) throws -> Promise<Value>
  ) {
    self.schedule = schedule
    self.scheduler = scheduler
    self.site = site
    // Captures the scope, because later attempts start on other threads.
    self.body = HandlerScope.capturing(body)
  }

  /// Starts an attempt.
  ///
  /// Its outcome settles `promise` or leads to the next attempt.
  func start(_ number: Int, for promise: Promise<Value>) {
    guard !promise.isSettled else { return }
    let attempt: Promise<Value>
    do {
      attempt = try body(number)
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
    let wait = after(delay, scheduler: scheduler)
    follow(wait, for: promise) { settled in
      if settled.error == nil { self.start(number + 1, for: promise) }
    }
  }

  /// Calls `handle` when `step` settles, and cancels `step` when `promise` is cancelled.
  private func follow<Step>(
    _ step: Promise<Step>, for promise: Promise<Value>,
    _ handle: @escaping @Sendable (_ settled: Promise<Step>) -> Void
  ) {
    step.addConsumer()
    // Released after unlocking.
    let previous = current.withLock { current in
      defer { current = step }
      return current
    }
    withExtendedLifetime(previous) {}
    step.attach(
      [],
      Reaction(for: promise) { settled, _ in
        handle(.from(settled))
        return false
      })
    if promise.isInCycle(through: step) { promise.reject(PromiseError.cycle, by: .consumer) }
    if promise.isSettled { consumerCancelled() }
  }

  func consumerCancelled() {
    let step = current.withLock { $0.take() }
    step?.consumerCancelled()
  }

  var upstreamLinks: UpstreamLinks {
    current.withLock { $0.map(UpstreamLinks.one) ?? .none }
  }
}
