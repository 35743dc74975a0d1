public import Mocking
import Networking

/// The use of a tape as a source of mocks.
///
/// ```swift
/// let tape = try Tape(replaying: file)
/// try await withMocks(tape) {
///   let boards = try await BoardsScreen().load().value       // creates its own `Networking`
///   #expect(boards.count == 2)
/// }
/// #expect(tape.unplayed.isEmpty)
/// ```
///
/// The tape responds to the requests of all endpoints. A request that is not in the recording is
/// passed to the next mocks and to the outer scope, and otherwise fails. A tape that records sends all
/// requests over its own transport.
extension Tape: MockSource {
  /// Returns the recording as mocks with a journal of their own.
  ///
  /// - Returns: The mocks.
  public func makeMocks() -> ScopedMocks {
    guard let player else { return ScopedMocks(passingTo: self) }
    return MockTransport(routes: []).makeMocks { [self] next in
      next.map { PassingPlayer(player: player, next: $0) } ?? self
    }
  }
}

/// A transport that replays recorded requests and passes on all others.
private struct PassingPlayer: Transport {
  let player: TapePlayer
  let next: any Transport

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    request.bufferingStreamBody(receive) { [player, next] request, receive in
      player.contains(request)
        ? player.replay(request, receive) : next.start(request, receive)
    }
  }
}
