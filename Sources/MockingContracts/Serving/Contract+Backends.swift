import Foundation
public import Mocking
public import MockingResources
public import Networking
public import Promises

extension Contract {
  /// Returns the routes of the operations, for a backend with other routes.
  ///
  /// ```swift
  /// let server = try MockServer {
  ///   Route(.get, "/pets/{id}") { _ in .status(503) }      // takes precedence
  ///   contract.routes()
  /// }
  /// ```
  ///
  /// Each operation has a route for the path of each server of the document. A request for another
  /// path has no route.
  ///
  /// - Parameters:
  ///   - seed: The seed of the bodies that are made from schemas.
  ///   - validatesRequests: Whether a request that does not keep the contract receives problem
  ///     details. `false` responds to every request for an operation.
  ///   - dynamic: Whether bodies are made from their schemas although the document has examples.
  ///   - store: The store for the items of collections, which makes them stateful: a created item is then
  ///     in the list. `nil` responds without a state.
  /// - Returns: The routes: a concrete path comes before a templated one.
  public func routes(
    seed: UInt64 = 0, validatesRequests: Bool = true, dynamic: Bool = false,
    store: ResourceStore? = nil
  ) -> [Route] {
    if let store {
      return statefulRoutes(
        seed: seed, validatesRequests: validatesRequests, dynamic: dynamic, in: store)
    }
    return content.operations.flatMap { operation in
      operation.basePaths.map { basePath in
        route(
          operation, at: basePath, seed: seed, validatesRequests: validatesRequests,
          dynamic: dynamic)
      }
    }
  }

  func route(
    _ operation: ContractOperation, at basePath: String, seed: UInt64, validatesRequests: Bool,
    dynamic: Bool
  ) -> Route {
    let path = ContractPath(basePath + operation.path)
    let responder = ContractResponder(
      operation, at: path, of: content, seed: seed, validates: validatesRequests,
      isDynamic: dynamic)
    let route = Route(operation.method, path.template) { responder.respond(to: $0) }
      .preparing(ifLong: responder.needsBody) { _ = responder.respond(to: $0) }
    return path.conditions.reduce(route) { $0.where($1) }
  }
}

extension MockProvider {
  /// Creates a provider with the operations of a contract.
  ///
  /// - Parameters:
  ///   - contract: The contract.
  ///   - seed: The seed of the bodies, and of the random numbers for weighted responses, faults and
  ///     delays.
  ///   - validatesRequests: Whether a request that does not keep the contract receives problem
  ///     details.
  ///   - dynamic: Whether bodies are made from their schemas although the document has examples.
  ///   - store: The store for the items of collections, which makes them stateful. `nil` responds without
  ///     a state.
  ///   - overrides: Routes that take precedence over the operations.
  ///   - delay: The default delay, for responses that do not set one.
  ///   - scheduler: The clock for delays. `nil` is the virtual time of the scope in which a request is
  ///     made, or else of the scope in which the provider is created, or else the system clock.
  ///   - strict: Whether a request without an operation fails with the code `mockFailed`. `false`
  ///     sends it to the real network. `nil` is `true` for the provider of a client.
  ///   - limits: The limits of the journal.
  public init(
    contract: Contract, seed: UInt64 = 0, validatesRequests: Bool = true,
    dynamic: Bool = false, store: ResourceStore? = nil, overrides: [Route] = [],
    delay: MockDelay = .zero,
    scheduler: (any Scheduler)? = nil, strict: Bool? = nil,
    journal limits: JournalLimits = JournalLimits()
  ) {
    self.init(
      routes: overrides
        + contract.routes(
          seed: seed, validatesRequests: validatesRequests, dynamic: dynamic, store: store),
      delay: delay, scheduler: scheduler, seed: seed, strict: strict, journal: limits)
  }
}

extension MockTransport {
  /// Creates a transport with the operations of a contract.
  ///
  /// - Parameters:
  ///   - contract: The contract.
  ///   - seed: The seed of the bodies, and of the random numbers for weighted responses, faults and
  ///     delays.
  ///   - validatesRequests: Whether a request that does not keep the contract receives problem
  ///     details.
  ///   - dynamic: Whether bodies are made from their schemas although the document has examples.
  ///   - store: The store for the items of collections, which makes them stateful. `nil` responds without
  ///     a state.
  ///   - overrides: Routes that take precedence over the operations.
  ///   - delay: The default delay, for responses that do not set one.
  ///   - scheduler: The clock for delays. `nil` is the virtual time of the scope in which a request is
  ///     started, or else of the scope in which the transport is created, or else the system clock.
  ///   - fallback: The transport for requests without an operation. `nil` makes them fail.
  ///   - limits: The limits of the journal.
  public init(
    contract: Contract, seed: UInt64 = 0, validatesRequests: Bool = true,
    dynamic: Bool = false, store: ResourceStore? = nil, overrides: [Route] = [],
    delay: MockDelay = .zero,
    scheduler: (any Scheduler)? = nil, fallback: (any Transport)? = nil,
    journal limits: JournalLimits = JournalLimits()
  ) {
    self.init(
      routes: overrides
        + contract.routes(
          seed: seed, validatesRequests: validatesRequests, dynamic: dynamic, store: store),
      delay: delay, scheduler: scheduler, seed: seed, fallback: fallback, journal: limits)
  }
}

extension MockServer {
  /// Starts a server with the operations of a contract.
  ///
  /// - Parameters:
  ///   - contract: The contract. The paths of its servers are a part of the paths of the requests.
  ///   - seed: The seed of the bodies, and of the random numbers for weighted responses, faults and
  ///     delays.
  ///   - validatesRequests: Whether a request that does not keep the contract receives problem
  ///     details.
  ///   - dynamic: Whether bodies are made from their schemas although the document has examples.
  ///   - store: The store for the items of collections, which makes them stateful. `nil` responds without
  ///     a state.
  ///   - overrides: Routes that take precedence over the operations.
  ///   - port: The port to listen on. 0 lets the system choose a free one.
  ///   - host: The address to listen on.
  ///   - limits: The limits for requests, connections and the journal.
  ///   - scheduler: The scheduler for delays.
  ///   - cors: The web pages that may read the responses.
  /// - Throws: ``MockServerError`` if the port is not available or an override is malformed.
  public convenience init(
    contract: Contract, seed: UInt64 = 0, validatesRequests: Bool = true,
    dynamic: Bool = false, store: ResourceStore? = nil, overrides: [Route] = [], port: Int = 0,
    host: String = "127.0.0.1", limits: MockServerLimits = MockServerLimits(),
    scheduler: any Scheduler = .live, cors: CORSPolicy = .off
  ) throws(MockServerError) {
    try self.init(
      routes: overrides
        + contract.routes(
          seed: seed, validatesRequests: validatesRequests, dynamic: dynamic, store: store),
      port: port, host: host, limits: limits, scheduler: scheduler, cors: cors, seed: seed)
  }
}
