import Networking
import Synchronization

/// The routes of one provider, transport or server, with what has become of them.
final class StubRegistry: Sendable {
  let table: RouteTable
  let scenarios = ScenarioStates()

  init(_ table: RouteTable) {
    self.table = table
  }

  /// Chooses the route that answers a request, and tells its scenarios on.
  ///
  /// - Parameters:
  ///   - candidates: those for its method and path.
  ///   - request: the request; it gets the values of the route's variables.
  /// - Returns: the route; nil when no conditions are met.
  func choose(
    among candidates: [RouteTable.Candidate], for request: inout ReceivedRequest
  ) -> RouteTable.Entry? {
    guard let chosen = candidates.first, chosen.entry.route.isPlain else {
      return chooseByConditions(candidates, &request)
    }
    request.path.variables = chosen.variables
    return chosen.entry
  }

  private func chooseByConditions(
    _ candidates: [RouteTable.Candidate], _ request: inout ReceivedRequest
  ) -> RouteTable.Entry? {
    var matchingCandidates: [RouteTable.Candidate] = []
    for candidate in candidates {
      request.path.variables = candidate.variables
      let pattern = candidate.entry.route.pattern
      guard pattern.conditions.allSatisfy({ $0.isMet(by: request) }) else { continue }
      matchingCandidates.append(candidate)
      if candidate.entry.route.isPlain { break }
    }
    let chosen = scenarios.take(matchingCandidates)
    request.path.variables = chosen?.variables ?? [:]
    return chosen?.entry
  }
}

extension StubRegistry {
  /// Says that a request has no route, which are the nearest, and what they would have it be.
  ///
  /// At most three routes with at most ten lines each, without secrets.
  ///
  /// - Parameter request: the request.
  /// - Returns: the lines, without a line break at the end.
  func unmatched(_ request: ReceivedRequest) -> String {
    var lines = [
      "no route for \(ReportFormatter.bounded(request.method.rawValue)) "
        + ReportFormatter.bounded(request.path.text)
    ]
    if table.entries.isEmpty {
      lines.append("there are no routes")
    } else {
      lines.append("the nearest:")
      // By number too, since a sort need not keep the order of equals.
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

/// How often routes have answered that may not do so for ever, and the states of scenarios.
struct ScenarioMachine {
  private var answers: [Int: Int] = [:]
  private var states: [Scenario: String] = [:]

  func state(of scenario: Scenario) -> String {
    states[scenario] ?? scenario.initialState
  }

  mutating func set(_ step: Scenario.Step) {
    states[step.scenario] = step.state
  }

  /// Takes the first of some routes that may answer now.
  mutating func take(_ candidates: [RouteTable.Candidate]) -> RouteTable.Candidate? {
    guard let taken = candidates.first(where: { allows($0.entry) }) else { return nil }
    let route = taken.entry.route
    if route.limit != nil { answers[taken.entry.number, default: 0] += 1 }
    for step in route.nextStates { set(step) }
    return taken
  }

  private func allows(_ entry: RouteTable.Entry) -> Bool {
    if let limit = entry.route.limit, answers[entry.number, default: 0] >= limit { return false }
    return entry.route.requiredStates.allSatisfy { state(of: $0.scenario) == $0.state }
  }

  /// What keeps a route from answering now.
  func differences(of entry: RouteTable.Entry) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if let limit = entry.route.limit, answers[entry.number, default: 0] >= limit {
      differences.append(
        RequestDifference(
          aspect: "times", expected: "at most \(limit)", actual: "one more than that"))
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

/// The states of the scenarios that one provider, transport or server goes through.
///
/// Everything may be called from any thread. A request finds its route and brings about the next states
/// in one go, so of two at once one comes first.
public final class ScenarioStates: Sendable {
  private let machine = Mutex(ScenarioMachine())

  init() {}

  /// The state of a scenario.
  ///
  /// Setting it tells the story on from there.
  ///
  /// - Parameter scenario: the scenario; of one that no route has touched it is the first state.
  public subscript(scenario: Scenario) -> String {
    get { machine.withLock { $0.state(of: scenario) } }
    set { machine.withLock { $0.set(Scenario.Step(scenario: scenario, state: newValue)) } }
  }

  /// Puts every scenario back to its beginning, and lets each route answer as often again as it may.
  public func reset() {
    machine.withLock { $0 = ScenarioMachine() }
  }

  /// Chooses the first of some routes that the states allow, and tells the story on.
  func take(_ candidates: [RouteTable.Candidate]) -> RouteTable.Candidate? {
    machine.withLock { $0.take(candidates) }
  }

  /// What keeps a route from answering; empty for nothing.
  func differences(of entry: RouteTable.Entry) -> [RequestDifference] {
    machine.withLock { $0.differences(of: entry) }
  }
}

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
