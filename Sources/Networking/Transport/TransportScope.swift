import Promises
import Synchronization

/// A dynamic scope that provides transports to all clients used in it, such as the scope of
/// `withMocks`.
///
/// A client's own provider takes precedence. A client made in a scope stays in it, wherever it is
/// used. After the end of the scope, requests of the client do not fall back to the network.
package final class TransportScope: Sendable {
  /// The source of time for clients made in the scope.
  package let scheduler: any Scheduler
  private let providers: [AnyTransportProvider]
  private let passesUnmatched: Bool
  private let name: String
  private let outer: TransportScope?
  private let hasEnded = Atomic(false)

  /// Makes a scope inside the current one.
  ///
  /// - Parameters:
  ///   - providers: The providers. The first provider for an endpoint's type that returns a
  ///     transport is used.
  ///   - passesUnmatched: Whether a request uses the client's own transport if no scope has a
  ///     provider for its endpoint. Otherwise the request fails with the code `mockFailed`.
  ///   - name: The name of the scope in errors.
  package init(providers: [AnyTransportProvider], passesUnmatched: Bool, name: String) {
    scheduler = providers.first?.scheduler ?? .live
    self.providers = providers
    self.passesUnmatched = passesUnmatched
    self.name = name
    outer = Self.innermost
  }

  /// The innermost scope of the current task or handler, ended or not.
  static var innermost: TransportScope? { HandlerScope.current?.value as? TransportScope }

  /// Runs an operation in the scope.
  ///
  /// The scope ends when the operation returns.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the operation inherits.
  ///   - operation: The operation.
  /// - Returns: The result of the operation.
  /// - Throws: The error of the operation.
  package func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    defer { hasEnded.store(true, ordering: .releasing) }
    return try await HandlerScope(self).run(operation)
  }

  /// The innermost scope that has not ended: this one or one that encloses it.
  ///
  /// `nil` if all of them have ended.
  var innermostOpen: TransportScope? {
    hasEnded.load(ordering: .acquiring) ? outer?.innermostOpen : self
  }

  /// Returns the transport for a request that a scope overrides, or `nil`.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - home: The scope in which the client was made.
  ///   - real: The client's own transport.
  /// - Returns: The transport of the innermost open scope of the current task or handler, or else
  ///   of `home`. If all of these scopes have ended, a transport that fails, unless the endpoint
  ///   would have used the client's own transport in the scope.
  static func select(
    for endpoint: any RequestConvertible, home: TransportScope?, real: any Transport
  ) -> SelectedTransport? {
    let current = innermost
    guard let scope = current?.innermostOpen ?? home?.innermostOpen else {
      guard let ended = current ?? home, let covering = ended.coveringScope(for: endpoint) else {
        return nil
      }
      return SelectedTransport(
        transport: covering.endedTransport(for: endpoint), source: .scope(ended))
    }
    return scope.transport(for: endpoint, real: real)
      .map { SelectedTransport(transport: $0, source: .scope(scope)) }
  }

  private func transport(
    for endpoint: any RequestConvertible, real: any Transport
  ) -> (any Transport)? {
    var isMatched = false
    var scope: TransportScope? = self
    while let current = scope {
      for provider in current.providers where provider.matches(endpoint) {
        if let transport = provider.transport(endpoint, real) { return transport }
        isMatched = true
      }
      scope = current.outer?.innermostOpen
    }
    guard !isMatched, !passesUnmatched else { return nil }
    return FailingTransport(
      .mockFailed,
      reason: "\(name) has no provider for endpoints of the type \(type(of: endpoint))")
  }

  /// Returns the scope that overrode the transport of an endpoint while it was open, if any.
  ///
  /// It calls no provider, because an ended scope must not change the state of its mocks.
  private func coveringScope(for endpoint: any RequestConvertible) -> TransportScope? {
    var scope: TransportScope? = self
    while let current = scope {
      if current.providers.contains(where: { $0.matches(endpoint) }) { return current }
      scope = current.outer
    }
    return passesUnmatched ? nil : self
  }

  private func endedTransport(for endpoint: any RequestConvertible) -> FailingTransport {
    FailingTransport(
      .mockFailed,
      reason:
        "\(name), in which this client was made or this request was started, has ended, so there "
        + "is no mock for endpoints of the type \(type(of: endpoint))")
  }
}

extension TransportScope: Hashable {
  /// Compares the identities of two scopes.
  package static func == (left: TransportScope, right: TransportScope) -> Bool { left === right }

  /// Hashes the identity.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A ``TransportProvider`` for endpoints of any type.
package struct AnyTransportProvider: Sendable {
  /// The scheduler of the provider.
  let scheduler: any Scheduler
  /// Whether an endpoint is of the provider's type.
  let matches: @Sendable (_ endpoint: any RequestConvertible) -> Bool
  /// The provider's transport for an endpoint.
  let transport:
    @Sendable (_ endpoint: any RequestConvertible, _ real: any Transport) -> (any Transport)?

  /// Erases the type of a provider.
  ///
  /// - Parameter provider: The provider.
  package init<Provider: TransportProvider>(_ provider: Provider) {
    scheduler = provider.scheduler
    matches = { $0.unwrapped(to: Provider.Endpoint.self) != nil }
    transport = { endpoint, real in
      endpoint.unwrapped(to: Provider.Endpoint.self)
        .flatMap { provider.transport(for: $0, real: real) }
    }
  }
}
