import Networking
import Synchronization

/// The routes of one provider, transport or server, with their use counts and scenario states.
///
/// Routes may be added, replaced and removed at any time. A request keeps the routes that its path and
/// method matched when they were looked up.
final class StubRegistry: Sendable {
  private let table: Mutex<RouteTable>
  let scenarios = ScenarioStates()

  init(_ table: RouteTable) {
    self.table = Mutex(table)
  }

  /// The routes in order of preference.
  var entries: [RegisteredRoute] { table.withLock { $0.entries } }

  /// The number of routes.
  var count: Int { table.withLock { $0.count } }

  subscript(id: RouteID) -> RegisteredRoute? { table.withLock { $0[id] } }

  /// Changes the routes in one atomic step.
  func update<Result: Sendable>(
    _ change: (inout RouteTable) throws(MockServerError) -> Result
  ) throws(MockServerError) -> Result {
    try table.withLock { table throws(MockServerError) in try change(&table) }
  }

  /// Finds the routes for a method and a request target. See ``RouteTable/find(_:_:)``.
  func find(_ method: HTTPMethod, _ target: String) -> RouteTable.Outcome {
    let parsed = RequestTarget(target)
    return table.withLock { $0.find(method, target, parsed) }
  }

  /// Chooses the route that responds to a request, and sets the next states of its scenarios.
  ///
  /// - Parameters:
  ///   - candidates: The routes whose method and path match.
  ///   - request: The request. It receives the values of the route's path variables.
  /// - Returns: The route. `nil` if the request meets the conditions of no candidate.
  func choose(
    among candidates: [RouteTable.Candidate], for request: inout ReceivedRequest
  ) -> RegisteredRoute? {
    guard let chosen = candidates.first, chosen.entry.isUnconditional else {
      return chooseByConditions(candidates, &request)
    }
    request.path.variables = chosen.variables
    return chosen.entry
  }

  private func chooseByConditions(
    _ candidates: [RouteTable.Candidate], _ request: inout ReceivedRequest
  ) -> RegisteredRoute? {
    var matchingCandidates: [RouteTable.Candidate] = []
    for candidate in candidates {
      request.path.variables = candidate.variables
      let pattern = candidate.entry.route.pattern
      guard pattern.conditions.allSatisfy({ $0.isMet(by: request) }) else { continue }
      matchingCandidates.append(candidate)
      if candidate.entry.isUnconditional { break }
    }
    let chosen = scenarios.take(matchingCandidates)
    request.path.variables = chosen?.variables ?? [:]
    return chosen?.entry
  }

  // MARK: Near misses

  /// Returns the report on a request without a route.
  ///
  /// The report lists the nearest routes and their differences from the request: at most three
  /// routes with at most ten differences each. Secrets are masked.
  ///
  /// - Parameter request: The request.
  /// - Returns: The lines, without a line break at the end.
  func unmatched(_ request: ReceivedRequest) -> String {
    var lines = [
      "no route for \(ReportFormatter.bounded(request.method.rawValue)) "
        + ReportFormatter.bounded(request.path.text)
    ]
    let misses = nearMisses(for: request, count: 3)
    lines.append(misses.isEmpty ? "there are no routes" : "nearest routes:")
    for miss in misses {
      lines.append("  \(miss.description)")
      lines += miss.differences.map { "    \($0)" }
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the routes that are nearest to a request, the nearest one first.
  ///
  /// Of a large table, only the routes with a similar path are compared.
  func nearMisses(for request: ReceivedRequest, count: Int) -> [NearMiss] {
    // A copy of the index is searched, because conditions may be closures of users.
    let index = table.withLock { $0.index }
    var search = NearMissSearch(in: index, for: request.path.segments, count: count) { entry in
      entry.route.pattern.distance(from: request, base: nil)
        + self.scenarios.differences(of: entry).count
    }
    return search.run().map { match in
      NearMiss(
        match.entry, request, distance: match.distance,
        states: scenarios.differences(of: match.entry))
    }
  }
}

/// The use counts of routes with a limit, and the states of scenarios.
struct ScenarioMachine {
  private var useCounts: [Int: Int] = [:]
  private var states: [Scenario: String] = [:]

  func state(of scenario: Scenario) -> String {
    states[scenario] ?? scenario.initialState
  }

  mutating func set(_ step: Scenario.Step) {
    states[step.scenario] = step.state
  }

  /// Chooses the first route that can respond in the current state, counts its use and sets its
  /// next states.
  mutating func take(_ candidates: [RouteTable.Candidate]) -> RouteTable.Candidate? {
    guard let taken = candidates.first(where: { allows($0.entry) }) else { return nil }
    let route = taken.entry.route
    if route.limit != nil { useCounts[taken.entry.number, default: 0] += 1 }
    for step in route.nextStates { set(step) }
    return taken
  }

  mutating func forget(_ entry: RegisteredRoute) {
    useCounts[entry.number] = nil
  }

  private func allows(_ entry: RegisteredRoute) -> Bool {
    if let limit = entry.route.limit, useCounts[entry.number, default: 0] >= limit { return false }
    return entry.route.requiredStates.allSatisfy { state(of: $0.scenario) == $0.state }
  }

  /// Returns the limits and states that prevent a route from responding now.
  func differences(of entry: RegisteredRoute) -> [RequestDifference] {
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

/// The scenario states of one provider, transport or server.
///
/// All members may be used from any thread. The choice of a route and the change of its scenario
/// states are one atomic step, so concurrent requests are serialized.
public final class ScenarioStates: Sendable {
  private let machine = Mutex(ScenarioMachine())
  private let resetHandlers = Mutex<[@Sendable () -> Void]>([])

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

  /// Resets all scenarios to their initial states and the use counts of all routes to 0, and restarts
  /// all sequences.
  public func reset() {
    machine.withLock { $0 = ScenarioMachine() }
    for handler in resetHandlers.withLock({ $0 }) { handler() }
  }

  /// Adds a closure that ``reset()`` calls.
  func onReset(_ handler: @escaping @Sendable () -> Void) {
    resetHandlers.withLock { $0.append(handler) }
  }

  /// Discards the use count of a route that has been removed.
  func forget(_ entry: RegisteredRoute) {
    machine.withLock { $0.forget(entry) }
  }

  /// Chooses the first route that can respond in the current state, counts its use and sets its
  /// next states.
  func take(_ candidates: [RouteTable.Candidate]) -> RouteTable.Candidate? {
    machine.withLock { $0.take(candidates) }
  }

  /// Returns the limits and states that prevent a route from responding now.
  func differences(of entry: RegisteredRoute) -> [RequestDifference] {
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
