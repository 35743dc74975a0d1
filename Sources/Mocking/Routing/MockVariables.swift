public import Networking

/// The variables of one provider, transport or server: JSON values by name.
///
/// ```swift
/// let server = try MockServer {
///   Route(.post, "/login", .status(204)).set("user", to: ["id": 7, "name": "Ada"])
///   Route(.get, "/me") { request in .json(request.variables["user"] ?? .null) }
///     .where(.variable("user"))
///   Route(.get, "/me", .status(401))
/// }
/// server.variables["user"] = ["id": 8, "name": "Bob"]
/// ```
///
/// A route reads them in conditions (``RequestCondition/variable(_:_:)``) and sets them when it is
/// chosen to respond (``Route/set(_:to:)``, ``Route/increment(_:by:)``). Both are one atomic step, so of several concurrent
/// requests only one can meet a condition that its route then changes. A handler reads the values
/// from ``ReceivedRequest/variables``. ``ScenarioStates/reset()`` removes all variables.
///
/// All members may be used from any thread. Copies refer to the same variables.
public struct MockVariables: Sendable {
  private let states: ScenarioStates

  init(of states: ScenarioStates) {
    self.states = states
  }

  /// All variables by name.
  public var values: [String: JSON] { states.variableValues }

  /// The value of a variable.
  ///
  /// `nil` if it is not set. To remove a variable, set `nil`.
  ///
  /// - Parameter name: The name, case-sensitive.
  public subscript(name: String) -> JSON? {
    get { states.variableValues[name] }
    nonmutating set { states.setVariable(name, to: newValue) }
  }
}
