/// What the callers of one exchange have in common: its account, and its progress.
struct SharedExchange: Sendable {
  /// Its own, as attempts and whoever has it in his hands are matters of the exchange, not of a caller.
  let trace: CallTrace
  let progress = ProgressRelay()

  /// - Parameter events: tells those who watch what happens to it: those of the call that begins it.
  init(telling events: CallEvents? = nil) {
    trace = CallTrace(telling: events)
  }
}

extension Exchange {
  /// The same on behalf of several callers.
  func shared(as shared: SharedExchange) -> Exchange {
    var exchange = self
    exchange.call = call.shared(shared.trace, shared.progress)
    return exchange
  }
}
