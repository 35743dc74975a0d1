public import Networking

/// The changes of variables by a route.
struct VariableChanges: Sendable {
  /// The closure that makes the values of `let`, which the assignments use.
  var constants: (@Sendable (ReceivedRequest, TemplateValues) throws -> [JSON])?
  /// The assignments in order.
  var assignments: [VariableAssignment] = []

  /// Whether the route changes no variables.
  var isEmpty: Bool { assignments.isEmpty }

  /// Makes the changes.
  ///
  /// It runs under the lock of the variables.
  ///
  /// - Parameters:
  ///   - request: The request, whose variables are changed.
  ///   - values: The generated values.
  /// - Returns: The values of `let`, which the response uses too. `nil` if there are none.
  /// - Throws: The error of a computed value.
  func apply(
    to request: inout ReceivedRequest, _ values: TemplateValues
  ) throws -> [JSON]? {
    let results = try constants?(request, values)
    for assignment in assignments {
      request.variables[assignment.name] = try assignment.value(
        for: request, values, results ?? [])
    }
    return results
  }
}

/// A change of a variable by a route.
struct VariableAssignment: Sendable {
  enum Value: Sendable {
    case json(JSON)
    /// A value that is computed from the request, generated values and the values of `let`.
    case computed(@Sendable (ReceivedRequest, TemplateValues, [JSON]) throws -> JSON)
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
  ///   - values: The generated values.
  ///   - constants: The values of `let`.
  /// - Returns: The value. `nil` removes the variable.
  /// - Throws: The error of a computed value.
  func value(
    for request: ReceivedRequest, _ values: TemplateValues, _ constants: [JSON] = []
  ) throws -> JSON? {
    switch value {
    case nil: return nil
    case .json(let json): return json
    case .computed(let compute): return try compute(request, values, constants)
    case .sum(let step):
      let value = request.variables[name] ?? 0
      let sum = value.calculated(with: .int(step), Int.addingReportingOverflow, +)
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
      case .json, .computed: "sets"
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
    copy(of: self) {
      $0.variableChanges.assignments.append(
        VariableAssignment(name: name, value: value.map { .json($0) }))
    }
  }

  /// Returns a copy that sets a variable to a computed value when the route is chosen to respond.
  ///
  /// - Parameters:
  ///   - name: The name of the variable.
  ///   - compute: A closure that returns the value. It receives the request, generated values and the
  ///     results of ``defining(_:)``. It runs under the lock of the variables. If it throws, nothing is
  ///     changed, and the response is a 500.
  /// - Returns: The route.
  package func set(
    _ name: String,
    _ compute:
      @escaping @Sendable (
        _ request: ReceivedRequest, _ values: TemplateValues, _ constants: [JSON]
      ) throws -> JSON
  ) -> Route {
    var route = self
    route.variableChanges.assignments.append(
      VariableAssignment(name: name, value: .computed(compute)))
    return route
  }

  /// Returns a copy whose computed variables use values of `let`, and whose response has the same values.
  ///
  /// - Parameter constants: A closure that makes the values. It runs once for each request that the route
  ///   is chosen for, under the lock of the variables.
  /// - Returns: The route.
  package func defining(
    _ constants:
      @escaping @Sendable (
        _ request: ReceivedRequest, _ values: TemplateValues
      ) throws -> [JSON]
  ) -> Route {
    var route = self
    route.variableChanges.constants = constants
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
    copy(of: self) {
      $0.variableChanges.assignments.append(VariableAssignment(name: name, value: .sum(step)))
    }
  }
}
