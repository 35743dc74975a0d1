import CatenaSystem
import Promises

/// The mocks of a ``TransportScope``.
package protocol ScopedTransports: Sendable {
  /// Returns the transport for a request in a scope, or `nil` for the client's own.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - scope: The scope. If it has ended, all scopes that enclose it have ended, too.
  ///   - real: The client's own transport.
  /// - Returns: The transport, which fails requests that must not be sent to the network.
  func transport(
    for endpoint: any RequestConvertible, in scope: TransportScope, real: any Transport
  ) -> (any Transport)?
}

/// A dynamic scope that provides transports to all clients used in it, such as the scope of
/// `withMocks`.
///
/// A client's own provider takes precedence. A client made in a scope stays in it, wherever it is
/// used. After the end of the scope, requests of the client do not fall back to the network.
package final class TransportScope: Sendable, HashableByIdentity {
  /// The source of time for clients made in the scope.
  let scheduler: any Scheduler
  /// The mocks of the scope.
  package let transports: any ScopedTransports
  /// The scope that encloses this one, ended or not.
  package let outer: TransportScope?
  private let isOver = Atomic(false)
  private let sharedObjects = Mutex<[String: any AnyObject & Sendable]>([:])

  /// Makes a scope inside the current one.
  ///
  /// - Parameters:
  ///   - transports: The mocks of the scope.
  ///   - scheduler: The source of time for clients made in the scope.
  package init(_ transports: any ScopedTransports, scheduler: any Scheduler) {
    self.transports = transports
    self.scheduler = scheduler
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
    defer { isOver.store(true, ordering: .releasing) }
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

  /// Whether the operation of the scope has returned.
  private var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// The innermost scope that has not ended: this one or one that encloses it.
  ///
  /// `nil` if all of them have ended.
  package var innermostOpen: TransportScope? { hasEnded ? outer?.innermostOpen : self }

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
    let open = current?.innermostOpen ?? home?.innermostOpen
    guard let scope = open ?? current ?? home else { return nil }
    return scope.transports.transport(for: endpoint, in: scope, real: real)
      .map { SelectedTransport(transport: $0, source: .scope(scope)) }
  }
}

/// A transport for requests that mocks pass on.
///
/// It selects the transport of a request when the first attempt starts, and keeps it for the
/// others, so that the closure of the next provider also runs once for each request.
package final class PassedOnTransport: TransportTraits {
  private let select: @Sendable () -> any Transport
  private let selected = Mutex<(any Transport)?>(nil)

  /// Makes a transport.
  ///
  /// - Parameter select: A closure that returns the transport of the request.
  package init(_ select: @escaping @Sendable () -> any Transport) { self.select = select }

  /// The selection of the selected transport.
  package var selection: Promise<any Transport>? { transport().selectedTransport() }

  /// Starts an exchange over the selected transport.
  package func start(
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
