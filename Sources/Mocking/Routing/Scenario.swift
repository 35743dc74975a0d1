/// A named state machine of a mocked backend.
///
/// ```swift
/// let boards = Scenario("boards")
/// let provider = MockProvider<BoardsAPI>(routes: [
///   Route(.get, "/boards", .json([])).when(boards, is: "started"),
///   Route(.post, "/boards", .status(201)).then(boards, setTo: "one board"),
///   Route(.get, "/boards", .json([["id": 1]])).when(boards, is: "one board"),
/// ])
/// #expect(provider.scenarios[boards] == "started")
/// ```
///
/// A scenario value is only a key. The state is stored in the ``MockBackend/scenarios`` of the
/// provider, transport or server, so two servers with the same routes have independent states. To
/// share other values than the names of states, use ``MockState``.
public struct Scenario: Sendable, Hashable {
  /// A state of a scenario.
  package struct Step: Sendable, Hashable {
    /// The scenario.
    package let scenario: Scenario
    /// The state.
    package let state: String
  }

  /// The name, which identifies the scenario together with its initial state.
  public let name: String
  /// The initial state.
  public let initialState: String

  /// Creates a scenario.
  ///
  /// - Parameters:
  ///   - name: The name. Two scenarios with the same name and the same initial state are equal.
  ///   - initialState: The initial state.
  public init(_ name: String, initialState: String = "started") {
    self.name = name
    self.initialState = initialState
  }
}

/// The states of scenarios that a route requires and sets.
package struct ScenarioTransition: Sendable {
  /// The states in which the route responds.
  package var requiredStates: [Scenario.Step] = []
  /// The states that the route sets when it is chosen.
  package var nextStates: [Scenario.Step] = []

  /// Whether the route neither requires nor sets a state.
  var isEmpty: Bool { requiredStates.isEmpty && nextStates.isEmpty }
}

extension Route {
  /// Returns a copy that responds only in a state of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: The scenario. Repeated calls add required states; all of them must be current.
  ///   - state: The required state.
  /// - Returns: The route.
  public func when(_ scenario: Scenario, is state: String) -> Route {
    copy(of: self) {
      $0.transition.requiredStates.append(Scenario.Step(scenario: scenario, state: state))
    }
  }

  /// Returns a copy that sets the state of a scenario when the route is chosen to respond.
  ///
  /// - Parameters:
  ///   - scenario: The scenario. Repeated calls may set the states of several scenarios.
  ///   - state: The new state. It is set when the route is chosen, before the response is created.
  /// - Returns: The route.
  public func then(_ scenario: Scenario, setTo state: String) -> Route {
    copy(of: self) {
      $0.transition.nextStates.append(Scenario.Step(scenario: scenario, state: state))
    }
  }
}
