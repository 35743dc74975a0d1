#if os(Linux)
  import Networking

  /// What the documentation promises of a call, in its words.
  enum MatrixRule {
    /// How long one hop may take, longer than any wait, so that the two are never mistaken.
    static let attemptTimeout = Duration.seconds(1_000)

    /// How long is waited before each repetition; `failures` is after how many attempts one succeeds.
    static func waits(
      _ fault: MatrixFault, _ policy: MatrixPolicy, _ method: MatrixMethod, failures: Int
    ) -> [Duration] {
      // "For idempotent methods and for requests with an Idempotency-Key only."
      guard method.isRepeatable, isTriedAgain(fault.end, policy) else { return [] }
      var waits: [Duration] = []
      var now = Duration.zero
      for delay in policy.delays.prefix(failures) {
        if fault.isStall { now += attemptTimeout }
        // "What is longer, that or the computed time, is waited"; a custom policy "decides for itself".
        let asked = policy.isCustom ? .zero : wait(asked: fault.retryAfter, at: now)
        // "A response that asks for more is the answer."
        guard asked <= .seconds(60) else { break }
        waits.append(max(delay, asked))
        now += max(delay, asked)
      }
      return waits
    }

    private static func isTriedAgain(_ end: MatrixFault.End, _ policy: MatrixPolicy) -> Bool {
      switch end {
      // "Each attempt that ended with an error, but a cancellation, or with a status of 400 and above."
      case .status(let status) where policy.isCustom: status >= 400
      case .failure where policy.isCustom: true
      // "The statuses 408, 429, 500, 502, 503 and 504 and failures of the connection."
      case .status(let status): [408, 429, 500, 502, 503, 504].contains(status)
      case .failure(let codes):
        codes.isSubset(of: [.connectionLost, .cannotConnect, .timedOut(.attempt)])
      }
    }

    private static func wait(asked: MatrixFault.RetryAfter?, at now: Duration) -> Duration {
      switch asked {
      case nil: .zero
      case .seconds(let seconds): .seconds(seconds)
      case .date(let seconds): max(.zero, .seconds(seconds) - now)
      }
    }
  }
#endif
