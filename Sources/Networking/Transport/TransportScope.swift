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
  private let onMockFailure: (@Sendable (NetworkError) -> Void)?
  private let outer: TransportScope?
  private let hasEnded = Atomic(false)
  private let sharedObjects = Mutex<[String: any AnyObject & Sendable]>([:])

  /// Makes a scope inside the current one.
  ///
  /// - Parameters:
  ///   - providers: The providers. The first provider for an endpoint that returns a transport is
  ///     used.
  ///   - passesUnmatched: Whether a request uses the client's own transport if no provider of this
  ///     scope and of the scopes around it has a transport for it. Otherwise the request fails with
  ///     the code `mockFailed`.
  ///   - name: The name of the scope in errors.
  ///   - onMockFailure: A closure that receives each failure of a request in the scope with the code
  ///     `mockFailed`, on the thread on which the request fails.
  package init(
    providers: [AnyTransportProvider], passesUnmatched: Bool, name: String,
    onMockFailure: (@Sendable (NetworkError) -> Void)? = nil
  ) {
    scheduler = providers.first?.scheduler ?? .live
    self.providers = providers
    self.passesUnmatched = passesUnmatched
    self.name = name
    self.onMockFailure = onMockFailure
    outer = Self.innermost
  }

  /// The innermost scope of the current task or handler, ended or not.
  static var innermost: TransportScope? { HandlerScope.innermost?.value as? TransportScope }

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

  /// Returns the object that the clients of the scope share under a key.
  ///
  /// The scope retains it.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - make: A closure that makes the object, called without a lock. If two threads make one, the
  ///     first one is kept.
  /// - Returns: The object.
  /// - Throws: The error of `make`.
  func sharedObject<Object: AnyObject & Sendable>(
    for key: String, make: () throws -> Object
  ) rethrows -> Object {
    if let object = sharedObjects.withLock({ $0[key] }) as? Object { return object }
    let object = try make()
    return sharedObjects.withLock { objects in
      if let first = objects[key] as? Object { return first }
      objects[key] = object
      return object
    }
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
  ///   - current: The innermost scope of the task or handler that makes the request.
  ///   - home: The scope in which the client was made.
  ///   - real: The client's own transport.
  /// - Returns: The transport of the innermost open scope of `current`, or else of `home`. If all of
  ///   these scopes have ended, a transport that fails, unless the endpoint would have used the
  ///   client's own transport in the scope.
  static func select(
    for endpoint: any RequestConvertible, in current: TransportScope? = innermost,
    home: TransportScope?, real: any Transport
  ) -> SelectedTransport? {
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
    var candidates: [AnyTransportProvider] = []
    var scope: TransportScope? = self
    while let current = scope {
      candidates += current.providers.filter { $0.matches(endpoint) }
      scope = current.outer?.innermostOpen
    }
    let selection = Selection(
      scope: self, endpoint: endpoint, real: real,
      passesUnmatched: passesUnmatched || candidates.contains(where: \.passesUnmatched))
    guard let transport = selection.transport(among: candidates[...]) else { return nil }
    return onMockFailure.map { ReportingTransport(base: transport, onMockFailure: $0) } ?? transport
  }

  /// Returns the reason for the failure of a request that no provider has a transport for.
  private func unmatchedReason(_ endpoint: any RequestConvertible) -> String {
    let reason = "\(name) has no mock for \(endpoint.nameWithoutValues)"
    if providers.contains(where: { $0.matches(endpoint) }) { return reason }
    let types = providers.map(\.name).joined(separator: ", ")
    return reason + (types.isEmpty ? "" : "; it has mocks for \(types)")
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
        + "is no mock for \(endpoint.nameWithoutValues)")
  }
}

extension TransportScope {
  /// The selection of the transport for one request among the providers for its endpoint.
  private struct Selection: Sendable {
    let scope: TransportScope
    let endpoint: any RequestConvertible
    /// The client's own transport.
    let real: any Transport
    /// Whether the request uses the client's own transport if no provider has a transport.
    let passesUnmatched: Bool

    /// Returns the transport of the first provider that has one.
    ///
    /// - Parameter candidates: The providers in the order of precedence.
    /// - Returns: The transport, or one that fails if no provider has one. `nil` for the client's
    ///   own.
    func transport(among candidates: ArraySlice<AnyTransportProvider>) -> (any Transport)? {
      var others = candidates
      while let provider = others.popFirst() {
        if let transport = provider.transport(endpoint, next(others)) { return transport }
      }
      if passesUnmatched { return nil }
      return FailingTransport(.mockFailed, reason: scope.unmatchedReason(endpoint))
    }

    /// Returns the transport for requests that a provider passes on after it has returned its
    /// transport.
    ///
    /// `nil` if such requests fail.
    private func next(_ others: ArraySlice<AnyTransportProvider>) -> (any Transport)? {
      guard others.isEmpty else {
        return PassedOnTransport { transport(among: others) ?? real }
      }
      return passesUnmatched ? real : nil
    }
  }

  /// A transport for requests that mocks pass on.
  ///
  /// It selects the transport of a request when the first attempt starts, and keeps it for the
  /// others, so that the closure of the next provider also runs once for each request.
  final class PassedOnTransport: TransportTraits {
    private let select: @Sendable () -> any Transport
    private let selected = Mutex<(any Transport)?>(nil)

    /// Makes a transport.
    ///
    /// - Parameter select: A closure that returns the transport of the request.
    init(_ select: @escaping @Sendable () -> any Transport) {
      self.select = select
    }

    var selection: Promise<any Transport>? { transport().selectedTransport() }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      transport().start(request, receive)
    }

    private func transport() -> any Transport {
      if let transport = selected.withLock({ $0 }) { return transport }
      // Calls closures of providers, so it must not run under the lock. The attempts of a request do
      // not start concurrently.
      let transport = select()
      selected.withLock { $0 = transport }
      return transport
    }
  }

  /// A transport that reports the failures of mocks.
  private struct ReportingTransport: TransportTraits {
    let base: any Transport
    let onMockFailure: @Sendable (NetworkError) -> Void

    var needsNetwork: Bool { base.needsNetwork }

    var selection: Promise<any Transport>? { base.selectedTransport() }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      base.start(request) { event in
        if case .failure(let failure) = event, failure.code == .mockFailed, failure.rejection == nil
        {
          onMockFailure(NetworkError(failure, of: request))
        }
        receive(event)
      }
    }
  }
}

extension TransportScope: Hashable {
  /// Compares the identities of two scopes.
  package static func == (left: TransportScope, right: TransportScope) -> Bool { left === right }

  /// Hashes the identity.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension RequestConvertible {
  /// The type of the endpoint and, for an enumeration, its case, such as `BoardsAPI.board`.
  ///
  /// It contains no associated values, because they may be secrets.
  package var nameWithoutValues: String {
    var endpoint: any RequestConvertible = self
    while let wrapper = endpoint as? any EndpointWrapper { endpoint = wrapper.wrapped }
    let type = "\(type(of: endpoint))"
    let mirror = Mirror(reflecting: endpoint)
    guard mirror.displayStyle == .enum else { return type }
    if let label = mirror.children.first?.label { return "\(type).\(label)" }
    // A description written by the user may contain values.
    let isDescribed =
      endpoint is any CustomStringConvertible || endpoint is any CustomDebugStringConvertible
      || endpoint is any TextOutputStreamable
    return isDescribed ? type : "\(type).\(endpoint)"
  }
}
