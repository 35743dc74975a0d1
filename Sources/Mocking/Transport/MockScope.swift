import Networking
import Promises

/// The mocks of a scope of code, such as the operation of `withMocks`.
package struct MockScope: ScopedTransports {
  private let providers: [AnyTransportProvider]
  private let passesUnmatched: Bool
  private let name: String
  private let onMockFailure: (@Sendable (NetworkError) -> Void)?

  /// Runs an operation in which mocks respond to the requests of all clients.
  ///
  /// The scope uses the scheduler of the first provider.
  ///
  /// - Parameters:
  ///   - providers: The providers. The first provider for an endpoint that returns a transport is
  ///     used.
  ///   - unmatched: The policy for requests for which no provider of this scope and of the scopes
  ///     around it has a transport.
  ///   - name: The name of the scope in errors.
  ///   - onMockFailure: A closure that receives each failure of a request in the scope with the code
  ///     `mockFailed`, on the thread on which the request fails.
  ///   - isolation: The caller's isolation, which the operation inherits.
  ///   - operation: The operation.
  /// - Returns: The result of the operation.
  /// - Throws: The error of the operation.
  package static func run<Result>(
    _ providers: [AnyTransportProvider], unmatched: UnmatchedRequestPolicy, name: String,
    onMockFailure: (@Sendable (NetworkError) -> Void)? = nil,
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    let mocks = MockScope(
      providers: providers, passesUnmatched: unmatched == .pass, name: name,
      onMockFailure: onMockFailure)
    return try await TransportScope(mocks, scheduler: providers.first?.scheduler ?? .live)
      .run(operation)
  }

  /// Returns the transport of the first provider that has one, in this scope or those around it.
  package func transport(
    for endpoint: any RequestConvertible, in scope: TransportScope, real: any Transport
  ) -> (any Transport)? {
    // A scope around this one may still be open if this one ends just now.
    guard scope.innermostOpen != nil else { return endedTransport(for: endpoint, in: scope) }
    let candidates = sequence(first: scope) { $0.outer?.innermostOpen }
      .flatMap { Self.providers(of: $0, for: endpoint) }
    let selection = Selection(
      scope: self, endpoint: endpoint, real: real,
      passesUnmatched: passesUnmatched || candidates.contains(where: \.passesUnmatched))
    guard let transport = selection.transport(among: candidates[...]) else { return nil }
    return onMockFailure.map { ReportingTransport(base: transport, onMockFailure: $0) } ?? transport
  }

  private static func providers(
    of scope: TransportScope, for endpoint: any RequestConvertible
  ) -> [AnyTransportProvider] {
    (scope.transports as? MockScope)?.providers.filter { $0.matches(endpoint) } ?? []
  }

  /// Returns the reason for the failure of a request that no provider has a transport for.
  private func unmatchedReason(_ endpoint: any RequestConvertible) -> String {
    let reason = "\(name) has no mock for \(endpoint.nameWithoutValues)"
    if providers.contains(where: { $0.matches(endpoint) }) { return reason }
    let types = providers.map(\.name).joined(separator: ", ")
    return reason + (types.isEmpty ? "" : "; it has mocks for \(types)")
  }

  /// Returns a transport that fails a request, if a scope overrode its transport while it was open.
  ///
  /// It calls no provider, because an ended scope must not change the state of its mocks.
  private func endedTransport(
    for endpoint: any RequestConvertible, in scope: TransportScope
  ) -> FailingTransport? {
    let covering = sequence(first: scope, next: \.outer)
      .first { !Self.providers(of: $0, for: endpoint).isEmpty }
    guard let scope = covering?.transports as? MockScope ?? (passesUnmatched ? nil : self) else {
      return nil
    }
    return FailingTransport(
      .mockFailed,
      reason:
        "\(scope.name), in which this client was made or this request was started, has ended, so "
        + "there is no mock for \(endpoint.nameWithoutValues)")
  }
}

extension MockScope {
  /// The selection of the transport for one request among the providers for its endpoint.
  private struct Selection: Sendable {
    let scope: MockScope
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

/// A provider of transports for endpoints of any type, for a ``MockScope``.
package struct AnyTransportProvider: Sendable {
  /// The scheduler of the provider.
  let scheduler: any Scheduler
  /// The name of the endpoints in errors.
  let name: String
  /// Whether requests of its endpoints use the client's own transport if no provider has a transport
  /// for them.
  let passesUnmatched: Bool
  /// Whether the provider is for an endpoint.
  let matches: @Sendable (_ endpoint: any RequestConvertible) -> Bool
  /// The provider's transport for an endpoint.
  ///
  /// Requests that the transport does not handle itself are passed to `next`, or fail if it is `nil`.
  let transport:
    @Sendable (_ endpoint: any RequestConvertible, _ next: (any Transport)?) -> (any Transport)?

  /// Makes a provider for endpoints of one type.
  ///
  /// - Parameters:
  ///   - type: The type of the endpoints.
  ///   - scheduler: The scheduler of the provider.
  ///   - passesUnmatched: Whether requests without a transport of any provider use the client's own.
  ///   - transport: A closure that returns the transport for an endpoint. It receives the transport
  ///     for requests that it does not handle itself, which is `nil` if they fail.
  package init<Endpoint: RequestConvertible>(
    for type: Endpoint.Type, scheduler: any Scheduler, passesUnmatched: Bool,
    _ transport:
      @escaping @Sendable (_ endpoint: Endpoint, _ next: (any Transport)?) -> (any Transport)?
  ) {
    self.scheduler = scheduler
    self.passesUnmatched = passesUnmatched
    name = "\(type)"
    matches = { $0 is Endpoint }
    self.transport = { endpoint, next in
      (endpoint as? Endpoint).flatMap { transport($0, next) }
    }
  }

  /// Makes a provider for all endpoints.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler of the provider.
  ///   - transport: A closure that returns the transport. It receives the transport for requests that
  ///     it does not handle itself, which is `nil` if they fail.
  package init(
    scheduler: any Scheduler,
    _ transport: @escaping @Sendable (_ next: (any Transport)?) -> any Transport
  ) {
    self.scheduler = scheduler
    passesUnmatched = false
    name = "all endpoints"
    matches = { _ in true }
    self.transport = { _, next in transport(next) }
  }
}

extension RequestConvertible {
  /// The type of the endpoint and, for an enumeration, its case, such as `BoardsAPI.board`.
  ///
  /// It contains no associated values, because they may be secrets.
  var nameWithoutValues: String {
    let type = "\(type(of: self))"
    let mirror = Mirror(reflecting: self)
    guard mirror.displayStyle == .enum else { return type }
    if let label = mirror.children.first?.label { return "\(type).\(label)" }
    // A description written by the user may contain values.
    let isDescribed =
      self is any CustomStringConvertible || self is any CustomDebugStringConvertible
      || self is any TextOutputStreamable
    return isDescribed ? type : "\(type).\(self)"
  }
}
