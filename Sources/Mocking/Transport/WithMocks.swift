import Networking
import Promises

/// The handling of requests that no provider of a ``withMocks(_:unmatched:file:line:isolation:_:)``
/// scope accepts.
public enum UnmatchedRequestPolicy: Sendable, Hashable {
  /// The request fails with the code `mockFailed` and a message that names the type of its
  /// endpoint.
  case fail
  /// The request goes to the network.
  case pass
}

/// Runs an operation in which the requests of all clients go to mocks.
///
/// The scope also covers clients to which a test cannot pass a provider.
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
/// - **Reach.** The scope applies to the operation, to its tasks and task groups, to the promise
///   handlers that it attaches, to the code that these run, and to every client created in them. It
///   does not apply to a detached task, nor to a block that is dispatched to a queue directly.
/// - **Isolation.** Two concurrent scopes never use each other's mocks. An inner scope has
///   precedence; requests that it does not accept go to the outer scope. The provider of a client
///   has precedence over all scopes.
/// - **End.** The scope ends when the operation returns. Requests already in progress keep their
///   mocks. A client created in the scope, or a task started in it, cannot reach the network
///   unintentionally after the end: its requests go to the outer scope if that is still active, and
///   otherwise fail with the code `mockFailed` and the name of the scope. Requests to endpoints
///   that `unmatched: .pass` let through still pass. A client created before the scope uses its own
///   transport again. `Networking.shared` always counts as created before.
/// - **Time.** A client created in the scope uses the scheduler of the first provider. A client
///   created before keeps its own scheduler.
///
/// - Parameters:
///   - providers: The mock providers. For an endpoint, the first provider of its type that has a
///     mock is used. If a provider returns `nil`, the request passes to the outer scope or to the
///     network.
///   - unmatched: The handling of requests to endpoints for which neither this scope nor an outer
///     scope has a provider.
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
  var erased: [AnyTransportProvider] = []
  for provider in repeat each providers { erased.append(AnyTransportProvider(provider)) }
  let scope = TransportScope(
    providers: erased, passesUnmatched: unmatched == .pass,
    name: "the withMocks at \(file):\(line)")
  return try await scope.run(operation)
}
