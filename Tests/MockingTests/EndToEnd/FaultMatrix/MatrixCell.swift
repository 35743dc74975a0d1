#if os(Linux)
  import Networking
  import Testing

  /// One call of the matrix, and what is to come of it.
  struct MatrixCell: Sendable, CustomStringConvertible {
    let fault: MatrixFault
    let policy: MatrixPolicy
    let method: MatrixMethod
    /// Whether it goes wrong twice only.
    let heals: Bool
    /// Whether the connection has served before.
    var isWarm = false

    /// For how many requests it goes wrong; nil is for all.
    var faultCount: Int? { heals ? 2 : nil }

    /// All cells of a fault and a method.
    static func all(_ fault: MatrixFault, _ method: MatrixMethod, isWarm: Bool) -> [MatrixCell] {
      MatrixPolicy.all.flatMap { policy in
        [false, true].map { heals in
          MatrixCell(fault: fault, policy: policy, method: method, heals: heals, isWarm: isWarm)
        }
      }
    }

    var description: String {
      "\(fault.testDescription), \(policy.testDescription), \(method.testDescription)"
        + (heals ? ", healing" : "") + (isWarm ? ", on a kept connection" : "")
    }

    // MARK: What is to come of it

    /// Whether the transport itself sends an attempt's request again.
    ///
    /// "A kept connection that turns out to have been closed by the server before a byte of the response
    /// came is replaced by a new one, once, for idempotent methods and requests with an `Idempotency-Key`."
    /// To the client that is one attempt, to the server two requests.
    func isSentTwice(attempt number: Int) -> Bool {
      // A policy that never repeats makes no key.
      let mayBe = method.isRepeatable && (!method.hasKey || !policy.delays.isEmpty)
      guard fault.isMute, mayBe else { return false }
      // The hop of a redirect is on the connection of the hop before.
      if case .redirected = fault.place { return true }
      return isWarm && number == 1
    }

    /// How long is waited before each attempt.
    var delays: [Duration] {
      let failures = faultCount.map { isSentTwice(attempt: 1) ? $0 - 1 : $0 }
      return [.zero] + MatrixRule.waits(fault, policy, method, failures: failures ?? .max)
    }

    /// How long each attempt takes.
    var durations: [Duration] {
      let failing = fault.isStall ? MatrixRule.attemptTimeout : .zero
      return delays.indices.map { succeeds(attempt: $0 + 1) ? .zero : failing }
    }

    /// Whether an attempt gets the answer of a server that has healed.
    func succeeds(attempt number: Int) -> Bool {
      guard let faultCount else { return false }
      return number > (isSentTwice(attempt: 1) ? faultCount - 1 : faultCount)
    }

    /// When each request reaches what goes wrong, in virtual time.
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
#endif
