import Networking

/// The routes of one provider, transport or server, with what has become of them.
final class StubBook: Sendable {
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
    var fitting: [RouteTable.Candidate] = []
    for candidate in candidates {
      request.path.variables = candidate.variables
      let pattern = candidate.entry.route.pattern
      guard pattern.conditions.allSatisfy({ $0.isMet(by: request) }) else { continue }
      fitting.append(candidate)
      if candidate.entry.route.isPlain { break }
    }
    let chosen = scenarios.take(fitting)
    request.path.variables = chosen?.variables ?? [:]
    return chosen?.entry
  }
}
