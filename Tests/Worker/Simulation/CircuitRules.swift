import Networking

/// The rules about the circuits of both hosts.
struct CircuitRules {
  private enum State {
    case closed(failures: Int)
    case open(until: Duration)
    /// The cooldown is over. The hop is the trial, if there is one.
    case halfOpen(trial: Int?)
    /// The order of events at the same time is not known.
    case unknown
  }

  private struct Circuit {
    var state = State.closed(failures: 0)
    /// The hops that were sent since the state has changed.
    var pending: [Int: Duration] = [:]
  }

  private let settings: StorySettings
  private let entries: [StoryLog.Entry]
  private var circuits: [String: Circuit] = [:]
  private var hops: [Int: StoryHop] = [:]
  /// The times at which the limits of calls are reached.
  private var deadlines: Set<Duration> = []
  private(set) var violations: [String] = []

  init(_ settings: StorySettings, _ calls: [StoryCall], _ entries: [StoryLog.Entry]) {
    self.settings = settings
    self.entries = entries
    guard settings.circuit != nil else { return }
    for entry in entries {
      switch entry.event {
      case .began(let call):
        if let limit = settings.limit(of: calls[call].request) {
          deadlines.insert(entry.time + limit)
        }
      case .hop(let hop):
        hops[hop.number] = hop
        start(hop, at: entry.time)
      case .ended(let number, let end):
        guard let hop = hops[number] else { break }
        if case .closed = end, isAtLimit(number, of: hop.host, at: entry.time) {
          timeOut(hop, at: entry.time)
        } else {
          self.end(hop, isFailure(hop, end), at: entry.time)
        }
      case .settled(let call, .failed(.circuitOpen), _):
        if !mayReject(at: entry.time) {
          violations.append("call \(call) was rejected, but no circuit was open")
        }
      default: break
      }
    }
  }

  /// Whether an ended hop is a failure of its host, or `nil` if it does not count.
  private func isFailure(_ hop: StoryHop, _ end: StoryHop.End) -> Bool? {
    switch (end, hop.reply?.kind) {
    case (.complete, .retryAfter?): true
    case (.complete, .status(let status)?): status >= 500
    case (.complete, _): false
    case (.failed, _): true
    case (.closed, _): nil
    }
  }

  /// Whether the limit of an attempt ends a hop at a time.
  private func isAtLimit(_ number: Int, of host: String, at now: Duration) -> Bool {
    circuits[host]?.pending[number].map { now - $0 } == settings.attemptTimeout
      && settings.attemptTimeout != nil
  }

  /// Ends a hop at the limit of its attempt, which is a failure of the host.
  private mutating func timeOut(_ hop: StoryHop, at now: Duration) {
    if deadlines.contains(now) {
      circuits[hop.host] = Circuit(state: .unknown)
    } else {
      end(hop, true, at: now)
    }
  }

  /// Whether a circuit may be open.
  private func mayReject(at now: Duration) -> Bool {
    circuits.values.contains { circuit in
      switch circuit.state {
      case .open(let until): now < until
      case .halfOpen(let trial): trial != nil
      case .unknown: true
      // A hop that has just timed out may have opened it.
      case .closed: circuit.pending.values.contains { now - $0 == settings.attemptTimeout }
      }
    }
  }

  private mutating func start(_ hop: StoryHop, at now: Duration) {
    var circuit = circuits[hop.host] ?? Circuit()
    // A promise that times out settles before its exchange is cancelled, so that it is not known
    // whether a hop at its limit has ended.
    let isAnyAtLimit = circuit.pending.keys.contains { isAtLimit($0, of: hop.host, at: now) }
    if isAnyAtLimit { circuit = Circuit(state: .unknown) }
    switch circuit.state {
    case .closed, .unknown: break
    case .open(let until) where now < until:
      violations.append("hop \(hop.number) was sent to \(hop.host), whose circuit was open")
    case .halfOpen(let trial?):
      violations.append("hop \(hop.number) was sent beside the trial \(trial)")
    case .open, .halfOpen(nil): circuit = Circuit(state: .halfOpen(trial: hop.number))
    }
    circuit.pending[hop.number] = now
    circuits[hop.host] = circuit
  }

  private mutating func end(_ hop: StoryHop, _ isFailure: Bool?, at now: Duration) {
    guard let settings = settings.circuit, var circuit = circuits[hop.host],
      circuit.pending.removeValue(forKey: hop.number) != nil
    else { return }
    switch (circuit.state, isFailure) {
    case (.closed(let failures), true?):
      circuit.state = .closed(failures: failures + 1)
      if failures + 1 >= settings.threshold {
        circuit = Circuit(state: .open(until: now + settings.cooldown))
      }
    case (.halfOpen, true?): circuit = Circuit(state: .open(until: now + settings.cooldown))
    case (.closed, false?), (.halfOpen, false?): circuit.state = .closed(failures: 0)
    case (.halfOpen, nil): circuit.state = .halfOpen(trial: nil)
    case (.closed, nil), (.open, _), (.unknown, _): break
    }
    circuits[hop.host] = circuit
  }
}
