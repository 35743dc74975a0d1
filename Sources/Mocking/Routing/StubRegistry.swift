import CatenaSystem
import Networking

/// The routes of one provider, transport or server, with their use counts and scenario states.
///
/// Routes may be added, replaced and removed at any time. A request keeps the routes that its path and
/// method matched when they were looked up.
final class StubRegistry: Sendable {
  private let table: Mutex<RouteTable>
  let scenarios = ScenarioStates()
  /// The numbers of the routes, which the next registry of the same backend continues.
  let numbers: RouteNumbers
  /// The changes of delays and faults while the backend runs.
  let adjustments: ResponseAdjustments

  init(_ table: RouteTable, adjustments: ResponseAdjustments = ResponseAdjustments()) {
    numbers = table.numbers
    self.adjustments = adjustments
    self.table = Mutex(table)
    scenarios.onReset { [weak self] in
      for entry in self?.entries ?? [] {
        entry.route.responder.recording?.restart()
        entry.route.responder.rateLimit?.restart()
      }
    }
  }

  /// The routes in order of preference.
  var entries: [RegisteredRoute] { table.withLock { $0.entries } }

  /// The number of routes.
  var count: Int { table.withLock { $0.count } }

  subscript(id: RouteID) -> RegisteredRoute? { table.withLock { $0[id] } }

  /// Changes the routes in one atomic step.
  func update<Result: Sendable, Failure: Error>(
    _ change: (inout RouteTable) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try table.withLock { table throws(Failure) in try change(&table) }
  }

  /// Finds the routes for a method and a request target, like ``RouteTable/find(_:_:below:)``.
  func find(
    _ method: HTTPMethod, _ target: String, below base: String = ""
  ) -> RouteTable.Outcome {
    let parsed = RequestTarget(target)
    return table.withLock { $0.find(method, target, parsed, below: base) }
  }

  /// Returns the response to a request that meets the conditions of no route, like
  /// ``RouteTable/disallowedResponse(_:_:)``.
  func disallowedResponse(to request: ReceivedRequest) -> Mock? {
    table.withLock { $0.disallowedResponse(request.method, request.path) }
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
  ) -> RegisteredRoute? {
    guard let first = candidates.first else { return nil }
    if let resources = first.entry.route.resources.used {
      request.session = resources.session(for: request, values)
    }
    let session = request.session
    guard let entry = chooseLimited(candidates, &request, values) else { return nil }
    guard session.client != nil || session.newCookie != nil else { return entry }
    let client = Mock.Client(
      id: session.client, newCookie: session.newCookie, limit: session.maximumClients)
    return RegisteredRoute(entry, handler: .isolated(entry.route.responder.handler, client))
  }

  /// Chooses a route, unless the client has made too many requests.
  private func chooseLimited(
    _ candidates: [RouteTable.Candidate], _ request: inout ReceivedRequest,
    _ values: () -> TemplateValues
  ) -> RegisteredRoute? {
    // Fast path: few routes have a limit.
    guard candidates.contains(where: { $0.entry.route.responder.rateLimit != nil }) else {
      return chooseRoute(candidates, &request, values)
    }
    request.variables = scenarios.variables(of: request)
    // A route that cannot respond now, such as one in another state, counts nothing.
    let first = candidates.first { candidate in
      request.path.variables = candidate.variables
      return candidate.entry.route.pattern.conditions.allSatisfy { $0.isMet(by: request) }
        && scenarios.differences(of: candidate.entry, for: request).isEmpty
    }
    guard let first, let limit = first.entry.route.responder.rateLimit else {
      return chooseRoute(candidates, &request, values)
    }
    let (isAllowed, mock) = limit.count(request)
    guard isAllowed else { return RegisteredRoute(first.entry, handler: .mock(mock)) }
    return chooseRoute(candidates, &request, values).map {
      RegisteredRoute($0, handler: $0.route.responder.handler.inheriting(mock))
    }
  }

  private func chooseRoute(
    _ candidates: [RouteTable.Candidate], _ request: inout ReceivedRequest,
    _ values: () -> TemplateValues
  ) -> RegisteredRoute? {
    guard let chosen = candidates.first, chosen.entry.isUnconditional else {
      return chooseByConditions(candidates, &request, values)
    }
    request.path.variables = chosen.variables
    if scenarios.hasVariables { request.variables = scenarios.variables(of: request) }
    return chosen.entry
  }

  private func chooseByConditions(
    _ candidates: [RouteTable.Candidate], _ request: inout ReceivedRequest,
    _ values: () -> TemplateValues
  ) -> RegisteredRoute? {
    let readsVariables = candidates.contains { $0.entry.route.readsVariables }
    while true {
      let revision: Int
      (request.variables, revision) = scenarios.variableSnapshot(of: request)
      var matchingCandidates: [RouteTable.Candidate] = []
      for candidate in candidates {
        request.path.variables = candidate.variables
        let pattern = candidate.entry.route.pattern
        guard pattern.conditions.allSatisfy({ $0.isMet(by: request) }) else { continue }
        matchingCandidates.append(candidate)
        if candidate.entry.isUnconditional { break }
      }
      // Conditions are tested without the lock, because closures of users may be among them. If a
      // variable has changed meanwhile, another request has made progress, and they are tested again.
      switch scenarios.take(
        matchingCandidates, for: request, ifRevision: readsVariables ? revision : nil, values)
      {
      case .taken(let chosen, let variables, let constants):
        request.session.constants = constants
        request.path.variables = chosen?.variables ?? [:]
        request.variables = variables
        return chosen?.entry
      case .failed(let chosen, let error):
        request.path.variables = chosen.variables
        return RegisteredRoute(chosen.entry, handler: .mock(.handlerFailed(error)))
      case .outdated: continue
      }
    }
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
    if let hint = table.withLock({ $0.resources })?.hint(for: request.path.segments) {
      lines.append(hint)
    }
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
    var request = request
    request.variables = scenarios.variables(of: request)
    // A copy of the index is searched, because conditions may be closures of users.
    let index = table.withLock { $0.index }
    func matches(of segments: [String]) -> [NearMissSearch.Match] {
      var search = NearMissSearch(in: index, for: segments, count: count) { [request] entry in
        // A general route matches the path of every request, so it is rarely the one that was meant.
        (entry.isGeneral ? 3 + PathDistance.maximum : 0)
          + entry.route.pattern.distance(from: request)
          + self.scenarios.differences(of: entry, for: request).count
      }
      return search.run()
    }
    var nearest = matches(of: request.path.segments)
    if request.path.baseCount > 0 {
      nearest += matches(of: request.path.segmentsAfterBase).filter { match in
        !nearest.contains { $0.entry === match.entry }
      }
      nearest.sort { $0.precedes($1) }
    }
    // A client may leave out the beginning of all paths, such as that of the server of a contract.
    let complete = index.beginnings.flatMap { beginning in
      routes(completing: request, with: beginning, in: index)
    }
    if !complete.isEmpty {
      nearest.removeAll { match in complete.contains { $0.entry === match.entry } }
      nearest = (nearest + complete).sorted { $0.precedes($1) }
    }
    return nearest.prefix(count).map { match in
      NearMiss(
        match.entry, request, distance: match.distance,
        states: scenarios.differences(of: match.entry, for: request))
    }
  }

  /// Returns the routes, at most 20, that match the path of a request below other segments.
  private func routes(
    completing request: ReceivedRequest, with beginning: [String], in index: RouteIndex
  ) -> [NearMissSearch.Match] {
    let segments = beginning + request.path.segments
    var request = request
    request.path = ReceivedPath(text: "", segments)
    // Otherwise, `/users/{id}` would complete each path of one segment.
    let leaves = index.leaves(for: segments, literalCount: beginning.count + 1).leaves
    let entries = leaves.filter { !$0.isRest }.flatMap { index[$0].buckets.flatMap(\.routes) }
    return entries.lazy.filter { $0.template.matches(segments) }.prefix(20).map { entry in
      // As for another path, the distance is at least 4.
      NearMissSearch.Match(
        entry: entry,
        distance: 4 + beginning.count + entry.route.pattern.distance(from: request)
          + self.scenarios.differences(of: entry, for: request).count)
    }
  }
}
