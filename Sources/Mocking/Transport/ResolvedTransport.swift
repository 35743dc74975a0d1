import Networking

/// Answers the attempts of one request by the mock that was laid down for it.
struct ResolvedTransport: Transport {
  let mock: Mock
  let player: MockPlayer
  let real: any Transport

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    request.readingStream(receive, answer)
  }

  private func answer(
    _ request: HTTPRequest, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    player.answer(
      request, by: mock,
      received: { () throws(TransportFailure) in
        let target = RequestTarget(request.target)
        let path = ReceivedPath(
          text: target.map { String($0.path) } ?? request.target, target?.segments ?? [])
        return try request.received(path, number: 0, at: player.scheduler.now)
      },
      receive, fallThrough: { real.start(request, receive) })
  }
}
