import CatenaSystem
import Foundation
public import Networking
public import Promises

/// An interceptor that rejects requests to a host that keeps failing.
///
/// ```swift
/// networking.interceptors.append(CircuitBreaker(threshold: 5, cooldown: .seconds(30)), at: .origin)
/// ```
///
/// Each origin (scheme, host and port) has its own circuit. After ``threshold`` consecutive
/// failures the circuit opens: requests fail at once with
/// ``NetworkError/Code-swift.enum/circuitOpen``, and nothing is sent. After ``cooldown`` it is
/// half-open, and one request is sent as a trial. The success of the trial closes the circuit; its
/// failure opens it for another ``cooldown``. Until the trial has ended, other requests fail at
/// once.
///
/// At the level ``InterceptorLevel/origin`` each hop counts, with its `attemptTimeout`. Responses of
/// the cache and requests without a network do not. At the level ``InterceptorLevel/call`` a whole
/// call counts, with its retries.
///
/// Clients with the same scheduler can share a circuit breaker. With 256 circuits and more, those
/// that have not been used for longer than ``cooldown`` are dropped, and their failures are forgotten.
///
/// Failures of the connection, such as `cannotConnect` and `timedOut`, and the statuses 500
/// to 599 are failures. Any other response is a success. Other errors, such as a cancellation or an
/// untrusted certificate, do not count.
///
/// Source: M. Nygard, Release It!, the Circuit Breaker pattern.
public final class CircuitBreaker: Interceptor {
  /// The number of consecutive failures that opens a circuit; at least 1.
  public let threshold: Int
  /// The time that a circuit stays open before a trial.
  public let cooldown: Duration
  /// The circuits that are not in their initial state.
  private let circuits: Mutex<CircuitTable>

  /// Makes a circuit breaker.
  ///
  /// - Parameters:
  ///   - threshold: The number of consecutive failures that opens a circuit. A number below 1
  ///     counts as 1.
  ///   - cooldown: The time that a circuit stays open before a trial.
  public init(threshold: Int = 5, cooldown: Duration = .seconds(30)) {
    self.threshold = max(threshold, 1)
    self.cooldown = cooldown
    circuits = Mutex(CircuitTable(threshold: self.threshold, cooldown: cooldown))
  }

  /// Sends the exchange unless the circuit of its origin is open.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response. It is rejected with `circuitOpen` if nothing is sent.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let origin = Origin(exchange.request.url) else { return next(exchange) }
    let scheduler = exchange.scheduler
    // Read before the lock is taken, because a scheduler may be code of the user.
    let now = scheduler.now
    switch circuits.withLock({ $0.change(origin, at: now) { $0.admit(at: now) } }) {
    case .refuse(let remaining): return .rejected(refusal(of: exchange, origin, remaining))
    case .pass(let generation):
      return next(exchange).always(on: .inline) { result in
        let outcome = Self.outcome(of: result, from: origin)
        let now = scheduler.now
        self.circuits.withLock { circuits in
          circuits.change(origin, at: now) {
            $0.ended(outcome, generation: generation, at: now)
          }
        }
      }
    }
  }

  private static func outcome(
    of result: Result<Response, any Error>, from origin: Origin
  ) -> CircuitMachine.Outcome {
    switch result {
    case .success(let response): return (500...599).contains(response.status) ? .failure : .success
    case .failure(let error as NetworkError) where error.code.isConnectionFailure:
      // A failure of the server that issues the tokens is not one of this server.
      let failed = error.request.flatMap { URL(reference: $0.url) }.flatMap { Origin($0) }
      return failed == nil || failed == origin ? .failure : .ignored
    case .failure: return .ignored
    }
  }

  private func refusal(
    of exchange: Exchange, _ origin: Origin, _ remaining: Duration
  ) -> NetworkError {
    NetworkError(
      .circuitOpen,
      "\(origin.host):\(origin.port), "
        + (remaining > .zero
          ? "for another \(remaining.rounded)" : "while a trial request is in progress"),
      request: NetworkError.RequestSummary(exchange.request))
  }
}

/// The circuit of one origin.
struct CircuitMachine {
  /// The outcome of an admitted request.
  enum Outcome {
    case success
    case failure
    /// An outcome that does not count.
    case ignored
  }

  /// The decision about a request.
  enum Admission: Equatable {
    /// The request is sent, and reports its outcome with this generation.
    case pass(generation: Int)
    /// The request fails.
    ///
    /// The circuit stays open for the remaining time, which is 0 during a trial.
    case refuse(remaining: Duration)
  }

  private enum State: Equatable {
    case closed(failures: Int)
    case open(until: Duration)
    case halfOpen(isTrying: Bool)
  }

  private let threshold: Int
  private let cooldown: Duration
  private var state = State.closed(failures: 0)
  /// The number of state changes.
  ///
  /// Outcomes of requests sent in an earlier state are ignored.
  private var generation = 0
  /// The number of admitted requests that have not ended.
  ///
  /// A circuit is not dropped before, because a new one would not know their state.
  private var pendingCount = 0
  /// The time of the last request or outcome.
  private var lastUse = Duration.zero

  init(threshold: Int, cooldown: Duration) {
    self.threshold = threshold
    self.cooldown = cooldown
  }

  /// Whether the circuit is like a new one, so that it need not be stored.
  var isPristine: Bool { state == .closed(failures: 0) && pendingCount == 0 }

  /// Whether the circuit has not been used for longer than the cooldown, so that it may be dropped.
  func isStale(at now: Duration) -> Bool {
    if case .open(let until) = state, now < until { return false }
    return pendingCount == 0 && now - lastUse > cooldown
  }

  /// Decides whether a request may be sent.
  mutating func admit(at now: Duration) -> Admission {
    lastUse = now
    let admission = decide(at: now)
    if case .pass = admission { pendingCount += 1 }
    return admission
  }

  private mutating func decide(at now: Duration) -> Admission {
    switch state {
    case .closed: return .pass(generation: generation)
    case .open(let until) where now < until: return .refuse(remaining: until - now)
    case .halfOpen(isTrying: true): return .refuse(remaining: .zero)
    case .open, .halfOpen(isTrying: false):
      change(to: .halfOpen(isTrying: true))
      return .pass(generation: generation)
    }
  }

  /// Records the outcome of an admitted request.
  mutating func ended(_ outcome: Outcome, generation: Int, at now: Duration) {
    lastUse = now
    pendingCount = max(pendingCount - 1, 0)
    guard generation == self.generation else { return }
    switch (state, outcome) {
    case (.closed, .success): state = .closed(failures: 0)
    case (.closed(let failures), .failure):
      guard failures + 1 >= threshold else {
        return state = .closed(failures: failures + 1)
      }
      change(to: .open(until: now + cooldown))
    case (.halfOpen, .success): change(to: .closed(failures: 0))
    case (.halfOpen, .failure): change(to: .open(until: now + cooldown))
    case (.halfOpen, .ignored): change(to: .halfOpen(isTrying: false))
    case (.closed, .ignored), (.open, _): break
    }
  }

  private mutating func change(to state: State) {
    self.state = state
    generation += 1
  }
}

/// The circuits of all origins that are not like new ones.
///
/// Redirects can lead to any number of origins, so circuits that are not used are dropped.
struct CircuitTable {
  private static let minimumSweepCount = 256

  private let threshold: Int
  private let cooldown: Duration
  private var circuits: [Origin: CircuitMachine] = [:]
  /// The number of circuits at which stale ones are dropped.
  private var sweepCount = minimumSweepCount

  init(threshold: Int, cooldown: Duration) {
    self.threshold = threshold
    self.cooldown = cooldown
  }

  /// The number of circuits.
  var count: Int { circuits.count }

  /// Changes the circuit of an origin.
  mutating func change<Value: Sendable>(
    _ origin: Origin, at now: Duration, _ body: (inout CircuitMachine) -> Value
  ) -> Value {
    var circuit = circuits[origin] ?? CircuitMachine(threshold: threshold, cooldown: cooldown)
    let value = body(&circuit)
    circuits[origin] = circuit.isPristine ? nil : circuit
    if circuits.count >= sweepCount {
      circuits = circuits.filter { !$0.value.isStale(at: now) }
      // At least as many changes as circuits come before the next sweep.
      sweepCount = max(Self.minimumSweepCount, 2 * circuits.count)
    }
    return value
  }
}
