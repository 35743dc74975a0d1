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

/// A change of a variable by a route.
struct VariableAssignment: Sendable {
  enum Value: Sendable {
    case json(JSON)
    case template(TemplateJSON)
    /// The current value plus a number.
    case sum(Int)
  }

  let name: String
  /// The new value.
  ///
  /// `nil` removes the variable.
  let value: Value?

  /// Returns the value to set.
  ///
  /// It runs under the lock of the variables.
  ///
  /// - Parameters:
  ///   - request: The request, with the current variables.
  ///   - values: The generated values for a template.
  ///   - constants: The values of `let`.
  /// - Returns: The value. `nil` removes the variable.
  /// - Throws: The error of a template.
  func value(
    for request: ReceivedRequest, _ values: TemplateValues, _ constants: [JSON] = []
  ) throws(TemplateRenderError) -> JSON? {
    switch value {
    case nil: return nil
    case .json(let json): return json
    case .template(let template):
      var rendering = TemplateRendering(request, values)
      rendering.constants = constants
      return try template.value(&rendering)
    case .sum(let step):
      var work = TemplateWork()
      let value = request.variables[name] ?? 0
      let sum = try TemplateFilter.add.value(of: value, [.int(step)], &work)
      return sum == .null ? .int(step) : sum
    }
  }
}

extension VariableAssignment: CustomStringConvertible {
  /// The kind of the change and the name, such as `sets "user"`.
  var description: String {
    let verb =
      switch value {
      case nil: "removes"
      case .json, .template: "sets"
      case .sum(let step): step < 0 ? "decrements" : "increments"
      }
    return "\(verb) \(name)"
  }
}

extension Route {
  /// Returns a copy that sets a variable when the route is chosen to respond.
  ///
  /// - Parameters:
  ///   - name: The name of the variable. Repeated calls may set several variables, in order.
  ///   - value: The new value. `nil` removes the variable. It is set when the route is chosen, before
  ///     the response is created.
  /// - Returns: The route.
  public func set(_ name: String, to value: JSON?) -> Route {
    var route = self
    route.assignments.append(VariableAssignment(name: name, value: value.map { .json($0) }))
    return route
  }

  /// Returns a copy that adds a number to a variable when the route is chosen to respond.
  ///
  /// ```swift
  /// Route(.post, "/login", .status(423)).where(.variable("failures", .atLeast(3)))
  /// Route(.post, "/login", .status(401)).increment("failures")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the variable. A variable that is not set, or is neither a number nor the
  ///     text of one, counts as 0.
  ///   - step: The number, which may be negative. It is added when the route is chosen, after the
  ///     changes of earlier calls and before the response is created.
  /// - Returns: The route.
  public func increment(_ name: String, by step: Int = 1) -> Route {
    var route = self
    route.assignments.append(VariableAssignment(name: name, value: .sum(step)))
    return route
  }

  /// Whether the choice of the route depends on variables.
  var readsVariables: Bool { pattern.conditions.contains(where: \.readsVariables) }
}

extension Route {
  /// Returns a copy whose responses inherit from a mock.
  ///
  /// Delays, pacing, faults and header fields that a response does not set are copied from the mock.
  /// Its status and its body are ignored.
  ///
  /// - Parameter mock: The mock.
  /// - Returns: The route.
  public func withDefaults(_ mock: Mock) -> Route {
    var route = self
    route.handler =
      if case .mock(let own) = handler { .mock(own.inheriting(mock)) } else {
        .inheriting(handler, from: mock)
      }
    return route
  }
}

extension [Route] {
  /// Returns copies of the routes whose responses inherit from a mock.
  ///
  /// ```swift
  /// let routes = backend.withDefaults(
  ///   Mock().header("X-Api-Version", "3").delayed(by: .uniform(.milliseconds(20), .milliseconds(90)))
  ///     .interrupted(by: .reset, at: .request, chance: 0.05))
  /// ```
  ///
  /// Delays, pacing, faults and header fields that a response does not set are copied from the mock.
  /// Its status and its body are ignored. Responses without a route, such as a 404 or a 405, have no
  /// defaults.
  ///
  /// - Parameter mock: The mock.
  /// - Returns: The routes.
  public func withDefaults(_ mock: Mock) -> [Route] {
    map { $0.withDefaults(mock) }
  }
}
