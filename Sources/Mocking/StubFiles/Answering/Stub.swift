import Networking

/// A route of a file of stubs.
struct Stub: Sendable {
  /// Where it stands in its file.
  let path: JSONValuePath
  let route: Route
  /// What it answers.
  let mock: Mock

  /// Finds states that stubs wait for in vain.
  ///
  /// - Throws: ``JSONProblem``, for the first.
  static func checkStates(of stubs: [Stub]) throws(JSONProblem) {
    let next = stubs.flatMap(\.route.nextStates)
    for stub in stubs {
      for step in stub.route.requiredStates {
        let known =
          [step.scenario.initialState] + next.filter { $0.scenario == step.scenario }.map(\.state)
        guard !known.contains(step.state) else { continue }
        let hint =
          NearestName.of(step.state, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        throw JSONProblem(
          path: stub.path.appending(.member("scenario")).appending(.member("when")),
          text: "no route leads the scenario \"\(step.scenario.name)\" to the state "
            + "\"\(step.state)\"\(hint)")
      }
    }
  }
}
