import Networking
import Promises

/// The policy for requests that no provider of a
/// ``withMocks(_:unmatched:file:line:isolation:_:)`` scope handles.
public enum UnmatchedRequestPolicy: Sendable, Hashable {
  /// The request fails with the code `mockFailed` and a message that contains the type of its
  /// endpoint.
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
///     mock is used. If a provider returns `nil`, the request is passed to the outer scope or to
///     the network.
///   - unmatched: The policy for requests to endpoints for which neither this scope nor an outer
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
