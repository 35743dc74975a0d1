extension Route {
  /// The same route, for requests that meet conditions.
  ///
  /// A request for which no route of its path has its conditions met is one without a route.
  ///
  /// - Parameter conditions: what a request has to have as well; all of it.
  /// - Returns: the route.
  public func `where`(_ conditions: RequestCondition...) -> Route {
    var route = self
    route.pattern = pattern.adding(conditions)
    return route
  }

  /// The same route, for requests of which a closure approves.
  ///
  /// - Parameters:
  ///   - description: what it looks for, which reports say in its stead.
  ///   - isSatisfied: looks at the request. It may run any number of times, on any thread, and must not
  ///     block.
  /// - Returns: the route.
  public func `where`(
    _ description: String,
    _ isSatisfied: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Route {
    self.where(.satisfying(description, isSatisfied))
  }

  /// The same route, before or behind others.
  ///
  /// - Parameter priority: those of a higher one come first; it is 0 unless set. Among equals the one
  ///   written first answers.
  /// - Returns: the route.
  public func priority(_ priority: Int) -> Route {
    var route = self
    route.rank = priority
    return route
  }

  /// The same route, which answers a number of times and then no more.
  ///
  /// After that the next route that matches answers. Who serves the route keeps the account, so two servers
  /// of it know nothing of each other.
  ///
  /// - Parameter count: how often at the most; less than none is none.
  /// - Returns: the route.
  public func times(_ count: Int) -> Route {
    var route = self
    route.limit = max(count, 0)
    return route
  }

  /// The same route, for while a scenario is in a state.
  ///
  /// - Parameters:
  ///   - scenario: the scenario; several may be named one after the other, and all have to be so.
  ///   - state: the state.
  /// - Returns: the route.
  public func when(_ scenario: Scenario, is state: String) -> Route {
    var route = self
    route.requiredStates.append(Scenario.Step(scenario: scenario, state: state))
    return route
  }

  /// The same route, which brings a scenario into a state when it is chosen to answer.
  ///
  /// - Parameters:
  ///   - scenario: the scenario; several may be named one after the other.
  ///   - state: the state; it holds from the moment when the route has been chosen, before the answer is
  ///     made.
  /// - Returns: the route.
  public func then(_ scenario: Scenario, becomes state: String) -> Route {
    var route = self
    route.nextStates.append(Scenario.Step(scenario: scenario, state: state))
    return route
  }

  /// Whether method and path are all that it asks for, and nothing has to be remembered.
  var isPlain: Bool {
    pattern.conditions.isEmpty && limit == nil && requiredStates.isEmpty && nextStates.isEmpty
  }
}

extension Route: CustomStringConvertible {
  /// Method, template and conditions in one line, without secrets.
  public var description: String {
    let states = requiredStates.map { "scenario \"\($0.scenario.name)\": \"\($0.state)\"" }
    guard !states.isEmpty else { return pattern.description }
    let link = pattern.conditions.isEmpty ? " where " : " and "
    return pattern.description + link + states.joined(separator: " and ")
  }
}
