import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// The index finds the same routes as a search through all routes, in a number of steps that does not
/// depend on the number of routes.
@Suite(.gated)
struct RouteIndexTests {
  private static let methods: [HTTPMethod?] = [.get, .get, .post, .head, .options, nil]
  private static let segments = [
    "a", "b", "ab", "{x}", "{y}", "{z:[ab]+}", "", "a%2Fb", "{rest*}",
  ]

  /// Returns a random route, some of which have conditions, priorities and limits.
  private static func route(_ number: Int, _ random: inout SplitMix64) -> Route {
    var path = ""
    var names: Set<String> = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let segment = segments.randomElement(using: &random) ?? "a"
      guard !segment.hasPrefix("{") || names.insert(segment).inserted else { continue }
      path += "/" + segment
      if segment.hasSuffix("*}") { break }
    }
    var route = Route(
      methods.randomElement(using: &random) ?? nil, path.isEmpty ? "/" : path, .text("\(number)"))
    if Int.random(in: 0..<3, using: &random) == 0 { route = route.where(.query("q")) }
    if Int.random(in: 0..<6, using: &random) == 0 { route = route.times(1) }
    if Int.random(in: 0..<4, using: &random) == 0 {
      route = route.priority(Int.random(in: -1...1, using: &random))
    }
    if Int.random(in: 0..<8, using: &random) == 0 {
      route.responder.origin = .server(URL(filePath: "/"))
    }
    return route
  }

  private static func target(_ random: inout SplitMix64) -> String {
    let segments = ["a", "b", "ab", "", "c", "a%2Fb"]
    let count = Int.random(in: 1...4, using: &random)
    return (0..<count).map { _ in "/" + (segments.randomElement(using: &random) ?? "a") }.joined()
  }

  /// The routes for a request as a linear search finds them.
  private static func linear(
    _ entries: [RegisteredRoute], _ method: HTTPMethod, _ target: String, below base: String
  ) -> (numbers: [Int], methods: Set<String>, isMatched: Bool) {
    let path = ReceivedPath(of: target, below: base)
    let matching = entries.filter { $0.template.matches(path) }
    var found = matching.filter { $0.route.method == nil || $0.route.method == method }
    if method == .head {
      let (mocked, forwarding) = (
        found.filter { $0.route.responder.server == nil },
        found.filter { $0.route.responder.server != nil }
      )
      found = mocked + matching.filter { $0.route.method == .get } + forwarding
    }
    // The routes after one without conditions cannot be chosen.
    if let last = found.firstIndex(where: { $0.route.isUnconditional }) {
      found.removeLast(found.count - last - 1)
    }
    return (
      found.map(\.number), Set(matching.compactMap(\.route.method?.rawValue)), !matching.isEmpty
    )
  }

  private static func expectSame(_ table: RouteTable, _ random: inout SplitMix64, _ seed: UInt64) {
    let entries = table.entries
    for _ in 0..<6 {
      let target = target(&random)
      for method in [HTTPMethod.get, .head, .post, .options, .put] {
        let base = ["", "/a", "/a/b"].randomElement(using: &random) ?? ""
        let (numbers, methods, isMatched) = linear(entries, method, target, below: base)
        switch table.find(method, target, below: base) {
        case .routes(let candidates, _):
          #expect(
            candidates.map(\.entry.number) == numbers, "seed \(seed): \(method) \(target)")
        case .response(let mock, _):
          #expect(numbers.isEmpty && isMatched, "seed \(seed): \(method) \(target)")
          let allowed = (mock.headers["Allow"] ?? "").split(separator: ", ").map(String.init)
          #expect(methods.isSubset(of: allowed), "seed \(seed): \(method) \(target)")
        case .unmatched: #expect(!isMatched, "seed \(seed): \(method) \(target)")
        }
      }
    }
  }

  @Test func theIndexChoosesLikeALinearSearch() throws {
    for seed in 0..<UInt64(TestSize.of(1_000, full: 3_000)) {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: 0...12, using: &random)
      let table = try RouteTable((0..<count).map { Self.route($0, &random) })
      Self.expectSame(table, &random, seed)
    }
  }

  @Test func manyRoutesOfOnePathAreInTheOrderOfALinearSearch() throws {
    for seed in 0..<50 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var table = try RouteTable([])
      for number in 0..<20 {
        let route = Route(.get, "/a", .text("\(number)")).where(.query("q"))
          .priority(Int.random(in: -2...2, using: &random))
        try table.add([route], at: Bool.random(using: &random) ? .first : .last)
      }
      guard case .routes(let candidates, _) = table.find(.get, "/a") else {
        Issue.record("seed \(seed): nothing is found")
        continue
      }
      let numbers = Self.linear(table.entries, .get, "/a", below: "").numbers
      #expect(candidates.map(\.entry.number) == numbers, "seed \(seed)")
    }
  }

  @Test func theIndexChoosesLikeALinearSearchAfterRandomChanges() throws {
    for seed in 0..<UInt64(TestSize.of(150, full: 300)) {
      var random = SplitMix64(seed: seed)
      var table = try RouteTable((0..<5).map { Self.route($0, &random) })
      for step in 0..<20 {
        let id = table.entries.randomElement(using: &random)?.id
        switch (Int.random(in: 0..<4, using: &random), id) {
        case (0, let id?): table.remove(id)
        case (1, let id?): _ = try table.replace(id, with: Self.route(step, &random))
        case (2, _): try table.add([Self.route(step, &random)], at: .first)
        default: try table.add([Self.route(step, &random)], at: .last)
        }
      }
      Self.expectSame(table, &random, seed)
    }
  }

  @Test func theStepsOfAHitDoNotDependOnTheNumberOfRoutes() throws {
    func visits(_ count: Int) throws -> [Int] {
      let routes = (0..<count).flatMap { number in
        [
          Route(.get, "/api/v1/items\(number)/detail", .status(200)).where(.query("a")),
          Route(.get, "/api/v1/items\(number)/{part}", .status(200)).times(1),
          Route(.post, "/api/v1/items\(number)/detail", .status(201)),
        ]
      }
      let table = try RouteTable(routes + [Route(nil, "/{all*}", .status(404))])
      return try ["/api/v1/items1/detail", "/api/v1/items3/x", "/other", "/"].map { target in
        let path = try #require(RequestTarget(target)).segments
        return table.index.leaves(for: path).visitedCount
      }
    }
    #expect(try visits(5) == visits(5_000))
    #expect(try visits(5)[0] == 6)
  }

  @Test func aRouteThatIsNotThereIsNotRemoved() throws {
    let table = try RouteTable([Route(.get, "/a", .status(200)), Route(.get, "/a", .status(201))])
    var buckets = RouteBuckets()
    buckets.insert(table.entries[0])
    buckets.remove(table.entries[1])
    #expect(buckets.buckets.map(\.routes.count) == [1])
    buckets.remove(table.entries[0])
    buckets.remove(table.entries[0])
    #expect(buckets.buckets.isEmpty)
  }

  @Test func aLongPathWithoutARouteIsNotFollowed() throws {
    let table = try RouteTable([Route(.get, "/a/{b}", .status(200))])
    let path = Array(repeating: "x", count: 10_000)
    #expect(table.index.leaves(for: path).visitedCount == 1)
  }

  @Test func removedRoutesLeaveNoNodes() throws {
    var table = try RouteTable([Route(.get, "/a", .status(200))])
    let count = table.index.nodes.count
    for round in 0..<3 {
      let added = try table.add(
        (0..<100).map { Route(.get, "/x\(round)/y\($0)/{z}/{rest*}", .status(200)) }, at: .last)
      for entry in added { table.remove(entry.id) }
    }
    #expect(table.entries.map(\.route.template) == ["/a"])
    // The nodes of the first round are used again by the others.
    #expect(table.index.nodes.count <= count + 201)
    guard case .unmatched = table.find(.get, "/x0/y7/1/2") else {
      Issue.record("a removed route is found")
      return
    }
  }

  @Test func similarNamesAreNeighborsInOneOfTheOrders() {
    var names = SortedNames((0..<2_000).map { "items\($0)" } + ["boards", "accounts"])
    names.insert("settings")
    names.remove("boards")
    func isFound(_ name: String, near typo: String) -> Bool {
      names.neighbors(of: typo, count: 8).contains(name)
    }
    #expect(isFound("items1500", near: "itmes1500"))
    #expect(isFound("items1500", near: "items150"))
    #expect(isFound("settings", near: "setings"))
    #expect(isFound("accounts", near: "acounts"))
    #expect(!isFound("boards", near: "boards"))
    #expect(names.neighbors(of: "items", count: 8).count <= 32)
  }

  @Test func sortedTextsKeepTheirOrderThroughChanges() {
    var random = SplitMix64(seed: 1)
    var texts = SortedTexts([])
    var expected: [String] = []
    for number in 0..<2_000 {
      let text = "\(Int.random(in: 0..<100_000, using: &random))-\(number)"
      texts.insert(text)
      expected.append(text)
      if number % 3 == 0 {
        let removed = expected.remove(at: Int.random(in: 0..<expected.count, using: &random))
        texts.remove(removed)
      }
    }
    #expect(texts.neighbors(of: "", count: 5_000) == expected.sorted())
  }
}
