/// A transport for what does not exist here: it fails every exchange, by the code
/// ``NetworkError/Code-swift.enum/unsupported``.
struct UnavailableTransport: Transport {
  /// What is missing, as a sentence.
  let reason: String

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    receive(.failure(TransportFailure(code: .unsupported, detail: reason)))
    return Handle()
  }

  /// On what was over before it began.
  private struct Handle: TransportHandle {
    func cancel() {}
    func suspend() {}
    func resume() {}
  }
}
