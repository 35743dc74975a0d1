import Networking

/// Fails every request within a scope that has no mocks for its endpoint's type.
struct UnmatchedTransport: Transport {
  let needsNetwork = false
  private let reason: String

  init(_ endpoint: any RequestConvertible) {
    reason = "withMocks has no provider for endpoints of the type \(type(of: endpoint))"
  }

  init(reason: String) {
    self.reason = reason
  }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    receive(.failure(TransportFailure(code: .mockFailed, detail: reason)))
    return FinishedExchange()
  }
}
