/// A story that a backend goes through, told by the names of its states.
///
/// ```swift
/// let boards = Scenario("boards")
/// let provider = MockProvider<BoardsAPI>(routes: [
///   Route(.get, "/boards", .json([])).when(boards, is: "started"),
///   Route(.post, "/boards", .status(201)).then(boards, becomes: "one board"),
///   Route(.get, "/boards", .json([["id": 1]])).when(boards, is: "one board"),
/// ])
/// #expect(provider.scenarios[boards] == "started")
/// ```
///
/// The scenario itself is a name: the state lies with the provider, transport or server that serves the
/// routes, in its ``MockBackend/scenarios``, and those that serve the same routes know nothing of each
/// other. For more than names there is ``MockState``.
public struct Scenario: Sendable, Hashable {
  /// A state of a scenario.
  struct Step: Sendable, Hashable {
    let scenario: Scenario
    let state: String
  }

  /// The name, by which it is told from others.
  public let name: String
  /// The state that it begins with.
  public let initialState: String

  /// Makes a scenario.
  ///
  /// - Parameters:
  ///   - name: its name; two of the same name and the same beginning are the same.
  ///   - initialState: the state that it begins with.
  public init(_ name: String, startingAs initialState: String = "started") {
    self.name = name
    self.initialState = initialState
  }
}
