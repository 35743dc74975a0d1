/// Tells those who watch what happens in one hop of a call, as its transport has it.
struct HopEvents: Sendable {
  let call: CallEvents
  /// Which of all hops of the call it is.
  let number: Int

  /// The transport has told this.
  func receive(_ event: TransportEvent) {
    var event = event
    if case .head(var head) = event {
      head.headers = Redaction.headers(head.headers)
      event = .head(head)
    }
    call.tell { machine, now in
      machine.receive(number, at: now) { $0.receive(event, at: now) }
    }
  }

  /// The rest of the body is left out, and nobody waits for it.
  func breakOff() {
    call.tell { machine, now in
      machine.receive(number, at: now) { $0.breakOff(at: now) }
    }
    abandon()
  }

  /// Nobody waits for it any more.
  func abandon() {
    call.leave(hop: number)
  }
}
