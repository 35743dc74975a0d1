import Promises

/// The transport of one request, and its source.
struct SelectedTransport: Sendable {
  /// The source of a transport.
  ///
  /// Requests share an exchange only if their transports have the same source.
  enum Source: Hashable, Sendable {
    /// The client's own transport.
    case client
    /// The client's ``TransportProvider``.
    case provider
    /// A scope of mocks.
    ///
    /// Two scopes may respond differently to the same request.
    case scope(TransportScope)
  }

  let transport: any Transport
  var source = Source.client

  /// The additional properties of the transport.
  ///
  /// They are not kept, because each copy of this value would take some 80 instructions more.
  var traits: (any TransportTraits)? { transport.traits }
}

/// A selector of the transport for each request of a client: that of the provider, else that of a
/// scope, else the client's own.
final class TransportSelector<Endpoint: RequestConvertible>: Sendable {
  /// The client's own transport.
  let own: SelectedTransport
  let provider: (any TransportProvider<Endpoint>)?
  /// The scope in which the client was made.
  let scope = TransportScope.innermost

  init(transport: any Transport, provider: (any TransportProvider<Endpoint>)?) {
    own = SelectedTransport(transport: transport)
    self.provider = provider
  }

  private var transport: any Transport { own.transport }

  /// The scheduler of the provider or the scope, if any.
  var scheduler: (any Scheduler)? { provider?.scheduler ?? scope?.innermostOpen?.scheduler }

  /// Whether a request made now may get another transport than the client's own.
  var mayOverride: Bool { provider != nil || scope != nil || TransportScope.innermost != nil }

  /// Returns the transport for a request of an endpoint of any type.
  func select(for endpoint: some RequestConvertible) -> SelectedTransport {
    // The cast is slow, so it is skipped without a provider.
    if let provider, let typed = endpoint as? Endpoint,
      let provided = provider.transport(for: typed, real: real(for: typed))
    {
      return SelectedTransport(transport: provided, source: .provider)
    }
    return TransportScope.select(for: endpoint, home: scope, real: transport) ?? own
  }

  /// Returns the transport for a stored request whose endpoint is not known.
  func select(forStored request: Request) -> SelectedTransport {
    provider?.transport(forStored: request, real: real(for: request))
      .map { SelectedTransport(transport: $0, source: .provider) } ?? select(for: request)
  }

  /// Returns the transport for requests that the provider passes on: the client's own, unless a
  /// scope may override it.
  private func real(for endpoint: some RequestConvertible) -> any Transport {
    let current = TransportScope.innermost
    guard current != nil || scope != nil else { return transport }
    return PassedOnTransport { [scope, transport] in
      TransportScope.select(for: endpoint, in: current, home: scope, real: transport)?.transport
        ?? transport
    }
  }
}
