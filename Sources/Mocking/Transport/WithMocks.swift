public import Networking
import Promises

/// The policy for requests that no mock handles, of a scope of
/// ``withMocks(_:unmatched:file:line:isolation:_:)-(Provider,_,_,_,_,_)``.
public enum UnmatchedRequestPolicy: Sendable, Hashable {
  /// The request fails with the code `mockFailed` and a message that contains the scope and the
  /// endpoint without its values.
  case fail
  /// The request is sent to the network.
  case pass
}

/// Runs an operation in which mocks respond to the requests of all clients.
///
/// The scope also applies to clients to which a test cannot pass a provider.
///
/// ```swift
/// @Test func theListShowsTheBoards() async throws {
///   let provider = MockProvider<BoardsAPI> { _ in .json([["id": 1]]) }
///   try await withMocks(provider) {
///     let screen = BoardsScreen()                  // creates its own `Networking`
///     let boards = try await screen.load().value
///     #expect(boards.count == 1)
///   }
/// }
/// ```
///
/// - **Extent.** The scope applies to the operation, to its tasks and task groups, to the promise
///   handlers that it attaches, to the code that these run, and to every client created in them. It
///   does not apply to a detached task, nor to a block that is dispatched to a queue directly.
/// - **Isolation.** Two concurrent scopes never use each other's mocks. An inner scope has
///   precedence; requests that it does not handle go to the outer scope. The provider of a client
///   has precedence over all scopes.
/// - **Requests without a mock** fail, and are not sent to the network: if no provider has a mock for
///   them, or if there is no provider for the type of their endpoint. To change this for a scope, pass
///   `unmatched: .pass`; for one provider, create it with `strict: false`.
/// - **End.** The scope ends when the operation returns. Requests already in progress keep their
///   mocks. After the end, a client created in the scope, or a task started in it, does not send
///   requests to the network: they go to the outer scope if that is still active, and otherwise
///   fail with the code `mockFailed` and the name of the scope. Requests that `unmatched: .pass`
///   sends to the network are still sent there. A client created before the scope uses its own
///   transport again. `Networking.shared` always counts as created before the scope.
/// - **Time.** A client created in the scope uses the scheduler of the first provider. A client
///   created before the scope keeps its own scheduler.
///
/// - Parameters:
///   - providers: The mock providers. For an endpoint, the first provider of its type that has a
///     mock is used. If a provider returns `nil`, the request is passed to the next provider and to
///     the outer scope.
///   - unmatched: The policy for requests that no mock of this scope or an outer scope handles.
///   - file: The source file of the scope, for error messages.
///   - line: The source line of the scope, for error messages.
///   - isolation: The isolation of the caller, which the operation keeps.
///   - operation: The code to run.
/// - Returns: The result of the operation.
/// - Throws: The error of the operation.
public func withMocks<each Provider: TransportProvider, Result>(
  _ providers: repeat each Provider, unmatched: UnmatchedRequestPolicy = .fail,
  file: StaticString = #fileID, line: UInt = #line,
  isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
) async rethrows -> Result {
  var scoped: [AnyTransportProvider] = []
  for provider in repeat each providers { scoped.append(.scoped(provider)) }
  let scope = TransportScope(
    providers: scoped, passesUnmatched: unmatched == .pass,
    name: "the withMocks at \(file):\(line)")
  return try await scope.run(operation)
}

/// Runs an operation in which the routes of a transport respond to the requests of all clients,
/// whatever the types of their endpoints.
///
/// ```swift
/// let backend = MockTransport {
///   Route(.get, "/boards", .json([["id": 1]]))
/// }
/// try await withMocks(backend) {
///   let boards = try await BoardsScreen().load().value
///   #expect(boards.count == 1)
/// }
/// try backend.verify(.get, "/boards")
/// ```
///
/// The scope is like that of
/// ``withMocks(_:unmatched:file:line:isolation:_:)-(Provider,_,_,_,_,_)``.
///
/// - Parameters:
///   - transport: The transport. A request without a route is passed to the fallback of the
///     transport. If it has none, the request is passed to the outer scope.
///   - unmatched: The policy for requests that no mock of this scope or an outer scope handles. With
///     `.fail`, the error contains a report of the nearest routes. With `.pass`, the journal also
///     records the requests that are sent to the network.
///   - file: The source file of the scope, for error messages.
///   - line: The source line of the scope, for error messages.
///   - isolation: The isolation of the caller, which the operation keeps.
///   - operation: The code to run.
/// - Returns: The result of the operation.
/// - Throws: The error of the operation.
public func withMocks<Result>(
  _ transport: MockTransport, unmatched: UnmatchedRequestPolicy = .fail,
  file: StaticString = #fileID, line: UInt = #line,
  isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
) async rethrows -> Result {
  let scope = TransportScope(
    providers: [transport.scoped], passesUnmatched: unmatched == .pass,
    name: "the withMocks at \(file):\(line)")
  return try await scope.run(operation)
}

/// Mocks that respond to the requests of a scope.
protocol ScopedMocks {
  /// The mocks as a provider that passes on requests without a mock.
  var scoped: AnyTransportProvider { get }
}

extension AnyTransportProvider {
  /// Returns a provider for a scope.
  ///
  /// - Parameter provider: The provider.
  /// - Returns: The provider, which passes on requests without a mock if it is made of mocks.
  package static func scoped(_ provider: some TransportProvider) -> AnyTransportProvider {
    (provider as? any ScopedMocks)?.scoped ?? AnyTransportProvider(provider)
  }
}
