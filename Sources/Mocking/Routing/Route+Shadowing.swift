import Networking

extension [Route] {
  /// The indices of the routes that no request reaches, each with that of a preferred route that responds
  /// to all of its requests.
  ///
  /// Recorded routes, whose conditions are not known, are left out.
  package var shadowed: [(index: Int, by: Int)] {
    let entries = enumerated().compactMap { position, route -> RegisteredRoute? in
      guard !route.isRecorded, let template = try? PathTemplate(route.template) else { return nil }
      return RegisteredRoute(
        id: RouteID(number: position), route: route, template: template, number: position,
        position: position)
    }.sorted { $0.precedes($1) }
    var index = RouteIndex()
    var shadowed: [(index: Int, by: Int)] = []
    for entry in entries {
      let path = entry.template.segments.compactMap { segment -> String? in
        switch segment {
        case .literal(let text): text
        // No literal matches it.
        case .variable: "{}"
        case .rest: nil
        }
      }
      let other = index.leaves(for: path).leaves.lazy
        .filter { $0.isRest || !entry.template.hasRest }
        .flatMap { index[$0].buckets }
        .filter { $0.method == nil || $0.method == entry.route.method }
        .compactMap(\.routes.first).first
      if let other {
        shadowed.append((entry.position, other.position))
      } else if entry.respondsAlways {
        index.insert(entry)
      }
    }
    return shadowed.sorted { $0.index < $1.index }
  }
}

extension RegisteredRoute {
  /// Whether the route responds to all requests with its method and path.
  fileprivate var respondsAlways: Bool {
    route.pattern.conditions.isEmpty && route.limit == nil && template.constraints.isEmpty
      && route.transition.requiredStates.isEmpty
  }
}
