import Networking
import Synchronization

/// The routes of one provider, transport or server, with their use counts and scenario states.
final class StubRegistry: Sendable {
  let table: RouteTable
  let scenarios = ScenarioStates()

  init(_ table: RouteTable) {
    self.table = table
  }

  /// Chooses the route that responds to a request, and sets the next states of its scenarios.
  ///
  /// - Parameters:
  ///   - candidates: The routes whose method and path match.
  ///   - request: The request. It receives the values of the route's path variables.
  ///   - values: The generated values for the templates of variables. Evaluated only for a route
  ///     that sets variables.
  /// - Returns: The route. `nil` if the request meets the conditions of no candidate. If a template
  ///   of a variable fails, the route responds with the error, and nothing is changed.
  func choose(
    among candidates: [RouteTable.Candidate], for request: inout ReceivedRequest,
    values: () -> TemplateValues
  ) -> RouteTable.Entry? {
    guard let chosen = candidates.first, chosen.entry.route.isUnconditional else {
      return chooseByConditions(candidates, &request, values)
    }
    request.path.variables = chosen.variables
    if scenarios.hasVariables { request.variables = scenarios.variableValues }
    return chosen.entry
  }

  private func chooseByConditions(
    _ candidates: [RouteTable.Candidate], _ request: inout ReceivedRequest,
    _ values: () -> TemplateValues
  ) -> RouteTable.Entry? {
    let readsVariables = candidates.contains { $0.entry.route.readsVariables }
    while true {
      let revision: Int
      (request.variables, revision) = scenarios.variableSnapshot
      var matchingCandidates: [RouteTable.Candidate] = []
      for candidate in candidates {
        request.path.variables = candidate.variables
        let pattern = candidate.entry.route.pattern
        guard pattern.conditions.allSatisfy({ $0.isMet(by: request) }) else { continue }
        matchingCandidates.append(candidate)
        if candidate.entry.route.isUnconditional { break }
      }
      // Conditions are tested without the lock, because closures of users may be among them. If a
      // variable has changed meanwhile, another request has made progress, and they are tested again.
      switch scenarios.take(
        matchingCandidates, for: request, ifRevision: readsVariables ? revision : nil, values)
      {
      case .taken(let chosen, let variables):
        request.path.variables = chosen?.variables ?? [:]
        request.variables = variables
        return chosen?.entry
      case .failed(let chosen, let error):
        request.path.variables = chosen.variables
        var route = chosen.entry.route
        route.handler = .mock(.handlerFailed(error))
        return RouteTable.Entry(
          route: route, template: chosen.entry.template, number: chosen.entry.number)
      case .outdated: continue
      }
    }
  }

  /// Returns the report on a request without a route.
  ///
  /// The report lists the nearest routes and their differences from the request: at most three
  /// routes with at most ten differences each. Secrets are masked.
  ///
  /// - Parameter request: The request.
  /// - Returns: The lines, without a line break at the end.
  func unmatched(_ request: ReceivedRequest) -> String {
    var request = request
    request.variables = scenarios.variableValues
    var lines = [
      "no route for \(ReportFormatter.bounded(request.method.rawValue)) "
        + ReportFormatter.bounded(request.path.text)
    ]
    if table.entries.isEmpty {
      lines.append("there are no routes")
    } else {
      lines.append("nearest routes:")
      // Compares the numbers too, because `sorted` does not guarantee a stable order.
      let ranked = table.entries.map { entry in
        (
          entry.route.pattern.distance(from: request, base: nil)
            + scenarios.differences(of: entry).count,
          entry.number, entry
        )
      }
      for (_, _, entry) in ranked.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }).prefix(3) {
        lines.append("  \(ReportFormatter.bounded(entry.route.description))")
        let differences =
          entry.route.pattern.differences(from: request) + scenarios.differences(of: entry)
        lines += differences.prefix(10).map { "    \($0)" }
      }
    }
    return lines.joined(separator: "\n")
  }
}

/// The use counts of routes with a limit, and the states of scenarios.
struct ScenarioMachine {
  private var useCounts: [Int: Int] = [:]
  private var states: [Scenario: String] = [:]
  /// The values of the variables.
  private(set) var variables: [String: JSON] = [:]
  /// The number of changes of variables.
  private(set) var revision = 0

  /// The result of choosing a route.
  enum Choice {
    /// The chosen route, if there is one, and the variables after its changes.
    case taken(RouteTable.Candidate?, variables: [String: JSON])
    /// The template of a variable has failed. Nothing is changed.
    case failed(RouteTable.Candidate, TemplateRenderError)
    /// The variables have changed since the conditions were tested.
    case outdated
  }

  func state(of scenario: Scenario) -> String {
    states[scenario] ?? scenario.initialState
  }

  mutating func set(_ step: Scenario.Step) {
    states[step.scenario] = step.state
  }

  mutating func setVariable(_ name: String, to value: JSON?) {
    variables[name] = value
    revision += 1
  }

  /// Restores the initial states and use counts, and removes the variables.
  mutating func reset() {
    // The revision continues, because a request may be testing its conditions now.
    let next = revision + 1
    self = ScenarioMachine()
    revision = next
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
      return .taken(nil, variables: variables)
    }
    let route = taken.entry.route
    if !route.assignments.isEmpty {
      var request = request
      request.path.variables = taken.variables
      request.variables = variables
      do throws(TemplateRenderError) {
        let values = values()
        for assignment in route.assignments {
          request.variables[assignment.name] = try assignment.value(for: request, values)
        }
      } catch {
        return .failed(taken, error)
      }
      variables = request.variables
      revision += 1
    }
    if route.limit != nil { useCounts[taken.entry.number, default: 0] += 1 }
    for step in route.nextStates { set(step) }
    return .taken(taken, variables: variables)
  }

  private func allows(_ entry: RouteTable.Entry) -> Bool {
    if let limit = entry.route.limit, useCounts[entry.number, default: 0] >= limit { return false }
    return entry.route.requiredStates.allSatisfy { state(of: $0.scenario) == $0.state }
  }

  /// Returns the limits and states that prevent a route from responding now.
  func differences(of entry: RouteTable.Entry) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if let limit = entry.route.limit, useCounts[entry.number, default: 0] >= limit {
      differences.append(
        RequestDifference(
          aspect: "times", expected: "at most \(limit)", actual: "\(limit + 1)"))
    }
    for step in entry.route.requiredStates where state(of: step.scenario) != step.state {
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
public final class ScenarioStates: Sendable {
  private let machine = Mutex(ScenarioMachine())
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
    get { machine.withLock { $0.state(of: scenario) } }
    set { machine.withLock { $0.set(Scenario.Step(scenario: scenario, state: newValue)) } }
  }

  /// Resets all scenarios to their initial states and the use counts of all routes to 0, and removes
  /// all variables.
  public func reset() {
    machine.withLock { $0.reset() }
  }

  /// Whether a variable has ever been set.
  var hasVariables: Bool { mayHaveVariables.load(ordering: .acquiring) }

  /// The variables by name.
  var variableValues: [String: JSON] { machine.withLock { $0.variables } }

  /// The variables and the number of their changes.
  var variableSnapshot: (values: [String: JSON], revision: Int) {
    machine.withLock { ($0.variables, $0.revision) }
  }

  func setVariable(_ name: String, to value: JSON?) {
    machine.withLock { $0.setVariable(name, to: value) }
    mayHaveVariables.store(true, ordering: .releasing)
  }

  /// Chooses the first route that can respond in the current state, counts its use, and sets its
  /// next states and its variables.
  func take(
    _ candidates: [RouteTable.Candidate], for request: ReceivedRequest, ifRevision tested: Int?,
    _ values: () -> TemplateValues
  ) -> ScenarioMachine.Choice {
    let choice = machine.withLock { $0.take(candidates, for: request, ifRevision: tested, values) }
    if case .taken(_, let variables) = choice, !variables.isEmpty {
      mayHaveVariables.store(true, ordering: .releasing)
    }
    return choice
  }

  /// Returns the limits and states that prevent a route from responding now.
  func differences(of entry: RouteTable.Entry) -> [RequestDifference] {
    machine.withLock { $0.differences(of: entry) }
  }
}

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
  struct Step: Sendable, Hashable {
    let scenario: Scenario
    let state: String
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
