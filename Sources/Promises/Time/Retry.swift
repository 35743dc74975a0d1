import Synchronization

/// Does something until it succeeds or a schedule gives up.
///
/// ```swift
/// retry(.exponential(initial: .seconds(1), limit: 3)) { attempt in upload(part) }
/// ```
///
/// Attempts follow one another; there is never more than one. However many there are, they take no
/// more stack and memory than one. Cancelling the promise cancels the attempt under way, or the wait.
///
/// - Parameters:
///   - schedule: how often, when and after which errors to try again.
///   - scheduler: whose time counts.
///   - file: where the promise was made, for diagnostics.
///   - line: where the promise was made, for diagnostics.
///   - body: starts an attempt, and gets its number, from 1. The first runs here and now, the others
///     where the promise before or the timer settles. Throwing is failing.
/// - Returns: a promise of the first value, rejected with the last attempt's error.
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

/// The attempts of one `retry`, of which one is under way at a time.
private final class Attempts<Value: Sendable>: Upstream {
  private let schedule: RetrySchedule
  private let scheduler: any Scheduler
  private let site: CallSite
  private let body: @Sendable (Int) throws -> Promise<Value>
  /// The attempt under way, or the wait for the next.
  private let current = Mutex<(any Upstream)?>(nil)

  init(
    _ schedule: RetrySchedule, _ scheduler: any Scheduler, _ site: CallSite,
    _ body: @escaping @Sendable (Int) throws -> Promise<Value>
  ) {
    self.schedule = schedule
    self.scheduler = scheduler
    self.site = site
    // Later attempts are made wherever the one before ends.
    self.body = HandlerScope.capturing(body)
  }

  /// Starts an attempt, whose outcome settles `promise` or leads to the next.
  func start(_ number: Int, for promise: Promise<Value>) {
    guard !promise.isSettled else { return }
    let attempt: Promise<Value>
    do {
      attempt = try body(number)
    } catch {
      // A promise too, so that a thousand throwing attempts take no deeper stack than one.
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

  /// Makes `step` what cancelling `promise` cancels, and has `handle` called with it when it settles.
  private func follow<Step>(
    _ step: Promise<Step>, for promise: Promise<Value>,
    _ handle: @escaping @Sendable (_ settled: Promise<Step>) -> Void
  ) {
    step.addConsumer()
    // The one before is released after unlocking.
    let before = current.withLock { current in
      defer { current = step }
      return current
    }
    withExtendedLifetime(before) {}
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
