import Networking

/// Fails every request by the code `mockFailed`.
struct FailingTransport: Transport {
  let needsNetwork = false
  let reason: String

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    receive(.failure(TransportFailure(code: .mockFailed, detail: reason)))
    return FinishedExchange()
  }
}
