import Foundation
import Promises
import Synchronization

/// Sends a request again as its policy says, as long as the client's budget lasts.
///
/// It stands outside the redirects: a repetition starts the call anew, with credentials and cookies
/// applied anew.
final class RetryStage: BuiltInStage {
  private let policy: RetryPolicy
  private let tokens: Mutex<RetryTokenBucket>
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
    tokens = Mutex(RetryTokenBucket(budget))
    self.scheduler = scheduler
    self.wallClock = wallClock
  }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard policy.limit > 0 || exchange.call.endpoint.retry != nil else {
      return sendWithoutRetry(exchange, next)
    }
    let policy = exchange.call.endpoint.retry ?? policy
    let exchange = addingIdempotencyKey(exchange, policy)
    guard policy.allows(exchange.request) else { return sendWithoutRetry(exchange, next) }
    return Run(stage: self, policy: policy, exchange: exchange, next: next).begin()
  }

  private func sendWithoutRetry(_ exchange: Exchange, _ next: Next) -> NetworkPromise {
    // Further attempts there are when a stage outside this one sends the exchange again.
    exchange.state.begin(by: scheduler) == 1
      ? next(exchange) : exchange.recordingAttempt(next(exchange))
  }

  private func addingIdempotencyKey(_ exchange: Exchange, _ policy: RetryPolicy) -> Exchange {
    guard policy.limit > 0, let make = policy.idempotencyKey, !exchange.request.method.isIdempotent,
      !exchange.request.headers.contains(HTTPHeaders.idempotencyKeyName)
    else { return exchange }
    var exchange = exchange
    exchange.request.headers[HTTPHeaders.idempotencyKeyName] = exchange.state.idempotencyKey(make)
    return exchange
  }

  /// One call's way through the stage.
  private struct Run: Sendable {
    let stage: RetryStage
    let policy: RetryPolicy
    let exchange: Exchange
    let next: Next
    let pause = PendingDelay()

    /// The first attempt, which mostly is the only one, and the others where it takes them.
    func begin() -> NetworkPromise {
      exchange.state.begin(by: stage.scheduler)
      return next(exchange).followed { result in
        do {
          let response = try finalResponse(result)
          return exchange.state.attemptCount > 1 ? .fulfilled(response) : nil
        } catch {
          guard let delay = delay(after: error) else { return .fulfilled(try end(with: error)) }
          return delay > .zero
            ? after(delay, scheduler: stage.scheduler).then(on: .inline) { retryLoop() }
            : retryLoop()
        }
      }
    }

    private func retryLoop() -> NetworkPromise {
      retry(.custom { _, error in delay(after: error) }, scheduler: stage.scheduler) { _ in
        exchange.state.begin(after: pause.take(), by: stage.scheduler)
        return next(exchange).then(on: .inline) { response in try finalResponse(.success(response))
        }
      }
      .on(.inline)
      .recover(on: .inline, policy: .allErrors) { error in try end(with: error) }
    }

    /// The response to go on with; whether any other is repeated is decided where that of an error is.
    private func finalResponse(_ result: Result<Response, any Error>) throws -> Response {
      let response = try result.get()
      if policy.allowsRetry(result) { throw RetryableResponse(response: response) }
      stage.tokens.withLock { $0.deposit() }
      return exchange.recordAttempt(response)
    }

    private func delay(after error: any Error) -> Duration? {
      let response = (error as? RetryableResponse)?.response
      // That there is no network here is known without an attempt, and no budget is spent on it.
      if response == nil, exchange.state.isRefusedLocally { return nil }
      let result: Result<Response, any Error> = response.map { .success($0) } ?? .failure(error)
      exchange.state.end(result)
      let failed = FailedAttempt(
        number: exchange.state.attemptCount, request: exchange.request, result: result,
        retryAfter: response.flatMap { RetryAfter.delay(in: $0.headers, now: stage.wallClock()) })
      let retryNumber = exchange.state.nextRetryNumber
      guard let delay = policy.delay(beforeRetry: retryNumber, after: failed),
        stage.tokens.withLock({ $0.withdraw() })
      else { return nil }
      exchange.state.countRetry()
      exchange.events?.add(
        .retrying(
          after: delay, because: NetworkEvent.Failure(failed.error), attempt: failed.number + 1))
      pause.set(delay)
      return delay
    }

    private func end(with error: any Error) throws -> Response {
      guard let undecided = error as? RetryableResponse else { throw exchange.recordAttempt(error) }
      return exchange.recordAttempt(undecided.response)
    }
  }

  /// A response that is repeated, or else the answer.
  private struct RetryableResponse: Error {
    let response: Response
  }

  /// How long was waited before the attempt that comes next.
  private final class PendingDelay: Sendable {
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

/// The bucket of a ``RetryBudget``, counted in thousandths, as tenths do not add up in binary; without
/// one there is always a token.
struct RetryTokenBucket {
  private let isLimited: Bool
  private let capacity: Int
  private let refund: Int
  private var thousandths: Int

  init(_ budget: RetryBudget?) {
    isLimited = budget != nil
    let budget = budget ?? RetryBudget()
    let most = Int(Int32.max)
    capacity = min(max(budget.capacity, 0), most) * 1_000
    // What is no number is nothing.
    let part = budget.refund.isNaN ? 0 : budget.refund
    refund = Int((min(max(part, 0), Double(most)) * 1_000).rounded())
    thousandths = capacity
  }

  /// Takes a token for a repetition; false when there is none.
  mutating func withdraw() -> Bool {
    guard isLimited else { return true }
    guard thousandths >= 1_000 else { return false }
    thousandths -= 1_000
    return true
  }

  /// Gives back what an answer is worth.
  mutating func deposit() {
    thousandths = min(capacity, thousandths + refund)
  }
}

/// How many repetitions a client allows itself over all its calls, so that an outage is not multiplied.
///
/// It is a bucket of tokens, full at first. Each repetition takes one token, and each answer that need
/// not be repeated gives back a part of one. With no whole token left nothing is tried again, whatever
/// the policies say, until answers have come: so against a server that is down the repetitions are at
/// most ``capacity`` in all, and against one that fails now and then about ``refund`` of the answers.
///
/// Finagle's retry budgets and gRPC's retry throttling work this way; gRPC counts failures rather than
/// repetitions and stops at half a bucket.
///
/// Source: gRPC proposal A6, throttling retry attempts.
public struct RetryBudget: Sendable, Hashable {
  /// How many tokens the bucket holds; none is no repetition at all.
  public var capacity: Int
  /// What part of a token an answer gives back, to a thousandth.
  public var refund: Double

  /// Makes a budget.
  ///
  /// - Parameters:
  ///   - capacity: how many tokens the bucket holds.
  ///   - refund: what part of a token an answer gives back.
  public init(capacity: Int = 10, refund: Double = 0.1) {
    self.capacity = capacity
    self.refund = refund
  }
}
