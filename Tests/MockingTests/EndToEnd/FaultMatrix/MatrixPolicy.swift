#if os(Linux)
  import Networking
  import TestSupport
  import Testing

  /// A retry policy of the matrix, with what it computes.
  struct MatrixPolicy: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Made anew for each call, as one that is seeded has a state.
    let make: @Sendable () -> RetryPolicy
    /// How long it waits before each repetition; so there are as many at the most.
    let delays: [Duration]
    /// Whether its closure decides after which failures, in place of the documented ones.
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
        // Half of 2, 4 and 8 seconds, and a quarter of the other half.
        delays: [.milliseconds(1_250), .milliseconds(2_500), .seconds(5)]),
      MatrixPolicy(
        testDescription: "exponential, full jitter from a seed",
        make: {
          let numbers = SeededNumbers(seed: 18)
          return RetryPolicy(
            RetrySchedule.exponential(initial: .seconds(8), jitter: .full, limit: 3)
              .randomized { numbers.next(in: $0) })
        },
        delays: SeededNumbers(seed: 18).delays(of: [.seconds(8), .seconds(16), .seconds(32)])),
      MatrixPolicy(
        testDescription: "custom",
        make: {
          .custom(limit: 9) { $0.number < 3 ? .after(.seconds($0.number * 10)) : .stop }
        },
        delays: [.seconds(10), .seconds(20)], isCustom: true),
    ]
  }
#endif
