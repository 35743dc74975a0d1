import Promises
import Synchronization

/// Supplies transports for whatever is asked within a scope, by clients that nobody could hand them to.
///
/// A client's own provider comes first. A client made within a scope keeps to it wherever it is used,
/// until the scope is over.
package final class TransportScope: Sendable {
  /// What a scope says of an endpoint.
  package enum Choice: Sendable {
    /// This performs it.
    case transport(any Transport)
    /// The scope knows it, and lets it pass.
    case pass
    /// The scope does not know it.
    case unknown
  }

  /// Whose time the clients take that are made within.
  package let scheduler: any Scheduler
  private let choose: @Sendable (any RequestConvertible, any Transport) -> Choice
  private let unmatched: @Sendable (any RequestConvertible) -> (any Transport)?
  private let outer: TransportScope?
  private let isOver = Atomic(false)

  /// Makes a scope inside of that which is the current one here.
  ///
  /// - Parameters:
  ///   - scheduler: whose time the clients take that are made within.
  ///   - choose: what performs a request of an endpoint, in place of the client's own transport.
  ///   - unmatched: what performs it when neither this scope nor one outside knows the endpoint; nil is
  ///     the client.
  package init(
    scheduler: any Scheduler,
    choose:
      @escaping @Sendable (_ endpoint: any RequestConvertible, _ real: any Transport) -> Choice,
    unmatched: @escaping @Sendable (_ endpoint: any RequestConvertible) -> (any Transport)?
  ) {
    self.scheduler = scheduler
    self.choose = choose
    self.unmatched = unmatched
    outer = Self.current
  }

  /// The innermost scope here that is not over.
  package static var current: TransportScope? {
    (HandlerScope.current?.value as? TransportScope)?.stillOpen
  }

  /// Runs an operation within this scope, which is over when that returns.
  ///
  /// - Parameters:
  ///   - isolation: the caller's, which the operation keeps.
  ///   - operation: makes clients and requests.
  /// - Returns: what it returns.
  /// - Throws: what it throws.
  package func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    defer { isOver.store(true, ordering: .releasing) }
    return try await HandlerScope(self).run(operation)
  }

  /// This scope, or if it is over the next one outside that is not.
  var stillOpen: TransportScope? {
    isOver.load(ordering: .acquiring) ? outer?.stillOpen : self
  }

  /// What performs a request of an endpoint in place of the client's own transport; nil for nothing.
  func transport(
    for endpoint: any RequestConvertible, real: any Transport
  ) -> (any Transport)? {
    var isKnown = false
    var scope: TransportScope? = self
    while let asked = scope {
      switch asked.choose(endpoint, real) {
      case .transport(let transport): return transport
      case .pass: isKnown = true
      case .unknown: break
      }
      scope = asked.outer?.stillOpen
    }
    return isKnown ? nil : unmatched(endpoint)
  }
}

extension TransportScope: Hashable {
  /// Whether two are the same scope.
  package static func == (left: TransportScope, right: TransportScope) -> Bool { left === right }

  /// Feeds the identity to the hasher.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
