import Foundation
import Promises
import Synchronization

/// Sends a request again as its policy says, as long as the client's budget lasts.
///
/// It stands outside the redirects: a repetition starts the call anew, with credentials and cookies
/// applied anew.
final class RetryStage: BuiltInStage {
  private let policy: RetryPolicy
  private let tokens: Mutex<RetryTokens>
  private let scheduler: any Scheduler
  private let wallClock: @Sendable () -> Date

  /// Makes a stage, whose budget is shared by all exchanges that go through it.
  ///
  /// - Parameters:
  ///   - policy: for the exchanges that bring none.
  ///   - budget: how many repetitions there may be in all; nil is without limit.
  ///   - scheduler: whose time is waited.
  ///   - wallClock: the time of day, which a `Retry-After` with a date is compared with.
  init(
    policy: RetryPolicy = .never, budget: RetryBudget? = RetryBudget(), scheduler: any Scheduler,
    wallClock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.policy = policy
    tokens = Mutex(RetryTokens(budget))
    self.scheduler = scheduler
    self.wallClock = wallClock
  }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard policy.limit > 0 || exchange.call.retry != nil else { return once(exchange, next) }
    let policy = exchange.call.retry ?? policy
    let exchange = keyed(exchange, policy)
    guard policy.allows(exchange.request) else { return once(exchange, next) }
    return Run(stage: self, policy: policy, exchange: exchange, next: next).begin()
  }

  private func once(_ exchange: Exchange, _ next: Next) -> NetworkPromise {
    // Further attempts there are when a stage outside this one sends the exchange again.
    exchange.call.trace.begin(by: scheduler) == 1
      ? next(exchange) : exchange.counting(next(exchange))
  }

  private func keyed(_ exchange: Exchange, _ policy: RetryPolicy) -> Exchange {
    guard policy.limit > 0, let make = policy.idempotencyKey, !exchange.request.method.isIdempotent,
      !exchange.request.headers.contains("Idempotency-Key")
    else { return exchange }
    var exchange = exchange
    exchange.request.headers["Idempotency-Key"] = exchange.call.trace.idempotencyKey(make)
    return exchange
  }

  /// One call's way through the stage.
  private struct Run: Sendable {
    let stage: RetryStage
    let policy: RetryPolicy
    let exchange: Exchange
    let next: Next
    let pause = Pause()

    /// The first attempt, which mostly is the only one, and the others where it takes them.
    func begin() -> NetworkPromise {
      exchange.call.trace.begin(by: stage.scheduler)
      return next(exchange).followed { result in
        do {
          let response = try answer(result)
          return exchange.call.trace.attemptCount > 1 ? .fulfilled(response) : nil
        } catch {
          guard let delay = delay(after: error) else { return .fulfilled(try end(with: error)) }
          return delay > .zero
            ? after(delay, scheduler: stage.scheduler).then(on: .inline) { repetitions() }
            : repetitions()
        }
      }
    }

    private func repetitions() -> NetworkPromise {
      retry(.custom { _, error in delay(after: error) }, scheduler: stage.scheduler) { _ in
        exchange.call.trace.begin(after: pause.take(), by: stage.scheduler)
        return next(exchange).then(on: .inline) { response in try answer(.success(response)) }
      }
      .on(.inline)
      .recover(on: .inline, policy: .allErrors) { error in try end(with: error) }
    }

    /// The response to go on with; whether any other is repeated is decided where that of an error is.
    private func answer(_ result: Result<Response, any Error>) throws -> Response {
      let response = try result.get()
      if policy.couldRepeat(result) { throw Undecided(response: response) }
      stage.tokens.withLock { $0.deposit() }
      return exchange.counted(response)
    }

    private func delay(after error: any Error) -> Duration? {
      let response = (error as? Undecided)?.response
      // That there is no network here is known without an attempt, and no budget is spent on it.
      if response == nil, exchange.call.trace.isHeldBack { return nil }
      let result: Result<Response, any Error> = response.map { .success($0) } ?? .failure(error)
      exchange.call.trace.end(result)
      let failed = FailedAttempt(
        number: exchange.call.trace.attemptCount, request: exchange.request, result: result,
        retryAfter: response.flatMap { RetryAfter.delay(in: $0.headers, now: stage.wallClock()) })
      let repetition = exchange.call.trace.nextRepetition
      guard let delay = policy.delay(beforeRepetition: repetition, after: failed),
        stage.tokens.withLock({ $0.withdraw() })
      else { return nil }
      exchange.call.trace.repeats()
      exchange.events?.add(
        .retrying(
          after: delay, because: NetworkEvent.Failure(failed.error), attempt: failed.number + 1))
      pause.set(delay)
      return delay
    }

    private func end(with error: any Error) throws -> Response {
      guard let undecided = error as? Undecided else { throw exchange.counted(error) }
      return exchange.counted(undecided.response)
    }
  }

  /// A response that is repeated, or else the answer.
  private struct Undecided: Error {
    let response: Response
  }

  /// How long was waited before the attempt that comes next.
  private final class Pause: Sendable {
    private let delay = Mutex(Duration.zero)

    func set(_ delay: Duration) { self.delay.withLock { $0 = delay } }

    func take() -> Duration {
      delay.withLock { delay in
        defer { delay = .zero }
        return delay
      }
    }
  }
}
