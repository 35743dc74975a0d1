import Networking

/// An index of routes by the segments of their paths.
///
/// The index is a trie: each node stands for a prefix of path templates, and its edges are literal
/// segments or a variable. A search visits only nodes whose prefix matches the path, so its cost
/// depends on the length of the path and on the number of routes for it, not on the number of all
/// routes. Adding and removing a route takes time in proportion to the length of its path.
struct RouteIndex: Sendable {
  struct Node: Sendable {
    /// The nodes for the next segment, by literal segment.
    var literals: [String: Int] = [:]
    /// The node for a variable as the next segment.
    var variable: Int?
    /// The routes whose template ends here.
    var ends = RouteBuckets()
    /// The routes with a variable for all remaining segments.
    var rests = RouteBuckets()
    /// The literal segments in order, if there are many, for near misses.
    var names: SortedNames?

    var isEmpty: Bool {
      literals.isEmpty && variable == nil && ends.buckets.isEmpty && rests.buckets.isEmpty
    }
  }

  /// The routes of a node that match a path.
  struct Leaf {
    let node: Int
    /// Whether they have a variable for all remaining segments.
    let isRest: Bool
  }

  /// The root.
  static let root = 0
  /// The number of literal segments of a node above which they are kept in order.
  static let sortedNamesThreshold = 32

  private(set) var nodes = [Node()]
  private var freeNodes: [Int] = []

  subscript(leaf: Leaf) -> RouteBuckets {
    leaf.isRest ? nodes[leaf.node].rests : nodes[leaf.node].ends
  }

  // MARK: Searching

  /// Returns the leaves whose templates match a path, apart from the constraints of variables.
  ///
  /// - Parameters:
  ///   - path: The segments of the path.
  ///   - literalCount: The number of the first segments that no variable matches.
  /// - Returns: The leaves in no particular order, and the number of visited nodes.
  func leaves(
    for path: [String], literalCount: Int = 0
  ) -> (leaves: [Leaf], visitedCount: Int) {
    var leaves: [Leaf] = []
    var visitedCount = 0
    // Each node is at one depth only, so it is visited at most once.
    var pending = [(node: Self.root, depth: 0)]
    while let (index, depth) = pending.popLast() {
      visitedCount += 1
      let takesVariables = depth >= literalCount
      if takesVariables, !nodes[index].rests.buckets.isEmpty {
        leaves.append(Leaf(node: index, isRest: true))
      }
      guard depth < path.count else {
        if !nodes[index].ends.buckets.isEmpty { leaves.append(Leaf(node: index, isRest: false)) }
        continue
      }
      if takesVariables, let next = nodes[index].variable, !path[depth].isEmpty {
        pending.append((next, depth + 1))
      }
      if let next = nodes[index].literals[path[depth]] { pending.append((next, depth + 1)) }
    }
    return (leaves, visitedCount)
  }

  /// The literal segments with which the templates of several routes may begin, such as `v2`: the first
  /// 16 beginnings of one or two segments.
  ///
  /// A node with many segments has other names than those of versions and applications.
  var beginnings: [[String]] {
    var found: [(path: [String], node: Int)] = [([], Self.root)]
    var next = 0
    while next < found.count, found[next].path.count < 2 {
      let (path, node) = found[next]
      next += 1
      let literals = nodes[node].literals
      guard literals.count + found.count <= 17 else { continue }
      found += literals.sorted { $0.value < $1.value }.map { (path + [$0.key], $0.value) }
    }
    return found.dropFirst().map(\.path)
  }

  // MARK: Changing

  mutating func insert(_ route: RegisteredRoute) {
    var index = Self.root
    for segment in route.template.segments {
      switch segment {
      case .literal(let literal):
        if let next = nodes[index].literals[literal] {
          index = next
        } else {
          let next = newNode()
          addLiteral(literal, to: index, leadingTo: next)
          index = next
        }
      case .variable:
        if let next = nodes[index].variable {
          index = next
        } else {
          let next = newNode()
          nodes[index].variable = next
          index = next
        }
      case .rest: return nodes[index].rests.insert(route)
      }
    }
    nodes[index].ends.insert(route)
  }

  mutating func remove(_ route: RegisteredRoute) {
    var chain = [Self.root]
    for segment in route.template.segments {
      let next: Int?
      switch segment {
      case .literal(let literal): next = nodes[chain[chain.count - 1]].literals[literal]
      case .variable: next = nodes[chain[chain.count - 1]].variable
      case .rest: next = nil
      }
      if case .rest = segment { break }
      guard let next else { return }
      chain.append(next)
    }
    let last = chain[chain.count - 1]
    if case .rest? = route.template.segments.last {
      nodes[last].rests.remove(route)
    } else {
      nodes[last].ends.remove(route)
    }
    removeEmptyNodes(of: chain, route.template.segments)
  }

  /// Removes the nodes of a chain that have no routes, from the end.
  private mutating func removeEmptyNodes(of chain: [Int], _ segments: [PathTemplate.Segment]) {
    for depth in chain.indices.dropFirst().reversed() {
      guard nodes[chain[depth]].isEmpty else { return }
      let parent = chain[depth - 1]
      switch segments[depth - 1] {
      case .literal(let literal):
        nodes[parent].literals[literal] = nil
        nodes[parent].names?.remove(literal)
      case .variable, .rest: nodes[parent].variable = nil
      }
      nodes[chain[depth]] = Node()
      freeNodes.append(chain[depth])
    }
  }

  private mutating func newNode() -> Int {
    if let free = freeNodes.popLast() { return free }
    nodes.append(Node())
    return nodes.count - 1
  }

  private mutating func addLiteral(_ literal: String, to index: Int, leadingTo next: Int) {
    nodes[index].literals[literal] = next
    if nodes[index].names != nil {
      nodes[index].names?.insert(literal)
    } else if nodes[index].literals.count > Self.sortedNamesThreshold {
      nodes[index].names = SortedNames(nodes[index].literals.keys)
    }
  }
}

/// The routes of a node, by method, each list in order of precedence.
struct RouteBuckets: Sendable {
  struct Bucket: Sendable {
    /// The method, or `nil` for the routes for all methods.
    let method: HTTPMethod?
    var routes: [RegisteredRoute]
  }

  private(set) var buckets: [Bucket] = []

  mutating func insert(_ route: RegisteredRoute) {
    guard let bucket = buckets.firstIndex(where: { $0.method == route.route.method }) else {
      buckets.append(Bucket(method: route.route.method, routes: [route]))
      return
    }
    buckets[bucket].routes.insert(route, at: Self.place(of: route, in: buckets[bucket].routes))
  }

  mutating func remove(_ route: RegisteredRoute) {
    guard let bucket = buckets.firstIndex(where: { $0.method == route.route.method }) else {
      return
    }
    let place = Self.place(of: route, in: buckets[bucket].routes)
    guard place < buckets[bucket].routes.count, buckets[bucket].routes[place] === route else {
      return
    }
    buckets[bucket].routes.remove(at: place)
    if buckets[bucket].routes.isEmpty { buckets.remove(at: bucket) }
  }

  /// Returns the index of a route, or the one at which to insert it, by a binary search.
  private static func place(of route: RegisteredRoute, in routes: [RegisteredRoute]) -> Int {
    // Fast path: routes are mostly added at the end.
    guard let last = routes.last, !last.precedes(route) else { return routes.count }
    var (low, high) = (0, routes.count)
    while low < high {
      let middle = (low + high) / 2
      if routes[middle].precedes(route) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
