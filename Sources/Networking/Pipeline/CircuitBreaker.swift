import Promises
import Synchronization

/// When a host that keeps failing is left alone, each host for itself.
///
/// After ``threshold`` failures in a row its circuit is open: requests fail at once with
/// ``NetworkError/Code-swift.enum/circuitOpen``, and nothing is sent. After ``cooldown`` it is half-open:
/// one request is let through to try. Its success closes the circuit, its failure opens it for another
/// ``cooldown``, and all others fail at once until it has ended.
///
/// Failures are those of the connection (``NetworkError/Code-swift.enum/isConnectionFailure``) and the
/// statuses 500 to 599; any other response is a success, and all else, a cancellation or a certificate
/// that is not trusted, is neither. A host is scheme, name and port.
///
/// Source: M. Nygard, Release It!, the Circuit Breaker pattern.
public struct CircuitBreaker: Sendable, Hashable {
  /// How many failures in a row open a circuit; at least one.
  public var threshold: Int
  /// How long it stays open before one request tries.
  public var cooldown: Duration

  /// Makes the rule.
  ///
  /// - Parameters:
  ///   - threshold: how many failures in a row open a circuit; less than one is one.
  ///   - cooldown: how long it stays open before one request tries.
  public init(threshold: Int = 5, cooldown: Duration = .seconds(30)) {
    self.threshold = threshold
    self.cooldown = cooldown
  }
}

/// The circuit of one host.
struct CircuitMachine {
  /// What a request that was let through turned out to be.
  enum Outcome {
    case success
    case failure
    /// It tells nothing of the host.
    case ignored
  }

  /// What a request may do.
  enum Admission: Equatable {
    /// Go through, and report with this number.
    case pass(generation: Int)
    /// Fail at once; the circuit stays open for so long, nothing when a request is trying the host.
    case refuse(remaining: Duration)
  }

  private enum State: Equatable {
    case closed(failures: Int)
    case open(until: Duration)
    case halfOpen(isTrying: Bool)
  }

  private let breaker: CircuitBreaker
  private var state = State.closed(failures: 0)
  /// Counts the changes of state, so that what was sent in an earlier one does not speak in this one.
  private var generation = 0

  init(_ breaker: CircuitBreaker) {
    self.breaker = breaker
  }

  /// Whether it is like a new one, so that the host can be forgotten.
  var isPristine: Bool { state == .closed(failures: 0) && generation == 0 }

  /// Says whether a request may go through.
  mutating func admit(at now: Duration) -> Admission {
    switch state {
    case .closed: return .pass(generation: generation)
    case .open(let until) where now < until: return .refuse(remaining: until - now)
    case .halfOpen(isTrying: true): return .refuse(remaining: .zero)
    case .open, .halfOpen(isTrying: false):
      change(to: .halfOpen(isTrying: true))
      return .pass(generation: generation)
    }
  }

  /// Takes in how a request ended that was let through.
  mutating func ended(_ outcome: Outcome, generation: Int, at now: Duration) {
    guard generation == self.generation else { return }
    switch (state, outcome) {
    case (.closed, .success): state = .closed(failures: 0)
    case (.closed(let failures), .failure):
      guard failures + 1 >= breaker.threshold else {
        return state = .closed(failures: failures + 1)
      }
      change(to: .open(until: now + breaker.cooldown))
    case (.halfOpen, .success): change(to: .closed(failures: 0))
    case (.halfOpen, .failure): change(to: .open(until: now + breaker.cooldown))
    case (.halfOpen, .ignored): change(to: .halfOpen(isTrying: false))
    case (.closed, .ignored), (.open, _): break
    }
  }

  private mutating func change(to state: State) {
    self.state = state
    generation += 1
  }
}

/// Lets requests to hosts that keep failing fail at once; a hop at a time.
final class CircuitStage: BuiltInStage {
  private let breaker: CircuitBreaker
  private let scheduler: any Scheduler
  /// Those hosts alone of which there is something to remember.
  private let circuits = Mutex<[Origin: CircuitMachine]>([:])

  /// Makes a stage, whose circuits are shared by all exchanges that go through it.
  init(_ breaker: CircuitBreaker, scheduler: any Scheduler) {
    self.breaker = breaker
    self.scheduler = scheduler
  }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let origin = Origin(exchange.request.url) else { return next(exchange) }
    // Before the lock is taken: a scheduler may be anybody's code.
    let now = scheduler.now
    switch change(origin, { $0.admit(at: now) }) {
    case .refuse(let remaining): return .rejected(refusal(of: exchange, origin, remaining))
    case .pass(let generation):
      return next(exchange).always(on: .inline) { result in
        let outcome = Self.outcome(of: result)
        let now = self.scheduler.now
        self.change(origin) { $0.ended(outcome, generation: generation, at: now) }
      }
    }
  }

  private func change<Value>(
    _ origin: Origin, _ body: (inout CircuitMachine) -> Value
  ) -> Value {
    circuits.withLock { circuits in
      var circuit = circuits[origin] ?? CircuitMachine(breaker)
      let value = body(&circuit)
      circuits[origin] = circuit.isPristine ? nil : circuit
      return value
    }
  }

  private static func outcome(of result: Result<Response, any Error>) -> CircuitMachine.Outcome {
    switch result {
    case .success(let response): (500...599).contains(response.status) ? .failure : .success
    case .failure(let error):
      (error as? NetworkError)?.code.isConnectionFailure == true ? .failure : .ignored
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
