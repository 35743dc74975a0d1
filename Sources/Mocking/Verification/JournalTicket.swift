import Networking

/// By which who answers a request tells the journal what has come of it.
struct JournalTicket: Sendable {
  let journal: RequestJournal
  let number: Int
  /// Of the journal; after a reset the number may be another request's.
  let generation: Int
  /// The number of the route that answers; nil for none.
  let route: Int?

  func settle(_ outcome: JournalEntry.Outcome) {
    journal.settle(number, of: generation, outcome)
  }

  /// The same receiver, with the journal told of the head and of a failure before it is.
  func watching(
    _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> @Sendable (TransportEvent) -> Void {
    { event in
      switch event {
      case .head(let head): settle(.response(status: head.status))
      case .failure(let failure): settle(.failure(failure.code))
      case .connected, .answered, .sent, .body, .end: break
      }
      receive(event)
    }
  }
}
