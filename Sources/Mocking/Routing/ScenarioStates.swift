import CatenaSystem
import Networking

/// The use counts of routes with a limit, and the states of scenarios.
struct ScenarioMachine {
  private var useCounts: [Int: Int] = [:]
  private var states: [Scenario: String] = [:]
  /// The values of the variables.
  private(set) var variables: [String: JSON] = [:]
  /// The number of changes of variables.
  private(set) var revision = 0
  /// The number of changes of states and variables.
  private(set) var changeCount = 0
  /// The number of routes with a limit that have been chosen.
  private(set) var useCount = 0

  /// The result of choosing a route.
  enum Choice {
    /// The chosen route, if there is one, with the variables after its changes and the values of `let`
    /// that these have used.
    case taken(RouteTable.Candidate?, variables: [String: JSON], constants: [JSON]?)
    /// The value of a variable cannot be computed. Nothing is changed.
    case failed(RouteTable.Candidate, any Error)
    /// The variables have changed since the conditions were tested.
    case outdated
  }

  func state(of scenario: Scenario) -> String {
    states[scenario] ?? scenario.initialState
  }

  mutating func set(_ step: Scenario.Step) {
    states[step.scenario] = step.state
    changeCount += 1
  }

  mutating func setVariable(_ name: String, to value: JSON?) {
    variables[name] = value
    revision += 1
    changeCount += 1
  }

  /// Restores the initial states and use counts, and removes the variables.
  mutating func reset() {
    // The revision continues, because a request may be testing its conditions now.
    let (next, changes) = (revision + 1, changeCount + 1)
    self = ScenarioMachine()
    (revision, changeCount) = (next, changes)
  }

  /// Chooses the first route that can respond in the current state, counts its use, and sets its
  /// next states and its variables.
  ///
  /// - Parameters:
  ///   - candidates: The routes whose conditions the request meets.
  ///   - request: The request, for the values of variables.
  ///   - tested: The revision of the variables with which the conditions were tested. `nil` if they
  ///     do not depend on variables.
  ///   - values: The generated values for the templates of variables.
  /// - Returns: The result.
  mutating func take(
    _ candidates: [RouteTable.Candidate], for request: ReceivedRequest, ifRevision tested: Int?,
    _ values: () -> TemplateValues
  ) -> Choice {
    if let tested, tested != revision { return .outdated }
    guard let taken = candidates.first(where: { allows($0.entry) }) else {
      return .taken(nil, variables: variables, constants: nil)
    }
    let route = taken.entry.route
    var constants: [JSON]?
    if !route.variableChanges.isEmpty {
      var request = request
      request.path.variables = taken.variables
      request.variables = variables
      do {
        constants = try route.variableChanges.apply(to: &request, values())
      } catch {
        return .failed(taken, error)
      }
      variables = request.variables
      revision += 1
      changeCount += 1
    }
    if route.limit != nil {
      useCounts[taken.entry.number, default: 0] += 1
      useCount += 1
    }
    for step in route.transition.nextStates { set(step) }
    return .taken(taken, variables: variables, constants: constants)
  }

  /// The states that have been set, and the variables.
  var snapshot: ScenarioSnapshot { ScenarioSnapshot(states: states, variables: variables) }

  /// Restores the states and the variables of a snapshot, and keeps the use counts.
  mutating func restore(_ snapshot: ScenarioSnapshot) {
    states = snapshot.states
    variables = snapshot.variables
    revision += 1
    changeCount += 1
  }

  /// Sets the initial state of a scenario.
  mutating func restart(_ scenario: Scenario) {
    states[scenario] = nil
    changeCount += 1
  }

  mutating func forget(_ entry: RegisteredRoute) {
    useCounts[entry.number] = nil
  }

  private func allows(_ entry: RegisteredRoute) -> Bool {
    if let limit = entry.route.limit, useCounts[entry.number, default: 0] >= limit { return false }
    return entry.route.transition.requiredStates.allSatisfy { state(of: $0.scenario) == $0.state }
  }

  /// Returns the limits and states that prevent a route from responding now.
  func differences(of entry: RegisteredRoute) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if let limit = entry.route.limit, useCounts[entry.number, default: 0] >= limit {
      differences.append(
        RequestDifference(
          aspect: "times", expected: "at most \(limit)", actual: "\(limit + 1)"))
    }
    for step in entry.route.transition.requiredStates where state(of: step.scenario) != step.state {
      differences.append(
        RequestDifference(
          aspect: "scenario \(ReportFormatter.quoted(step.scenario.name))",
          expected: ReportFormatter.quoted(step.state),
          actual: ReportFormatter.quoted(state(of: step.scenario))))
    }
    return differences
  }
}

/// The scenario states of one provider, transport or server, and its variables.
///
/// All members may be used from any thread. The choice of a route and the change of its scenario
/// states and variables are one atomic step, so concurrent requests are serialized.
///
/// If a `ResourceStore` of the backend isolates clients, each client has states, variables and use
/// counts of its own, which start anew. The members of this class then use those of the requests
/// without a client, except ``reset()``.
public final class ScenarioStates: Sendable {
  private let machines = Mutex(ClientValues(ScenarioMachine()))
  private let resetHandlers = Mutex<[@Sendable () -> Void]>([])
  /// Whether a variable has ever been set.
  ///
  /// Fast path: without variables, an unconditional route is chosen without the lock.
  private let mayHaveVariables = Atomic(false)

  init() {}

  /// The current state of a scenario.
  ///
  /// If you set it, the scenario continues from the new state.
  ///
  /// - Parameter scenario: The scenario. It starts in its initial state.
  public subscript(scenario: Scenario) -> String {
    get { machines.withLock { $0.shared.state(of: scenario) } }
    set { machines.withLock { $0.shared.set(Scenario.Step(scenario: scenario, state: newValue)) } }
  }

  /// Resets all scenarios to their initial states and the use counts of all routes to 0, removes all
  /// variables, and restarts all sequences, recordings and counters of templates, for all clients.
  public func reset() {
    machines.withLock {
      $0.updateAll { $0.reset() }
      $0.dropClients()
    }
    for handler in resetHandlers.withLock({ $0 }) { handler() }
  }

  /// The number of changes of states and variables, except those of isolated clients.
  package var changeCount: Int { machines.withLock { $0.shared.changeCount } }

  /// The states that have been set, and the variables, at one time.
  package var snapshot: ScenarioSnapshot { machines.withLock { $0.shared.snapshot } }

  /// Restores the states and the variables of a snapshot.
  package func restore(_ snapshot: ScenarioSnapshot) {
    machines.withLock { $0.shared.restore(snapshot) }
    if !snapshot.variables.isEmpty { mayHaveVariables.store(true, ordering: .releasing) }
  }

  /// Sets the initial state of a scenario.
  package func restart(_ scenario: Scenario) {
    machines.withLock { $0.updateAll { $0.restart(scenario) } }
  }

  /// Adds a closure that ``reset()`` calls.
  func onReset(_ handler: @escaping @Sendable () -> Void) {
    resetHandlers.withLock { $0.append(handler) }
  }

  /// Discards the use count of a route that has been removed.
  func forget(_ entry: RegisteredRoute) {
    machines.withLock { $0.updateAll { $0.forget(entry) } }
  }

  /// Whether a variable has ever been set.
  var hasVariables: Bool { mayHaveVariables.load(ordering: .acquiring) }

  /// The variables by name.
  var variableValues: [String: JSON] { machines.withLock { $0.shared.variables } }

  /// Returns the variables of the client of a request.
  func variables(of request: ReceivedRequest) -> [String: JSON] {
    variableSnapshot(of: request).values
  }

  /// Returns the variables of the client of a request, and the number of their changes.
  func variableSnapshot(
    of request: ReceivedRequest
  ) -> (values: [String: JSON], revision: Int) {
    let client = request.session.client
    return machines.withLock { machines in
      let machine = machines.value(for: client)
      return (machine.variables, machine.revision)
    }
  }

  func setVariable(_ name: String, to value: JSON?) {
    machines.withLock { $0.shared.setVariable(name, to: value) }
    mayHaveVariables.store(true, ordering: .releasing)
  }

  /// Chooses the first route that can respond in the current state of the client, counts its use, and
  /// sets its next states and its variables.
  func take(
    _ candidates: [RouteTable.Candidate], for request: ReceivedRequest, ifRevision tested: Int?,
    _ values: () -> TemplateValues
  ) -> ScenarioMachine.Choice {
    let session = request.session
    let choice = machines.withLock { machines in
      guard let client = session.client else {
        return machines.shared.take(candidates, for: request, ifRevision: tested, values)
      }
      var machine = machines.value(for: client)
      let (changes, uses) = (machine.changeCount, machine.useCount)
      let choice = machine.take(candidates, for: request, ifRevision: tested) {
        values().counting(for: client, atMost: session.maximumClients)
      }
      // A client that changes nothing uses no memory.
      if machine.changeCount != changes || machine.useCount != uses {
        machines.update(client, atMost: session.maximumClients) { $0 = machine }
      }
      return choice
    }
    if case .taken(_, let variables, _) = choice, !variables.isEmpty {
      mayHaveVariables.store(true, ordering: .releasing)
    }
    return choice
  }

  /// Returns the limits and states that prevent a route from responding now to a request.
  func differences(
    of entry: RegisteredRoute, for request: ReceivedRequest
  ) -> [RequestDifference] {
    let client = request.session.client
    return machines.withLock { $0.value(for: client).differences(of: entry) }
  }
}

/// The states of scenarios and the variables of a backend at one time.
package struct ScenarioSnapshot: Sendable {
  /// The states that have been set, in contrast to the initial ones.
  package let states: [Scenario: String]
  let variables: [String: JSON]
}
