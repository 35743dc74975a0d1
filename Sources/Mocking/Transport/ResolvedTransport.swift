import Networking

/// Answers the attempts of one request by the mock that was laid down for it.
final class ResolvedTransport: Transport {
  private let mock: Mock
  private let player: MockPlayer
  private let journal: RequestJournal
  private let real: any Transport

  init(mock: Mock, player: MockPlayer, journal: RequestJournal, real: any Transport) {
    self.mock = mock
    self.player = player
    self.journal = journal
    self.real = real
  }

  var needsNetwork: Bool { false }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    do {
      try request.checkSendable()
    } catch {
      receive(.failure(error))
      return FinishedExchange()
    }
    return request.readingStream(on: player.scheduler, receive, answer)
  }

  private func answer(
    _ request: HTTPRequest, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    let ticket = journal.record(request.source(at: player.scheduler.now))
    return player.answer(
      request, by: mock, ticket,
      received: { () throws(TransportFailure) in
        try request.received(
          request.receivedPath, number: ticket.number, at: player.scheduler.now)
      },
      receive,
      fallThrough: {
        ticket.settle(.passedOn)
        return real.start(request, receive)
      })
  }
}
