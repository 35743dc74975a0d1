import Promises

/// Supplies another transport for some endpoints of a client.
///
/// `MockProvider` in the module `Mocking` is one; so real and mocked requests mix, in one queue.
public protocol TransportProvider<Endpoint>: Sendable {
  /// The client's endpoints.
  associatedtype Endpoint: RequestConvertible

  /// Chooses what performs a request.
  ///
  /// - Parameters:
  ///   - endpoint: what was asked for.
  ///   - real: the client's own transport, for one that falls back on it after all.
  /// - Returns: the transport for it, or nil for the client's own.
  func transport(for endpoint: Endpoint, real: any Transport) -> (any Transport)?

  /// Chooses what performs a request that was kept in an offline store in an earlier run, or by another
  /// client, so that its endpoint is no longer known.
  ///
  /// - Parameters:
  ///   - request: what was kept, or else what was asked for.
  ///   - real: the client's own transport.
  /// - Returns: the transport for it, or nil, as the one given here does, for the client's own.
  func transport(forKept request: Request, real: any Transport) -> (any Transport)?

  /// Whose time its transports take.
  ///
  /// It becomes that of the client, unless the client's configuration names another; the one given here
  /// is the clock.
  var scheduler: any Scheduler { get }
}

extension TransportProvider {
  /// Nil.
  public func transport(forKept request: Request, real: any Transport) -> (any Transport)? { nil }

  /// The clock.
  public var scheduler: any Scheduler { .live }
}
