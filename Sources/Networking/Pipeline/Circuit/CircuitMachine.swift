/// The circuit of one host.
struct CircuitMachine {
  /// What a request that was let through turned out to be.
  enum Outcome {
    case success
    case failure
    /// It tells nothing of the host.
    case neither
  }

  /// What a request may do.
  enum Admission: Equatable {
    /// Go through, and report with this number.
    case pass(era: Int)
    /// Fail at once; the circuit stays open for so long, nothing when a request is trying the host.
    case refuse(remaining: Duration)
  }

  private enum State: Equatable {
    case closed(failures: Int)
    case open(until: Duration)
    case halfOpen(isTrying: Bool)
  }

  private let rule: CircuitBreaker
  private var state = State.closed(failures: 0)
  /// Counts the changes of state, so that what was sent in an earlier one does not speak in this one.
  private var era = 0

  init(_ rule: CircuitBreaker) {
    self.rule = rule
  }

  /// Whether it is like a new one, so that the host can be forgotten.
  var isPristine: Bool { state == .closed(failures: 0) && era == 0 }

  /// Says whether a request may go through.
  mutating func admit(at now: Duration) -> Admission {
    switch state {
    case .closed: return .pass(era: era)
    case .open(let until) where now < until: return .refuse(remaining: until - now)
    case .halfOpen(isTrying: true): return .refuse(remaining: .zero)
    case .open, .halfOpen(isTrying: false):
      change(to: .halfOpen(isTrying: true))
      return .pass(era: era)
    }
  }

  /// Takes in how a request ended that was let through.
  mutating func ended(_ outcome: Outcome, era: Int, at now: Duration) {
    guard era == self.era else { return }
    switch (state, outcome) {
    case (.closed, .success): state = .closed(failures: 0)
    case (.closed(let failures), .failure):
      guard failures + 1 >= rule.threshold else { return state = .closed(failures: failures + 1) }
      change(to: .open(until: now + rule.cooldown))
    case (.halfOpen, .success): change(to: .closed(failures: 0))
    case (.halfOpen, .failure): change(to: .open(until: now + rule.cooldown))
    case (.halfOpen, .neither): change(to: .halfOpen(isTrying: false))
    case (.closed, .neither), (.open, _): break
    }
  }

  private mutating func change(to state: State) {
    self.state = state
    era += 1
  }
}
