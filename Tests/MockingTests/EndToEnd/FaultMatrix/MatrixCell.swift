import Networking
import TestSupport
import Testing

/// One call of the matrix with its expected result.
struct MatrixCell: Sendable, CustomStringConvertible {
  let fault: MatrixFault
  let policy: MatrixPolicy
  let method: MatrixMethod
  /// Whether only the first two requests fail.
  let recovers: Bool
  /// Whether the connection is reused.
  var reusesConnection = false

  /// The number of requests that fail.
  ///
  /// `nil` fails all.
  var faultCount: Int? { recovers ? 2 : nil }

  /// Returns all cells of a fault and a method.
  static func all(_ fault: MatrixFault, _ method: MatrixMethod, reusesConnection: Bool)
    -> [MatrixCell]
  {
    MatrixPolicy.all.flatMap { policy in
      [false, true].map { recovers in
        MatrixCell(
          fault: fault, policy: policy, method: method, recovers: recovers,
          reusesConnection: reusesConnection)
      }
    }
  }

  var description: String {
    "\(fault.testDescription), \(policy.testDescription), \(method.testDescription)"
      + (recovers ? ", recovering" : "") + (reusesConnection ? ", on a reused connection" : "")
  }

  // MARK: Expected results

  /// Returns whether the transport itself sends the request of an attempt again.
  ///
  /// When the server has closed a reused connection before the first byte of the response, the
  /// transport replaces the connection once, for idempotent methods and requests with an
  /// `Idempotency-Key`. The client counts one attempt, and the server receives two requests.
  func isSentTwice(attempt number: Int) -> Bool {
    // A policy without retries creates no key.
    let isRepeatable = method.isRepeatable && (!method.hasKey || !policy.delays.isEmpty)
    guard fault.closesBeforeResponse, isRepeatable else { return false }
    // A redirected hop reuses the connection of the previous hop.
    if case .redirected = fault.place { return true }
    return reusesConnection && number == 1
  }

  /// The delay before each attempt.
  var delays: [Duration] {
    let failures = faultCount.map { isSentTwice(attempt: 1) ? $0 - 1 : $0 }
    return [.zero] + MatrixRule.delays(fault, policy, method, failures: failures ?? .max)
  }

  /// The duration of each attempt.
  var durations: [Duration] {
    let failing = fault.isStall ? MatrixRule.attemptTimeout : .zero
    return delays.indices.map { succeeds(attempt: $0 + 1) ? .zero : failing }
  }

  /// Returns whether an attempt receives a successful response.
  func succeeds(attempt number: Int) -> Bool {
    guard let faultCount else { return false }
    return number > (isSentTwice(attempt: 1) ? faultCount - 1 : faultCount)
  }

  /// The virtual times at which the requests reach the fault.
  var times: [Duration] {
    var now = Duration.zero
    return zip(delays, durations).enumerated().flatMap { index, attempt in
      let time = now + attempt.0
      now = time + attempt.1
      let number = index + 1
      let isTwice = isSentTwice(attempt: number) && !succeeds(attempt: number)
      return Array(repeating: time, count: isTwice ? 2 : 1)
    }
  }
}

/// A retry policy of the matrix, with its expected delays.
struct MatrixPolicy: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Creates the policy for each call, because a seeded one has state.
  let make: @Sendable () -> RetryPolicy
  /// The delay before each retry; their number is the retry limit.
  let delays: [Duration]
  /// Whether a closure selects the failures to retry instead of the default rules.
  var isCustom = false

  static let all = [
    MatrixPolicy(testDescription: "never", make: { .never }, delays: []),
    MatrixPolicy(
      testDescription: "immediate", make: { .immediate(limit: 2) }, delays: [.zero, .zero]),
    MatrixPolicy(
      testDescription: "delayed", make: { .delayed(.seconds(5), limit: 3) },
      delays: [.seconds(5), .seconds(5), .seconds(5)]),
    MatrixPolicy(
      testDescription: "exponential, a quarter of equal jitter",
      make: {
        RetryPolicy(
          RetrySchedule.exponential(initial: .seconds(2), jitter: .equal, limit: 3)
            .randomized { ($0.lowerBound + $0.upperBound) / 4 })
      },
      // Half of 2, 4, and 8 seconds, plus a quarter of the other half.
      delays: [.milliseconds(1_250), .milliseconds(2_500), .seconds(5)]),
    MatrixPolicy(
      testDescription: "exponential, full jitter from a seed",
      make: {
        let numbers = SeededRandomSource(seed: 18)
        return RetryPolicy(
          RetrySchedule.exponential(initial: .seconds(8), jitter: .full, limit: 3)
            .randomized { numbers.next(in: $0) })
      },
      delays: SeededRandomSource(seed: 18).delays(of: [.seconds(8), .seconds(16), .seconds(32)])),
    MatrixPolicy(
      testDescription: "custom",
      make: {
        .custom(limit: 9) { $0.number < 3 ? .after(.seconds($0.number * 10)) : .stop }
      },
      delays: [.seconds(10), .seconds(20)], isCustom: true),
  ]
}

/// The documented retry rules, implemented independently of the library.
enum MatrixRule {
  /// The timeout of an attempt, longer than any delay so that the two are distinguishable.
  static let attemptTimeout = Duration.seconds(1_000)

  /// Returns the delay before each retry.
  ///
  /// `failures` is the number of failed attempts before a successful one.
  static func delays(
    _ fault: MatrixFault, _ policy: MatrixPolicy, _ method: MatrixMethod, failures: Int
  ) -> [Duration] {
    // Only idempotent methods and requests with an `Idempotency-Key` are retried.
    guard method.isRepeatable, isRetried(fault.end, policy) else { return [] }
    var delays: [Duration] = []
    var now = Duration.zero
    for delay in policy.delays.prefix(failures) {
      if fault.isStall { now += attemptTimeout }
      // The longer of `Retry-After` and the computed delay applies, except for a custom policy.
      let retryAfterDelay = policy.isCustom ? .zero : duration(of: fault.retryAfter, at: now)
      // A response with a longer `Retry-After` is not retried.
      guard retryAfterDelay <= .seconds(60) else { break }
      delays.append(max(delay, retryAfterDelay))
      now += max(delay, retryAfterDelay)
    }
    return delays
  }

  private static func isRetried(_ end: MatrixFault.End, _ policy: MatrixPolicy) -> Bool {
    switch end {
    // A custom policy sees errors other than cancellation, and statuses from 400 on.
    case .status(let status) where policy.isCustom: status >= 400
    case .failure where policy.isCustom: true
    // By default these statuses and connection failures are retried.
    case .status(let status): [408, 429, 500, 502, 503, 504].contains(status)
    case .failure(let codes):
      codes.isSubset(of: [.connectionLost, .cannotConnect, .timedOut(.attempt)])
    }
  }

  private static func duration(of retryAfter: MatrixFault.RetryAfter?, at now: Duration)
    -> Duration
  {
    switch retryAfter {
    case nil: .zero
    case .seconds(let seconds): .seconds(seconds)
    case .date(let seconds): max(.zero, .seconds(seconds) - now)
    }
  }
}

/// A kind of request in the matrix.
struct MatrixMethod: Sendable, CustomTestStringConvertible {
  let method: HTTPMethod
  /// Whether the policy adds an idempotency key.
  let hasKey: Bool
  /// Whether the request is idempotent or has an `Idempotency-Key`, so that it can be retried.
  let isRepeatable: Bool

  static let all = [
    MatrixMethod(method: .get, hasKey: false, isRepeatable: true),
    MatrixMethod(method: .put, hasKey: false, isRepeatable: true),
    MatrixMethod(method: .post, hasKey: false, isRepeatable: false),
    MatrixMethod(method: .post, hasKey: true, isRepeatable: true),
  ]

  var testDescription: String { "\(method)\(hasKey ? " with a key" : "")" }

  /// The expected request body.
  var body: String { method == .get ? "" : #"{"n":7}"# }

  func request(_ path: RequestPath) -> Request {
    Request(method, path, parameters: method == .get ? nil : ["n": 7])
  }

  func policy(_ policy: RetryPolicy) -> RetryPolicy {
    hasKey ? policy.withIdempotencyKey { "key-1" } : policy
  }
}
