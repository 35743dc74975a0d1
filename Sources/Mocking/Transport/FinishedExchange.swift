import Networking

/// A handle on an exchange that was over before it could be handed out.
struct FinishedExchange: TransportHandle {
  func cancel() {}
  func suspend() {}
  func resume() {}
}
