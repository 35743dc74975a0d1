import Synchronization

/// The states of the scenarios that one provider, transport or server goes through.
///
/// Everything may be called from any thread. A request finds its route and brings about the next states
/// in one go, so of two at once one comes first.
public final class ScenarioStates: Sendable {
  private let machine = Mutex(StubMachine())

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
    machine.withLock { $0 = StubMachine() }
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
