public import Foundation
public import Promises

/// The rules for retrying failed requests: the retryable requests and failures, the number of
/// retries and the delays.
///
/// ```swift
/// var policy = RetryPolicy.exponential(initial: .seconds(1), limit: 3)
/// policy.statuses.insert(520)
/// let strict = RetryPolicy.delayed(.seconds(1), limit: 2).retrying(statuses: [503])
/// let patient = RetryPolicy.delayed(.seconds(10), limit: 100).withIdempotencyKey()
/// ```
///
/// With the default settings a policy has these rules:
///
/// - A request is retried only if its body can be sent again, and if its method is idempotent or it
///   has an `Idempotency-Key`.
/// - It is retried after a temporary failure (``NetworkError/Code-swift.enum/isTemporary``): the
///   statuses 408, 429, 500, 502, 503 and 504, and a failure of the connection.
/// - The delay is the longer of the computed delay and the `Retry-After` of the response.
/// - A cancellation is never retried.
///
/// If the last attempt fails too, the result of the call is its response with the body, or its
/// error with all attempts in ``NetworkError/history``.
///
/// The policy of a call (``RequestOption/retry(_:)``) overrides that of the endpoint's request
/// (``Request/retry``), which overrides that of the client.
///
/// Source: RFC 9110 sections 9.2.2 (idempotent methods) and 10.2.3 (Retry-After).
public struct RetryPolicy: Sendable {
  /// The decision of a custom policy about a failed attempt.
  public enum Decision: Sendable, Hashable {
    /// Do not retry.
    case stop
    /// Retry after a delay.
    case after(Duration)
  }

  /// The maximum number of retries per call.
  ///
  /// 0 disables retries.
  public var limit: Int
  /// The statuses that are retried.
  ///
  /// A custom policy ignores them; its closure decides.
  public var statuses = NetworkError.Code.temporaryStatuses
  /// Whether requests are retried even if their method is not idempotent and they have no
  /// `Idempotency-Key`.
  public var retriesAnyMethod = false
  /// The longest `Retry-After` that the client waits for.
  ///
  /// A response with a longer `Retry-After` is the result of the call. A custom policy ignores this
  /// limit; its closure receives the `Retry-After`.
  public var maximumRetryAfter: Duration = .seconds(60)
  /// Generates an `Idempotency-Key` for a request that has none and whose method is not idempotent.
  ///
  /// It runs at most once per call. `nil` generates no keys.
  public var idempotencyKey: (@Sendable () -> String)?

  private enum Rule: Sendable {
    case schedule(RetrySchedule)
    case custom(@Sendable (FailedAttempt) -> Decision)
  }

  private var rule: Rule

  /// Creates a policy from a retry schedule.
  ///
  /// For a response, the schedule receives a ``NetworkError`` with the code
  /// ``NetworkError/Code-swift.enum/unacceptableStatus(_:)``.
  ///
  /// - Parameter schedule: The schedule, which defines the number of retries, the delays and the
  ///   retryable errors.
  public init(_ schedule: RetrySchedule) {
    limit = schedule.limit
    rule = .schedule(schedule)
  }

  /// Creates a policy from a closure.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of retries per call.
  ///   - decide: The closure that decides whether to retry. It receives each attempt that ended
  ///     with a status of 400 or above, or with an error other than a cancellation. It runs on the
  ///     thread on which the attempt ended, and must not block.
  /// - Returns: The policy.
  public static func custom(
    limit: Int = .max, _ decide: @escaping @Sendable (_ attempt: FailedAttempt) -> Decision
  ) -> RetryPolicy {
    copy(of: .immediate(limit: limit)) { $0.rule = .custom(decide) }
  }

  /// Returns a policy that also retries requests whose method is not idempotent, and adds an
  /// `Idempotency-Key` to them.
  ///
  /// The server must support such keys and process requests with the same key only once. The draft
  /// specifies a quoted value for the field. The value is not quoted here, because most servers do
  /// not expect quotes.
  ///
  /// Source: draft-ietf-httpapi-idempotency-key-header.
  ///
  /// - Parameter key: The closure that generates a key. It runs once per call, and all attempts
  ///   have the same key. By default, the key is a UUID.
  /// - Returns: The changed policy.
  public func withIdempotencyKey(
    _ key: @escaping @Sendable () -> String = { UUID().uuidString }
  ) -> RetryPolicy {
    copy(of: self) { $0.idempotencyKey = key }
  }

  /// Returns a policy that retries after other statuses.
  ///
  /// ```swift
  /// configuration.retry = .delayed(.seconds(1), limit: 2).retrying(statuses: [503])
  /// ```
  ///
  /// Failures of the connection are retried as before. A custom policy ignores the statuses; its closure
  /// decides.
  ///
  /// - Parameter statuses: The statuses, which replace ``statuses``.
  /// - Returns: The changed policy.
  public func retrying(statuses: Set<Int>) -> RetryPolicy {
    copy(of: self) { $0.statuses = statuses }
  }

  /// Returns whether a request may be sent more than once.
  ///
  /// - Parameter request: The request, including its `Idempotency-Key`.
  /// - Returns: `true` if the limit is above 0, the body can be sent again, and the method or a key
  ///   allows it.
  public func allows(_ request: HTTPRequest) -> Bool {
    limit > 0 && request.body.isRepeatable
      && (retriesAnyMethod || request.method.isIdempotent
        || request.headers.contains(HTTPHeaders.idempotencyKeyName))
  }

  /// Returns the delay before a retry.
  ///
  /// - Parameters:
  ///   - retryNumber: The number of the retry, starting at 1.
  ///   - attempt: The attempt that failed.
  /// - Returns: The delay, or `nil` for no retry.
  public func delay(beforeRetry retryNumber: Int, after attempt: FailedAttempt) -> Duration? {
    guard retryNumber <= limit, allowsRetry(attempt.result) else { return nil }
    switch rule {
    case .custom(let decide):
      if case .after(let delay) = decide(attempt) { return max(delay, .zero) }
      return nil
    case .schedule(var schedule):
      schedule.limit = limit
      let retryAfter = attempt.retryAfter ?? .zero
      guard retryAfter <= maximumRetryAfter,
        let delay = schedule.delay(beforeRetry: retryNumber, after: attempt.error)
      else { return nil }
      return max(delay, retryAfter)
    }
  }

  /// Returns whether the result of an attempt may be retried, regardless of the limit.
  func allowsRetry(_ result: Result<Response, any Error>) -> Bool {
    switch (rule, result) {
    case (.custom, .success(let response)): response.status >= 400
    case (.schedule, .success(let response)): statuses.contains(response.status)
    case (_, .failure(let error)) where error.isCancellation: false
    case (.custom, .failure): true
    case (.schedule, .failure(let error)):
      switch (error as? NetworkError)?.code {
      // An interceptor has validated the response.
      case .unacceptableStatus(let status): statuses.contains(status)
      case let code: code?.isConnectionFailure ?? false
      }
    }
  }

  /// Whether the head of a response is sufficient for a decision.
  ///
  /// `false` for a custom policy, whose closure may read the body.
  package var decidesByHead: Bool { if case .schedule = rule { true } else { false } }
}

extension RetryPolicy {
  /// A policy without retries.
  public static let never = RetryPolicy.immediate(limit: 0)

  /// Returns a policy that retries immediately.
  ///
  /// - Parameter limit: The maximum number of retries per call.
  /// - Returns: The policy.
  public static func immediate(limit: Int) -> RetryPolicy {
    RetryPolicy(RetrySchedule.immediate(limit: limit))
  }

  /// Returns a policy that retries after a constant delay.
  ///
  /// - Parameters:
  ///   - delay: The delay before each retry.
  ///   - limit: The maximum number of retries per call.
  /// - Returns: The policy.
  public static func delayed(_ delay: Duration, limit: Int) -> RetryPolicy {
    RetryPolicy(RetrySchedule.delayed(delay, limit: limit))
  }

  /// Returns a policy with exponential backoff and random jitter.
  ///
  /// - Parameters:
  ///   - initial: The delay before the first retry, without jitter.
  ///   - multiplier: The ratio of each delay to the previous one.
  ///   - cap: The maximum computed delay.
  ///   - jitter: The randomization of the delays.
  ///   - limit: The maximum number of retries per call.
  /// - Returns: The policy.
  public static func exponential(
    initial: Duration, multiplier: Double = 2, cap: Duration = .seconds(60),
    jitter: RetrySchedule.Jitter = .equal, limit: Int
  ) -> RetryPolicy {
    RetryPolicy(
      RetrySchedule.exponential(
        initial: initial, multiplier: multiplier, cap: cap, jitter: jitter, limit: limit))
  }
}
