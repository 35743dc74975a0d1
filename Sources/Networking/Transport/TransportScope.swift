import Promises
import Synchronization

/// Supplies transports for whatever is asked within a scope, by clients that nobody could hand them to.
///
/// A client's own provider comes first. A client made within a scope keeps to it wherever it is used. When
/// the scope is over, what it knew is not let go to the network by what is left of it.
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
  private let knows: @Sendable (any RequestConvertible) -> Bool
  private let choose: @Sendable (any RequestConvertible, any Transport) -> Choice
  private let unmatched: @Sendable (any RequestConvertible) -> (any Transport)?
  private let ended: @Sendable (any RequestConvertible) -> any Transport
  private let outer: TransportScope?
  private let isOver = Atomic(false)

  /// Makes a scope inside of that which is the current one here.
  ///
  /// - Parameters:
  ///   - scheduler: whose time the clients take that are made within.
  ///   - knows: whether the scope is for an endpoint.
  ///   - choose: what performs a request of an endpoint, in place of the client's own transport.
  ///   - unmatched: what performs it when neither this scope nor one outside knows the endpoint; nil is
  ///     the client.
  ///   - ended: what performs it when the scope is over.
  package init(
    scheduler: any Scheduler,
    knows: @escaping @Sendable (_ endpoint: any RequestConvertible) -> Bool,
    choose:
      @escaping @Sendable (_ endpoint: any RequestConvertible, _ real: any Transport) -> Choice,
    unmatched: @escaping @Sendable (_ endpoint: any RequestConvertible) -> (any Transport)?,
    ended: @escaping @Sendable (_ endpoint: any RequestConvertible) -> any Transport
  ) {
    self.scheduler = scheduler
    self.knows = knows
    self.ended = ended
    self.choose = choose
    self.unmatched = unmatched
    outer = Self.innermost
  }

  /// The innermost scope here, over or not.
  static var innermost: TransportScope? { HandlerScope.current?.value as? TransportScope }

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
  ///
  /// - Parameters:
  ///   - endpoint: what is asked for.
  ///   - home: the scope that the client was made in.
  ///   - real: the client's own transport.
  /// - Returns: the transport that the innermost scope here has that is not over, or else that of `home`;
  ///   where all are over, one that fails, unless what was asked for would have passed while they were not.
  static func standIn(
    for endpoint: any RequestConvertible, home: TransportScope?, real: any Transport
  ) -> StandIn? {
    let here = innermost
    if let open = here?.stillOpen ?? home?.stillOpen {
      return open.transport(for: endpoint, real: real).map {
        StandIn(transport: $0, supplier: .scope(open))
      }
    }
    guard let ended = here ?? home else { return nil }
    return ended.transportAfterwards(for: endpoint).map {
      StandIn(transport: $0, supplier: .scope(ended))
    }
  }

  private func transport(
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

  /// Asks no provider, as those are not to be disturbed any more.
  private func transportAfterwards(for endpoint: any RequestConvertible) -> (any Transport)? {
    var scope: TransportScope? = self
    while let asked = scope {
      if asked.knows(endpoint) { return asked.ended(endpoint) }
      scope = asked.outer
    }
    return unmatched(endpoint) == nil ? nil : ended(endpoint)
  }
}

extension TransportScope: Hashable {
  /// Whether two are the same scope.
  package static func == (left: TransportScope, right: TransportScope) -> Bool { left === right }

  /// Feeds the identity to the hasher.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
