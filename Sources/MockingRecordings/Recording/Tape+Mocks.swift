import Mocking
public import Networking
import Promises

/// The use of a tape as a provider of mocks.
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
/// In `withMocks`, the tape responds to the requests of all endpoints. A request that is not in the
/// recording is passed to the next mocks and to the outer scope, and otherwise fails. A tape that
/// records sends all requests over its own transport. As the provider of a client, which must be a
/// `Networking<Request>`, the tape passes no request on.
extension Tape: TransportProvider, ScopedMocks {
  /// The endpoints of a client whose provider is the tape.
  public typealias Endpoint = Request

  /// Whether requests wait for a network: `false` if the tape replays.
  public var needsNetwork: Bool { player == nil }

  /// Returns the tape.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of the request.
  ///   - real: The transport of the client, which is not used.
  /// - Returns: The tape.
  public func transport(for endpoint: Request, real: any Transport) -> (any Transport)? { self }

  /// Returns the tape.
  ///
  /// - Parameters:
  ///   - request: The stored request.
  ///   - real: The transport of the client, which is not used.
  /// - Returns: The tape.
  public func transport(forStored request: Request, real: any Transport) -> (any Transport)? {
    self
  }

  var scoped: AnyTransportProvider {
    AnyTransportProvider(scheduler: .live) { [self] next in
      guard let next, let player else { return self }
      return PassingPlayer(player: player, next: next)
    }
  }
}

/// A transport that replays recorded requests and passes on all others.
private struct PassingPlayer: Transport {
  let player: TapePlayer
  let next: any Transport

  var needsNetwork: Bool { false }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    request.bufferingStreamBody(receive) { [player, next] request, receive in
      player.contains(request)
        ? player.replay(request, receive) : next.start(request, receive)
    }
  }
}
