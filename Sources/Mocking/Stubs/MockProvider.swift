import Networking
import Promises

/// Stands in for a backend, endpoint by endpoint.
///
/// ```swift
/// let provider = MockProvider<BoardsAPI>(delay: .milliseconds(200)) { endpoint in
///   switch endpoint {
///   case .boards: .json([["id": 1, "title": "Balsa Fish"]])
///   case .board(let id) where id > 100: .status(404)
///   default: nil                              // the real network
///   }
/// }
/// let networking = Networking<BoardsAPI>(mockProvider: provider)
/// ```
///
/// Mocked requests ride the client's queue and pass its stages like all others. Providers share nothing,
/// so tests with one each may run side by side.
public struct MockProvider<Endpoint: RequestConvertible>: TransportProvider {
  /// Whose time the delays take, and with them a client of this provider.
  public let scheduler: any Scheduler
  private let delay: Duration
  private let resolve: @Sendable (Endpoint) -> Mock?

  /// Makes a provider.
  ///
  /// - Parameters:
  ///   - delay: how long answers take that name no time of their own.
  ///   - scheduler: whose time that is.
  ///   - resolve: the answer for an endpoint, or nil for the real network. It is asked where the request
  ///     is made, once for each, and must not block.
  public init(
    delay: Duration = .zero, scheduler: some Scheduler = .live,
    _ resolve: @escaping @Sendable (_ endpoint: Endpoint) -> Mock?
  ) {
    self.delay = delay
    self.scheduler = scheduler
    self.resolve = resolve
  }

  /// The transport that gives the endpoint's answer; nil where there is none.
  ///
  /// - Parameter endpoint: what was asked for.
  /// - Returns: a transport for this one request, or nil for the client's own.
  public func transport(for endpoint: Endpoint) -> (any Transport)? {
    resolve(endpoint).map { mock in
      MockTransport(mock: mock, delay: mock.delay ?? delay, scheduler: scheduler)
    }
  }
}
