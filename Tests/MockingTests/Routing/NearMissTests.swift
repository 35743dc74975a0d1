import Networking
import TestGate
import Testing

@testable import Mocking

/// The nearest routes are found in a limited number of steps, with their differences as values.
@Suite(.gated)
struct NearMissTests {
  private static func nearest(
    _ table: RouteTable, _ request: ReceivedRequest
  ) -> (numbers: [Int], search: NearMissSearch) {
    var search = NearMissSearch(in: table.index, for: request.path.segments, count: 3) {
      $0.route.pattern.distance(from: request)
    }
    let matches = search.run()
    return (matches.map(\.entry.number), search)
  }

  @Test func aSmallTableIsSearchedCompletely() throws {
    let words = ["a", "boards", "bords", "cards", "{id}", "users", "{rest*}", "me"]
    for seed in 0..<2_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let routes = (0..<Int.random(in: 1...15, using: &random)).map { _ in
        var path = ""
        for word in words.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)) {
          path += "/" + word
          if word == "{rest*}" { break }
        }
        let route = Route(Bool.random(using: &random) ? .get : .post, path, .status(200))
        return Bool.random(using: &random) ? route.where(.query("q", "1")) : route
      }
      let table = try RouteTable(routes)
      let path = ["/bards", "/boards/7", "/user/me/x/y", "/", "/a/b/c", "/cards//"]
        .randomElement(using: &random)
      let request = ReceivedRequest.of("GET", try #require(path))
      let all = table.entries.map {
        ($0.route.pattern.distance(from: request), $0.number)
      }.sorted { $0 < $1 }
      #expect(Self.nearest(table, request).numbers == all.prefix(3).map(\.1), "seed \(seed)")
    }
  }

  @Test(arguments: [
    ("/api/v1/itmes5000/detail", "/api/v1/items5000/detail"),
    ("/api/v1/items5000/detial", "/api/v1/items5000/detail"),
    ("/apis/v1/items5000/detail", "/api/v1/items5000/detail"),
    ("/api/v1/items5000", "/api/v1/items5000/detail"),
    ("/api/v1/items5000/detail/x", "/api/v1/items5000/detail"),
  ])
  func theNearestOfManyRoutesIsFoundInFewSteps(target: String, expected: String) throws {
    let table = try RouteTable(
      (0..<10_000).map { Route(.get, "/api/v1/items\($0)/detail", .status(200)) })
    let (numbers, search) = Self.nearest(table, .of("GET", target))
    #expect(numbers.first.map { table.entries[$0].route.template } == expected)
    let limits = NearMissSearch.Limits()
    #expect(search.nodeCount <= limits.nodes)
    #expect(search.comparisonCount <= limits.comparisons)
    #expect(search.routeCount <= limits.routes + 3)
  }

  @Test func aSearchIsLimitedWhateverTheRoutesAre() throws {
    let limits = NearMissSearch.Limits()
    let tables: [[Route]] = [
      (0..<3_000).map { Route(.get, "/same", .status($0 % 100 + 200)).where(.query("q", "\($0)")) },
      (0..<3_000).map { Route(.get, "/\($0 % 20)/\($0 / 20 % 20)/\($0 / 400)/x", .status(200)) },
      (0..<3_000).map { Route(.get, "/{a}/\($0)/{rest*}", .status(200)) },
    ]
    let targets = [
      "/same", "/zzzzzzzzzzzzzzz/zzzzzzzzzzzzzzz/zzzzzzzzzzzzzz",
      String(repeating: "/y", count: 5_000), "/",
    ]
    for routes in tables {
      let table = try RouteTable(routes)
      for target in targets {
        let (numbers, search) = Self.nearest(table, .of("GET", target))
        #expect(numbers.count == 3)
        #expect(search.nodeCount <= limits.nodes)
        #expect(search.comparisonCount <= limits.comparisons)
        #expect(search.routeCount <= limits.routes + 3)
      }
    }
  }

  @Test func aNearMissHasTheExpectedAndTheActualValues() throws {
    let transport = MockTransport(routes: [
      Route(.post, "/boards/{id}", .status(201)).id("create")
        .where(.query("page", "2"), .header("X-A", "b"), .json(containing: ["token": "s3cret-1"])),
      Route(.get, "/boards/{id}", .status(200)).times(0),
    ])
    let request = ReceivedRequest.of(
      "POST", "/boards/7?page=1", ["X-A": "b"], #"{"token": "s3cret-2"}"#)
    let misses = transport.routes.nearMisses(for: request)
    let first = try #require(misses.first)
    #expect(first.id == "create")
    #expect(first.method == .post && first.template == "/boards/{id}")
    #expect(first.matched == ["method POST", "path /boards/{id}", #"header "X-A": "b""#])
    #expect(
      first.differences == [
        RequestDifference(aspect: #"query "page""#, expected: #""2""#, actual: #""1""#),
        RequestDifference(aspect: "JSON .token", expected: "***", actual: "***"),
      ])
    #expect(first.distance == 2)
    #expect(misses.last?.differences.map(\.aspect) == ["method", "times"])
    #expect(!"\(misses)".contains("s3cret"))
    #expect(transport.routes.nearMisses(for: request, count: 1).count == 1)
    #expect(transport.routes.nearMisses(for: request, count: -1).isEmpty)
  }

  @Test(arguments: [
    ("/payments", ["GET /v2/payments", "POST /v2/payments"]),
    ("/payments/7", ["GET /v2/payments/{id}"]),
    ("/pets", ["GET /api/v1/pets", "GET /pits"]), ("/pitts", ["GET /pits"]),
  ])
  func aRouteWhoseBeginningIsLeftOutIsNearerThanOtherPaths(path: String, nearest: [String]) throws {
    let others = ["balances", "captures", "chargebacks"].map {
      Route(.get, "/v2/\($0)", .status(200))
    }
    let transport = MockTransport(
      routes: others + [
        Route(.get, "/v2/payments", .status(200)), Route(.post, "/v2/payments", .status(201)),
        Route(.get, "/v2/payments/{id}", .status(200)), Route(.get, "/api/v1/pets", .status(200)),
        Route(.get, "/pits", .status(200)), Route(.get, "/users/{id}", .status(200)),
      ])
    let misses = transport.routes.nearMisses(for: .of("GET", path))
    #expect(Array(misses.map(\.description).prefix(nearest.count)) == nearest)
    #expect(misses.first?.differences.map(\.aspect) == ["path"])
  }

  @Test func aReplacedRouteKeepsItsPlaceAmongEquallyNearRoutes() throws {
    let transport = MockTransport(routes: [
      Route(.get, "/aa", .status(200)).id("a"), Route(.get, "/ab", .status(200)).id("b"),
    ])
    try transport.routes.replace("a", with: Route(.get, "/ac", .status(200)))
    let misses = transport.routes.nearMisses(for: .of("GET", "/ad"))
    #expect(misses.map(\.id) == ["a", "b"])
    #expect(Set(misses.map(\.distance)).count == 1)
  }

  @Test func aSegmentThatManyOthersResembleIsStillFound() throws {
    // The comparisons of long segments of the same length end at the limit of the distance.
    let prefix = String(repeating: "x", count: 55)
    let table = try RouteTable(
      (0..<2_000).map { Route(.get, "/\(prefix)\(10_000 + $0)", .status(200)) })
    let (numbers, _) = Self.nearest(table, .of("GET", "/\(prefix)11234x"))
    #expect(numbers.first.map { table.entries[$0].route.template } == "/\(prefix)11234")
  }
}
