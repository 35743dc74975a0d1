import CatenaSystem
import Foundation
import Promises

/// The stage that retries requests by their policies, within the client's budget.
///
/// It is outside the redirect stage, so a retry starts again at the original URL, with credentials
/// and cookies added again.
final class RetryStage: BuiltInStage {
  private let policy: RetryPolicy
  /// The tokens of the budget.
  ///
  /// `nil` if there is no budget, so that there is always a token.
  private let tokens: Mutex<RetryTokenBucket?>
  private let scheduler: any Scheduler
  private let wallClock: @Sendable () -> Date

  /// Makes a stage with a budget that all exchanges share.
  ///
  /// - Parameters:
  ///   - policy: The policy of requests that do not specify one.
  ///   - budget: The limit for all retries together. `nil` means no limit.
  ///   - scheduler: The source of time for delays.
  ///   - wallClock: The source of the wall clock time, which a date in `Retry-After` is compared
  ///     with.
  init(
    policy: RetryPolicy = .never, budget: RetryBudget? = RetryBudget(), scheduler: any Scheduler,
    wallClock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.policy = policy
    tokens = Mutex(budget.map { RetryTokenBucket($0) })
    self.scheduler = scheduler
    self.wallClock = wallClock
  }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard policy.limit > 0 || exchange.call.request.retry != nil else {
      return sendWithoutRetry(exchange, next)
    }
    let policy = exchange.call.request.retry ?? policy
    let exchange = addingIdempotencyKey(exchange, policy)
    guard policy.allows(exchange.request) else { return sendWithoutRetry(exchange, next) }
    return Run(stage: self, policy: policy, exchange: exchange, next: next).begin()
  }

  private func sendWithoutRetry(_ exchange: Exchange, _ next: Next) -> NetworkPromise {
    // If this is not the first attempt, an outer stage has sent the request again.
    exchange.state.begin(by: scheduler) == 1
      ? next(exchange) : exchange.recordingAttempt(next(exchange))
  }

  private func addingIdempotencyKey(_ exchange: Exchange, _ policy: RetryPolicy) -> Exchange {
    guard policy.limit > 0, let make = policy.idempotencyKey, !exchange.request.method.isIdempotent,
      !exchange.request.headers.contains(HTTPHeaders.idempotencyKeyName)
    else { return exchange }
    return copy(of: exchange) {
      $0.request.headers[HTTPHeaders.idempotencyKeyName] = $0.state.idempotencyKey(make)
    }
  }

  /// The attempts of one call.
  private struct Run: Sendable {
    let stage: RetryStage
    let policy: RetryPolicy
    let exchange: Exchange
    let next: Next
    let plan = Plan()

    /// Sends the first attempt, and retries if the policy allows it.
    func begin() -> NetworkPromise {
      exchange.state.begin(by: stage.scheduler)
      return next(attempt).followed { result in
        do {
          let response = try finalResponse(result)
          return exchange.state.attemptCount > 1 ? .fulfilled(response) : nil
        } catch {
          guard let delay = delay(after: error) else { return .fulfilled(try end(with: error)) }
          guard delay > .zero else { return retryLoop() }
          return after(delay, scheduler: stage.scheduler, file: "the delay before a retry", line: 0)
            .then(on: .inline) { retryLoop() }
        }
      }
    }

    /// The exchange of the current attempt, which discards a response that is retried.
    private var attempt: Exchange {
      guard policy.decidesByHead, exchange.state.nextRetryNumber <= policy.limit else {
        return exchange
      }
      let number = exchange.state.attemptCount
      return copy(of: exchange) {
        $0.discard { head, _ in
          guard let delay = decide(after: .success(Response(head: head, request: exchange.request)))
          else { return false }
          // The decision is kept, because the budget may be used up before the response is complete.
          let isKept = plan.state.withLock { $0.keep(delay, forAttempt: number) }
          if !isKept { stage.tokens.withLock { $0?.putBack() } }
          return isKept
        }
      }
    }

    private func retryLoop() -> NetworkPromise {
      retry(.custom { _, error in delay(after: error) }, scheduler: stage.scheduler) { _ in
        exchange.state.begin(after: plan.state.withLock { $0.delay }, by: stage.scheduler)
        return next(attempt).then(on: .inline) { response in try finalResponse(.success(response)) }
      }
      .on(.inline)
      .recover(on: .inline, policy: .allErrors) { error in try end(with: error) }
    }

    /// Returns a response that is final.
    ///
    /// Throws a response that may be retried, so that it is handled like an error.
    private func finalResponse(_ result: Result<Response, any Error>) throws -> Response {
      let response = try result.get()
      // A fresh response of the cache would be the same again.
      if response.source != .cache, policy.allowsRetry(result) {
        throw RetryableResponse(response: response)
      }
      stage.tokens.withLock { $0?.deposit() }
      return exchange.recordAttempt(response)
    }

    private func delay(after error: any Error) -> Duration? {
      let response = (error as? RetryableResponse)?.response
      // The client rejected the attempt because there is no network. A retry would be rejected too,
      // and must not use the budget.
      if response == nil, exchange.state.isRejectedLocally { return nil }
      let result: Result<Response, any Error> = response.map { .success($0) } ?? .failure(error)
      exchange.state.end(result)
      let attempt = exchange.state.attemptCount
      let decision = plan.state.withLock { $0.endAttempt(attempt) }
      guard let delay = decision ?? decide(after: result) else { return nil }
      exchange.state.countRetry()
      exchange.reportResend(after: result, delay: delay)
      plan.state.withLock { $0.delay = delay }
      return delay
    }

    /// Returns the delay before the next attempt, which is taken from the budget, or `nil`.
    private func decide(after result: Result<Response, any Error>) -> Duration? {
      let failed = FailedAttempt(
        number: exchange.state.attemptCount, request: exchange.request, result: result,
        at: stage.wallClock())
      guard !exchange.call.sessions.hasEnded,
        let delay = policy.delay(beforeRetry: exchange.state.nextRetryNumber, after: failed),
        stage.tokens.withLock({ $0?.withdraw() }) ?? true
      else { return nil }
      return delay
    }

    private func end(with error: any Error) throws -> Response {
      guard let retryable = error as? RetryableResponse else { throw exchange.recordAttempt(error) }
      return exchange.recordAttempt(retryable.response)
    }
  }

  /// A response whose request may be retried.
  private struct RetryableResponse: Error { let response: Response }

  /// The plan for the next attempt.
  private final class Plan: Sendable {
    struct State: ~Copyable {
      /// The delay after a response whose body has not arrived completely.
      private var decision: Duration?
      /// The number of the last attempt that has ended.
      private var endedAttempt = 0
      var delay = Duration.zero

      /// Keeps a decision, unless its attempt has ended meanwhile, for example by a timeout.
      mutating func keep(_ delay: Duration, forAttempt number: Int) -> Bool {
        if endedAttempt >= number { return false }
        decision = delay
        return true
      }

      mutating func endAttempt(_ number: Int) -> Duration? {
        endedAttempt = number
        return decision.take()
      }
    }

    let state = Mutex(State())
  }
}

/// The token bucket of a ``RetryBudget``.
///
/// Tokens are counted in thousandths, because tenths are not exact in binary.
struct RetryTokenBucket {
  private let capacity: Int
  private let refund: Int
  private var thousandths: Int

  init(_ budget: RetryBudget) {
    let most = Int(Int32.max)
    capacity = min(max(budget.capacity, 0), most) * 1_000
    // NaN counts as 0.
    let part = budget.refund.isNaN ? 0 : budget.refund
    refund = Int((min(max(part, 0), Double(most)) * 1_000).rounded())
    thousandths = capacity
  }

  /// Takes a token for a retry.
  ///
  /// Returns `false` if there is none.
  mutating func withdraw() -> Bool {
    guard thousandths >= 1_000 else { return false }
    thousandths -= 1_000
    return true
  }

  /// Returns a token that has not been used.
  mutating func putBack() { thousandths = min(capacity, thousandths + 1_000) }

  /// Adds the refund for a response that is not retried.
  mutating func deposit() { thousandths = min(capacity, thousandths + refund) }
}
