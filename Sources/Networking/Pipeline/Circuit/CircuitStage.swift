import Promises
import Synchronization

/// Lets requests to hosts that keep failing fail at once; a hop at a time.
final class CircuitStage: BuiltInStage {
  private let rule: CircuitBreaker
  private let scheduler: any Scheduler
  /// Those hosts alone of which there is something to remember.
  private let circuits = Mutex<[Origin: CircuitMachine]>([:])

  /// Makes a stage, whose circuits are shared by all exchanges that go through it.
  init(_ rule: CircuitBreaker, scheduler: any Scheduler) {
    self.rule = rule
    self.scheduler = scheduler
  }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let origin = Origin(exchange.request.url) else { return next(exchange) }
    // Before the lock is taken: a scheduler may be anybody's code.
    let now = scheduler.now
    switch change(origin, { $0.admit(at: now) }) {
    case .refuse(let remaining): return .rejected(refusal(of: exchange, origin, remaining))
    case .pass(let era):
      return next(exchange).always(on: .inline) { result in
        let outcome = Self.outcome(of: result)
        let now = self.scheduler.now
        self.change(origin) { $0.ended(outcome, era: era, at: now) }
      }
    }
  }

  private func change<Answer>(
    _ origin: Origin, _ body: (inout CircuitMachine) -> Answer
  ) -> Answer {
    circuits.withLock { circuits in
      var circuit = circuits[origin] ?? CircuitMachine(rule)
      let answer = body(&circuit)
      circuits[origin] = circuit.isPristine ? nil : circuit
      return answer
    }
  }

  private static func outcome(of result: Result<Response, any Error>) -> CircuitMachine.Outcome {
    switch result {
    case .success(let response): (500...599).contains(response.status) ? .failure : .success
    case .failure(let error):
      (error as? NetworkError)?.code.isConnectionFailure == true ? .failure : .neither
    }
  }

  private func refusal(
    of exchange: Exchange, _ origin: Origin, _ remaining: Duration
  ) -> NetworkError {
    NetworkError(
      .circuitOpen,
      "\(origin.host):\(origin.port), "
        + (remaining > .zero ? "for another \(remaining)" : "while one request tries it"),
      request: NetworkError.RequestSummary(exchange.request))
  }
}
