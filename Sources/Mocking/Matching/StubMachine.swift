/// How often routes have answered that may not do so for ever, and the states of scenarios.
struct StubMachine {
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
          aspect: "scenario \(ReportText.quoted(step.scenario.name))",
          expected: ReportText.quoted(step.state),
          actual: ReportText.quoted(state(of: step.scenario))))
    }
    return differences
  }
}
