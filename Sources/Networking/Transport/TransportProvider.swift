public import Promises

/// A provider of transports for some endpoints of a client.
///
/// `MockProvider` in the module `Mocking` is a provider. Real and mocked requests share one queue.
public protocol TransportProvider<Endpoint>: Sendable {
  /// The client's endpoints.
  associatedtype Endpoint: RequestConvertible

  /// Returns the transport for a request of an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - real: The client's own transport, to fall back on.
  /// - Returns: The transport, or `nil` for the client's own.
  func transport(for endpoint: Endpoint, real: any Transport) -> (any Transport)?

  /// Returns the transport for a request from the offline store whose endpoint is not known.
  ///
  /// An earlier run of the program or another client has stored the request.
  ///
  /// The default implementation returns `nil`.
  ///
  /// - Parameters:
  ///   - request: The stored request.
  ///   - real: The client's own transport, to fall back on.
  /// - Returns: The transport, or `nil` for the client's own.
  func transport(forStored request: Request, real: any Transport) -> (any Transport)?

  /// The source of time for the provider's transports.
  ///
  /// The client uses it too, unless its configuration has a scheduler. The default is the system
  /// clock.
  var scheduler: any Scheduler { get }
}

extension TransportProvider {
  /// Returns `nil`.
  public func transport(forStored request: Request, real: any Transport) -> (any Transport)? { nil }

  /// The system clock.
  public var scheduler: any Scheduler { .live }
}
