import Networking
import Promises

/// The policy for requests that no mock handles, of a scope of
/// ``withMocks(_:unmatched:file:line:isolation:_:)``.
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
/// With routes, the scope mocks requests whatever the types of their endpoints:
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
/// - **Extent.** The scope applies to the operation, to its tasks and task groups, to the promise
///   handlers that it attaches, to the code that these run, and to every client created in them. It
///   does not apply to a detached task, nor to a block that is dispatched to a queue directly.
/// - **Isolation.** Two concurrent scopes never use each other's mocks. An inner scope has
///   precedence; requests that it does not handle go to the outer scope. The provider of a client
///   has precedence over all scopes.
/// - **Requests without a mock** fail, and are not sent to the network: if no provider has a mock for
///   them, or if no source has mocks for the type of their endpoint. To change this for a scope, pass
///   `unmatched: .pass`; for one provider, create it with `strict: false`.
/// - **End.** The scope ends when the operation returns. Requests already in progress keep their
///   mocks. After the end, a client created in the scope, or a task started in it, does not send
///   requests to the network: they go to the outer scope if that is still active, and otherwise
///   fail with the code `mockFailed` and the name of the scope. Requests that `unmatched: .pass`
///   sends to the network are still sent there. A client created before the scope uses its own
///   transport again. `Networking.shared` always counts as created before the scope.
/// - **Time.** A client created in the scope uses the scheduler of the first source. A client
///   created before the scope keeps its own scheduler.
///
/// - Parameters:
///   - sources: The sources of the mocks. For a request, the mocks of the first source that has one
///     are used; see ``MockSource/makeMocks()`` of each source for the requests that it passes on.
///   - unmatched: The policy for requests that no mock of this scope or an outer scope handles. With
///     `.fail` and routes, the error contains a report of the nearest routes. With `.pass`, their
///     journal also records the requests that are sent to the network.
///   - file: The source file of the scope, for error messages.
///   - line: The source line of the scope, for error messages.
///   - isolation: The isolation of the caller, which the operation keeps.
///   - operation: The code to run.
/// - Returns: The result of the operation.
/// - Throws: The error of the operation.
public func withMocks<each Source: MockSource, Result>(
  _ sources: repeat each Source, unmatched: UnmatchedRequestPolicy = .fail,
  file: StaticString = #fileID, line: UInt = #line,
  isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
) async rethrows -> Result {
  var providers: [AnyTransportProvider] = []
  for source in repeat each sources { providers.append(source.makeMocks().provider) }
  return try await MockScope.run(
    providers, unmatched: unmatched, name: "the withMocks at \(file):\(line)", operation)
}
