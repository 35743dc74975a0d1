import Foundation
import Promises

/// Which requests are tried again, after what, how often and when.
///
/// ```swift
/// var policy = RetryPolicy.exponential(initial: .seconds(1), limit: 3)
/// policy.statuses.insert(520)
/// let patient = RetryPolicy.delayed(.seconds(10), limit: 100).withIdempotencyKey()
/// ```
///
/// Unless changed, it is for idempotent methods and for requests with an `Idempotency-Key` only, whose
/// body can be sent again; and for the statuses 408, 429, 500, 502, 503 and 504 and failures of the
/// connection (``NetworkError/Code-swift.enum/isConnectionFailure``). A `Retry-After` is honoured:
/// what is longer, that or the computed time, is waited. A cancellation is never tried again.
///
/// When there are no more attempts the last response comes as it is, with its body, and the last error
/// with all attempts in ``NetworkError/history``.
///
/// A policy given with one request (``RequestConvertible/retrying(_:)``) wins over that of its endpoint
/// (``RetryableRequest``), and that over the client's.
///
/// Source: RFC 9110 sections 9.2.2 (idempotent methods) and 10.2.3 (Retry-After).
public struct RetryPolicy: Sendable {
  /// What a closure says of a failed attempt.
  public enum Decision: Sendable, Hashable {
    /// Leave it at that.
    case stop
    /// Try again after so long.
    case after(Duration)
  }

  /// How many times it is tried again in a call at the most; 0 is never.
  public var limit: Int
  /// The statuses that are tried again; those of a custom policy are its closure's matter.
  public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
  /// Whether requests are tried again though doing them twice may not be the same as once.
  public var retriesAnyMethod = false
  /// The longest `Retry-After` that is waited for; a response that asks for more is the answer.
  ///
  /// A custom policy's closure sees it and decides for itself.
  public var maximumRetryAfter: Duration = .seconds(60)
  /// Makes the `Idempotency-Key` of a request that is not idempotent and has none, once a call; nil
  /// makes none.
  public var idempotencyKey: (@Sendable () -> String)?

  private enum Rule: Sendable {
    case schedule(RetrySchedule)
    case custom(@Sendable (FailedAttempt) -> Decision)
  }

  private let rule: Rule

  /// Makes a policy of any schedule, which is asked with a ``NetworkError`` for a response, too.
  ///
  /// - Parameter schedule: how often, when and after which errors.
  public init(_ schedule: RetrySchedule) {
    limit = schedule.limit
    rule = .schedule(schedule)
  }

  /// Makes a policy of a closure.
  ///
  /// - Parameters:
  ///   - limit: how many times at the most.
  ///   - decide: gets each attempt that ended with an error, but a cancellation, or with a status of 400
  ///     and above, and decides; it runs where the attempt ended, and must not block.
  /// - Returns: the policy.
  public static func custom(
    limit: Int = .max, _ decide: @escaping @Sendable (_ attempt: FailedAttempt) -> Decision
  ) -> RetryPolicy {
    RetryPolicy(limit: limit, rule: .custom(decide))
  }

  /// The same policy for requests of all methods: those that are not idempotent get a key of their own.
  ///
  /// The server has to know such keys, and do what it has done before only once. The draft that
  /// describes the field has its value in quotes; most servers have not, and nor has this.
  ///
  /// Source: draft-ietf-httpapi-idempotency-key-header.
  ///
  /// - Parameter key: makes a key, once a call; each attempt has the same. A UUID unless said otherwise.
  /// - Returns: the changed policy.
  public func withIdempotencyKey(
    _ key: @escaping @Sendable () -> String = { UUID().uuidString }
  ) -> RetryPolicy {
    var policy = self
    policy.idempotencyKey = key
    return policy
  }

  /// Whether a request may be sent more than once at all.
  ///
  /// - Parameter request: the request, its key in it.
  /// - Returns: true when its method, or a key, and its body allow it.
  public func allows(_ request: HTTPRequest) -> Bool {
    limit > 0 && request.body.isRepeatable
      && (retriesAnyMethod || request.method.isIdempotent
        || request.headers.contains(HTTPHeaders.idempotencyKeyName))
  }

  /// Says how long to wait before an attempt is repeated.
  ///
  /// - Parameters:
  ///   - retryNumber: its number, from 1.
  ///   - attempt: the attempt before.
  /// - Returns: how long to wait; nil to leave it at that.
  public func delay(beforeRetry retryNumber: Int, after attempt: FailedAttempt) -> Duration? {
    guard retryNumber <= limit, allowsRetry(attempt.result) else { return nil }
    switch rule {
    case .custom(let decide):
      if case .after(let delay) = decide(attempt) { return max(delay, .zero) }
      return nil
    case .schedule(var schedule):
      schedule.limit = limit
      let least = attempt.retryAfter ?? .zero
      guard least <= maximumRetryAfter,
        let delay = schedule.delay(beforeRetry: retryNumber, after: attempt.error)
      else { return nil }
      return max(delay, least)
    }
  }

  /// Whether an outcome is one of those that may be repeated, if there are attempts left.
  func allowsRetry(_ result: Result<Response, any Error>) -> Bool {
    switch (rule, result) {
    case (.custom, .success(let response)): response.status >= 400
    case (.schedule, .success(let response)): statuses.contains(response.status)
    case (_, .failure(let error)) where error.isCancellation: false
    case (.custom, .failure): true
    case (.schedule, .failure(let error)):
      (error as? NetworkError)?.code.isConnectionFailure ?? false
    }
  }

  private init(limit: Int, rule: Rule) {
    self.limit = limit
    self.rule = rule
  }
}

extension RetryPolicy {
  /// Tries nothing again.
  public static let never = RetryPolicy.immediate(limit: 0)

  /// Tries again at once.
  ///
  /// - Parameter limit: how many times at the most.
  /// - Returns: the policy.
  public static func immediate(limit: Int) -> RetryPolicy {
    RetryPolicy(RetrySchedule.immediate(limit: limit))
  }

  /// Tries again after the same time each time.
  ///
  /// - Parameters:
  ///   - delay: how long to wait.
  ///   - limit: how many times at the most.
  /// - Returns: the policy.
  public static func delayed(_ delay: Duration, limit: Int) -> RetryPolicy {
    RetryPolicy(RetrySchedule.delayed(delay, limit: limit))
  }

  /// Waits longer each time, and not quite as long as everybody else.
  ///
  /// - Parameters:
  ///   - initial: the computed time before the first repetition.
  ///   - multiplier: how much longer each is than the one before.
  ///   - cap: what a computed time is never above.
  ///   - jitter: how a time is spread once it has been computed.
  ///   - limit: how many times at the most.
  /// - Returns: the policy.
  public static func exponential(
    initial: Duration, multiplier: Double = 2, cap: Duration = .seconds(60),
    jitter: RetrySchedule.Jitter = .equal, limit: Int
  ) -> RetryPolicy {
    RetryPolicy(
      RetrySchedule.exponential(
        initial: initial, multiplier: multiplier, cap: cap, jitter: jitter, limit: limit))
  }
}

/// An attempt that a ``RetryPolicy`` is asked about.
public struct FailedAttempt: Sendable {
  /// Its number in the call, from 1.
  public let number: Int
  /// What was sent.
  public let request: HTTPRequest
  /// What came of it: a response whose status is an error's, or an error.
  public let result: Result<Response, any Error>
  /// How long the response asks to be left alone; nil when it does not say, or there is none.
  public let retryAfter: Duration?

  /// Makes one, for tests of policies.
  ///
  /// - Parameters:
  ///   - number: its number in the call, from 1.
  ///   - request: what was sent.
  ///   - result: what came of it.
  ///   - retryAfter: how long the response asks to be left alone.
  public init(
    number: Int, request: HTTPRequest, result: Result<Response, any Error>,
    retryAfter: Duration? = nil
  ) {
    self.number = number
    self.request = request
    self.result = result
    self.retryAfter = retryAfter
  }

  /// The response; nil when there was none.
  public var response: Response? { try? result.get() }

  /// What went wrong; for a response ``NetworkError/Code-swift.enum/unacceptableStatus(_:)``.
  public var error: any Error {
    switch result {
    case .success(let response): NetworkError(.unacceptableStatus(response.status), response)
    case .failure(let error): error
    }
  }
}

/// How long a server asks to be left alone.
///
/// Source: RFC 9110 section 10.2.3.
enum RetryAfter {
  /// Reads the first `Retry-After` field, of either form.
  ///
  /// - Parameters:
  ///   - headers: the response's.
  ///   - now: the time of day, for a date.
  /// - Returns: how long from now, nothing for a date in the past; nil when there is no such field, or it
  ///   says nothing that can be understood.
  static func delay(in headers: HTTPHeaders, now: Date) -> Duration? {
    guard
      let value = headers.values(for: "Retry-After").first?.trimmingCharacters(in: .whitespaces),
      !value.isEmpty
    else { return nil }
    if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // What does not fit is longer than anybody waits.
      return .seconds(Int64(Int32(value) ?? .max))
    }
    return HTTPDate.parse(value, now: now).map { date in
      .seconds(min(max(0, date.timeIntervalSince(now)), Double(Int32.max)))
    }
  }
}
