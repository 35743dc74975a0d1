import Networking
import Promises

/// A provider that may be asked about endpoints of any type.
struct AnyProvider: Sendable {
  let scheduler: any Scheduler
  /// Whether an endpoint is of the provider's type.
  let isFor: @Sendable (_ endpoint: any RequestConvertible) -> Bool
  /// The provider's transport for it.
  let transport:
    @Sendable (_ endpoint: any RequestConvertible, _ real: any Transport) -> (any Transport)?

  init<Provider: TransportProvider>(_ provider: Provider) {
    scheduler = provider.scheduler
    isFor = { $0.unwrapped(to: Provider.Endpoint.self) != nil }
    transport = { endpoint, real in
      endpoint.unwrapped(to: Provider.Endpoint.self)
        .flatMap { provider.transport(for: $0, real: real) }
    }
  }
}
