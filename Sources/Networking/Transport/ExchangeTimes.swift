/// When an exchange has taken too long, for a transport that sees a connection only by what moves on it.
struct ExchangeTimes: Sendable, Equatable {
  /// How long connecting may take; nil is without limit.
  var connect: Duration?
  /// How long the connection may be silent; nil is without limit.
  var idle: Duration?
  /// How long the whole may take; nil is without limit.
  var total: Duration?
  /// Whether something is sent that shows that the connection stands.
  var showsConnection = false

  /// A time at which an exchange is over, and what that is called.
  struct Deadline: Equatable {
    let due: Duration
    let phase: NetworkError.Phase
  }

  /// What comes first, if nothing happens before.
  ///
  /// - Parameters:
  ///   - started: when the exchange was started.
  ///   - lastActivity: when something was last heard of it; nil when nothing was yet.
  /// - Returns: the deadline; nil when there is none.
  func deadline(started: Duration, lastActivity: Duration?) -> Deadline? {
    let phase = phaseDeadline(started: started, lastActivity: lastActivity)
    guard let total else { return phase }
    let whole = Deadline(due: started + total, phase: .attempt)
    return phase.map { $0.due <= whole.due ? $0 : whole } ?? whole
  }

  private func phaseDeadline(started: Duration, lastActivity: Duration?) -> Deadline? {
    if let lastActivity { return idle.map { Deadline(due: lastActivity + $0, phase: .idle) } }
    if showsConnection {
      return connect.map { Deadline(due: started + $0, phase: .connect) }
        ?? idle.map { Deadline(due: started + $0, phase: .idle) }
    }
    // It may be connecting, or connected and silent: both have to be over before it is late for sure.
    return idle.map { Deadline(due: started + (connect ?? .zero) + $0, phase: .idle) }
  }
}
