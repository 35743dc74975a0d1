public import Networking
import Promises

/// A route that almost matches a request without a route, with the differences.
///
/// ```swift
/// for miss in server.routes.nearMisses(for: request) {
///   print(miss.id, miss.description)                     // 7 GET /boards where query "page": "2"
///   for difference in miss.differences {
///     print(difference.aspect, difference.expected, difference.actual)   // query "page" "2" none
///   }
/// }
/// ```
///
/// All texts have at most 200 characters and an ellipsis, and secrets in them are masked.
public struct NearMiss: Sendable, Hashable {
  /// The identifier of the route.
  public let id: RouteID
  /// The method of the route.
  ///
  /// `nil` for a route for all methods.
  public let method: HTTPMethod?
  /// The path template of the route.
  public let template: String
  /// The conditions that the request meets, such as `method GET`, `path /boards` and
  /// `query "page": "2"`.
  public let matched: [String]
  /// The conditions that the request does not meet, with the expected and the actual values, at most
  /// ten.
  ///
  /// The order is the method, the path, the conditions, the limit of responses, and the states of
  /// scenarios.
  public let differences: [RequestDifference]
  /// The distance between the request and the route.
  ///
  /// A smaller distance is more similar. A different path counts more than a different method, and a
  /// different method counts more than a condition that is not met. A route for all methods and all
  /// paths below a prefix counts as one with a different path.
  public let distance: Int
  /// The method, the template and the conditions of the route on one line.
  public let description: String

  /// The maximum number of differences.
  private static let maximumDifferences = 10

  init(
    _ entry: RegisteredRoute, _ request: ReceivedRequest, distance: Int,
    states: [RequestDifference]
  ) {
    let pattern = entry.route.pattern
    var request = request
    // The templates of conditions may use the variables of the route's path.
    let segments = entry.template.matchedSegments(of: request.path)
    if let segments { request.path.variables = entry.template.variables(in: segments) }
    id = entry.id
    method = entry.route.method
    template = ReportFormatter.bounded(entry.route.template)
    description = ReportFormatter.bounded(entry.route.description)
    self.distance = distance
    let differences = pattern.differences(from: request) + states
    self.differences = Array(differences.prefix(Self.maximumDifferences))
    var matched: [String] = []
    if let method = pattern.method, method == request.method {
      matched.append("method \(ReportFormatter.bounded(method.rawValue))")
    }
    if segments != nil {
      matched.append("path \(ReportFormatter.bounded(entry.route.template))")
    }
    matched += pattern.conditions.prefix(Self.maximumDifferences).filter { $0.isMet(by: request) }
      .map { ReportFormatter.bounded($0.description) }
    self.matched = matched
  }
}

extension NearMiss: CustomStringConvertible {}

/// A search for the routes that are nearest to a request, with a limited number of steps.
///
/// It visits the nodes of the index in the order of their distances from the path, so that it finds
/// the nearest routes first, and ends when all other routes are farther away.
struct NearMissSearch {
  /// The limits of one search.
  ///
  /// A table within the limits is searched completely.
  struct Limits {
    /// The maximum number of nodes visited.
    var nodes = 256
    /// The maximum number of segments compared.
    var comparisons = 384
    /// The maximum number of routes whose conditions are tested.
    var routes = 96
  }

  /// A node or its routes, with the smallest possible distance of its routes from the request.
  private struct Step: HeapElement {
    let distance: Int
    /// The order of discovery, which makes the search deterministic.
    let number: Int
    let node: Int
    let depth: Int
    /// Whether the step tests routes: those that end at the node, or those with a variable for the
    /// rest.
    let leaf: RouteIndex.Leaf?

    func precedes(_ other: Step) -> Bool {
      (distance, number) < (other.distance, other.number)
    }
  }

  /// A route with its distance from the request.
  struct Match {
    let entry: RegisteredRoute
    let distance: Int

    func precedes(_ other: Match) -> Bool {
      // The position is the order of the routes in a list, regardless of their priorities. A
      // replaced route keeps it.
      (distance, entry.position) < (other.distance, other.entry.position)
    }
  }

  private let index: RouteIndex
  private let path: [String]
  private let count: Int
  private let limits: Limits
  private let distance: (RegisteredRoute) -> Int
  private var steps = Heap<Step>()
  private var discoveredCount = 0
  private var matches: [Match] = []
  /// The number of visited nodes.
  private(set) var nodeCount = 0
  /// The number of compared segments.
  private(set) var comparisonCount = 0
  /// The number of tested routes.
  private(set) var routeCount = 0

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - path: The segments of the path.
  ///   - count: The maximum number of routes to find.
  ///   - limits: The limits.
  ///   - distance: Returns the distance of a route from the request.
  init(
    in index: RouteIndex, for path: [String], count: Int, limits: Limits = Limits(),
    distance: @escaping (RegisteredRoute) -> Int
  ) {
    self.index = index
    self.path = path
    self.count = count
    self.limits = limits
    self.distance = distance
  }

  /// Returns the nearest routes, the nearest one first.
  mutating func run() -> [Match] {
    add(0, node: RouteIndex.root, depth: 0)
    while let step = steps.popFirst() {
      if isComplete(before: step) { break }
      if let leaf = step.leaf {
        test(index[leaf])
      } else if nodeCount < limits.nodes {
        nodeCount += 1
        visit(step)
      } else if matches.count < count {
        // The limit is reached without enough routes: the first route below the node is used.
        testFirstRoute(below: step.node)
      } else {
        break
      }
    }
    return matches
  }

  /// Returns whether no route of this or a later step can be nearer than those found.
  private func isComplete(before step: Step) -> Bool {
    if routeCount >= limits.routes, matches.count >= count { return true }
    guard matches.count >= count, let last = matches.last else { return false }
    // The distance of a different path is at least 4, see ``RequestPattern/distance(from:)``.
    return (step.distance == 0 ? 0 : step.distance + 4) > last.distance
  }

  private mutating func add(
    _ distance: Int, node: Int, depth: Int, leaf: RouteIndex.Leaf? = nil
  ) {
    discoveredCount += 1
    steps.insert(
      Step(distance: distance, number: discoveredCount, node: node, depth: depth, leaf: leaf))
  }

  private mutating func visit(_ step: Step) {
    let node = index.nodes[step.node]
    if !node.rests.buckets.isEmpty {
      let distance =
        step.depth <= path.count
        // A template that matches so far has no distance at all.
        ? (step.distance == 0 ? 0 : PathDistance.rest) : PathDistance.missingSegment
      add(
        step.distance + distance, node: step.node, depth: step.depth,
        leaf: .init(node: step.node, isRest: true))
    }
    if !node.ends.buckets.isEmpty {
      let missing = max(path.count - step.depth, 0) * PathDistance.missingSegment
      add(
        step.distance + missing, node: step.node, depth: step.depth,
        leaf: .init(node: step.node, isRest: false))
    }
    visitChildren(of: node, step)
  }

  private mutating func visitChildren(of node: RouteIndex.Node, _ step: Step) {
    guard step.depth < path.count else {
      // The templates below are longer than the path.
      let distance = step.distance + PathDistance.missingSegment
      if let variable = node.variable { add(distance, node: variable, depth: step.depth + 1) }
      for (_, child) in children(of: node, near: "") {
        add(distance, node: child, depth: step.depth + 1)
      }
      return
    }
    let segment = path[step.depth]
    if let variable = node.variable {
      // The distance of a variable counts only if another segment differs.
      let distance = segment.isEmpty || step.distance > 0 ? PathDistance.variable(segment) : 0
      add(step.distance + distance, node: variable, depth: step.depth + 1)
    }
    if let child = node.literals[segment] {
      add(step.distance, node: child, depth: step.depth + 1)
    }
    for (literal, child) in children(of: node, near: segment) where literal != segment {
      guard comparisonCount < limits.comparisons else { return }
      comparisonCount += 1
      add(
        step.distance + PathDistance.between(literal, segment), node: child, depth: step.depth + 1)
    }
  }

  /// Returns the literal segments that follow a node, or those similar to a segment if there are many.
  private func children(of node: RouteIndex.Node, near segment: String) -> [(String, Int)] {
    guard let names = node.names else { return node.literals.sorted { $0.value < $1.value } }
    return names.neighbors(of: segment, count: RouteIndex.sortedNamesThreshold / 4)
      .compactMap { name in node.literals[name].map { (name, $0) } }
  }

  // MARK: Routes

  private mutating func test(_ buckets: RouteBuckets) {
    for bucket in buckets.buckets {
      for entry in bucket.routes {
        guard routeCount < limits.routes || matches.count < count else { return }
        test(entry)
      }
    }
  }

  private mutating func test(_ entry: RegisteredRoute) {
    routeCount += 1
    let match = Match(entry: entry, distance: distance(entry))
    let place = matches.firstIndex { match.precedes($0) } ?? matches.count
    guard place < count else { return }
    matches.insert(match, at: place)
    if matches.count > count { matches.removeLast() }
  }

  private mutating func testFirstRoute(below start: Int) {
    var next: Int? = start
    while let node = next.map({ index.nodes[$0] }) {
      if let entry = (node.ends.buckets.first ?? node.rests.buckets.first)?.routes.first {
        // Several steps may lead to the same route.
        if !matches.contains(where: { $0.entry === entry }) { test(entry) }
        return
      }
      // A node may have thousands of literal segments, so the search does not compare all of them.
      next = node.variable ?? children(of: node, near: "").first?.1
    }
  }
}
