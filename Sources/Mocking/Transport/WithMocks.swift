import Networking
import Promises

/// What becomes of a request that no provider of a ``withMocks(_:unmatched:file:line:isolation:_:)`` is for.
public enum UnmatchedRequestPolicy: Sendable, Hashable {
  /// It fails, by the code `mockFailed`, and says which type of endpoint it was.
  case fail
  /// It goes to the network.
  case pass
}

/// Runs an operation in which every client answers from mocks, those too that nobody could hand them to.
///
/// ```swift
/// @Test func theListShowsWhatThereIs() async throws {
///   let provider = MockProvider<BoardsAPI> { _ in .json([["id": 1]]) }
///   try await withMocks(provider) {
///     let screen = BoardsScreen()                  // makes a `Networking` of its own
///     let boards = try await screen.load().value
///     #expect(boards.count == 1)
///   }
/// }
/// ```
///
/// - **Reach.** The scope holds in the tasks and task groups that the operation starts, in the handlers
///   that it attaches to promises, in whatever these do in their turn, and for a client made in any of
///   them. It does not hold in a detached task, nor in a block sent to a queue by hand.
/// - **Seclusion.** Two scopes side by side never see each other's mocks. A scope in a scope comes first,
///   and what it is not for is left to the one outside. A provider that a client was made with comes
///   before all scopes.
/// - **End.** When the operation has returned the scope is over. What is still under way is answered as it
///   was. What is left of the scope, a client made within or a task begun within, makes no call to the
///   network unawares: its requests go to the scope outside, if that is not over, and otherwise fail by the
///   code `mockFailed`, which names the scope. Those of endpoints that would have passed for
///   `unmatched: .pass` pass. A client made before has its own transport again. `Networking.shared` is always one
///   made before.
/// - **Time.** A client made within takes the time of the first provider; one made before keeps its own.
///
/// - Parameters:
///   - providers: the mocks; for an endpoint the first provider of its type that has an answer gives it.
///     A provider that returns nil lets the request pass to the scope outside or to the network.
///   - unmatched: what becomes of requests of endpoints that neither a provider of this scope nor one of
///     a scope outside is for.
///   - file: where the scope is, for errors.
///   - line: where the scope is, for errors.
///   - isolation: the caller's, which the operation keeps.
///   - operation: the code under test.
/// - Returns: what it returns.
/// - Throws: what it throws.
public func withMocks<each Provider: TransportProvider, Result>(
  _ providers: repeat each Provider, unmatched: UnmatchedRequestPolicy = .fail,
  file: StaticString = #fileID, line: UInt = #line,
  isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
) async rethrows -> Result {
  var erased: [AnyTransportProvider] = []
  for provider in repeat each providers { erased.append(AnyTransportProvider(provider)) }
  let scope = TransportScope(
    scheduler: erased.first?.scheduler ?? .live,
    knows: { [erased] endpoint in erased.contains { $0.isFor(endpoint) } },
    choose: { [erased] endpoint, real in
      let responsible = erased.filter { $0.isFor(endpoint) }
      guard !responsible.isEmpty else { return .unknown }
      return responsible.lazy.compactMap { $0.transport(endpoint, real) }.first.map {
        .transport($0)
      }
        ?? .pass
    },
    unmatched: { endpoint in
      guard unmatched == .fail else { return nil }
      return FailingTransport(
        reason: "the withMocks at \(file):\(line) has no provider for endpoints of the type "
          + "\(type(of: endpoint))")
    },
    ended: { endpoint in
      FailingTransport(
        reason:
          "the withMocks at \(file):\(line), in which this client was made or this request was "
          + "begun, is over, so nothing answers endpoints of the type \(type(of: endpoint))")
    })
  return try await scope.run(operation)
}

/// A provider that may be asked about endpoints of any type.
struct AnyTransportProvider: Sendable {
  let scheduler: any Scheduler
  /// Whether an endpoint is of the provider's type.
  let isFor: @Sendable (_ endpoint: any RequestConvertible) -> Bool
  /// The provider's transport for it.
  let transport:
    @Sendable (_ endpoint: any RequestConvertible, _ real: any Transport) -> (any Transport)?

  init<Provider: TransportProvider>(_ provider: Provider) {
    scheduler = provider.scheduler
    isFor = { $0.unwrapped(to: Provider.Endpoint.self) != nil }
    transport = { endpoint, real in
      endpoint.unwrapped(to: Provider.Endpoint.self)
        .flatMap { provider.transport(for: $0, real: real) }
    }
  }
}
