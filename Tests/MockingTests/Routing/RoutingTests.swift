import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct RoutingTests {
  private static func table(_ routes: Route...) throws -> RouteTable { try RouteTable(routes) }

  private static func route(_ method: HTTPMethod?, _ template: String) -> Route {
    Route(method, template) { _ in .status(200) }
  }

  private func found(_ table: RouteTable, _ method: HTTPMethod, _ target: String) -> String {
    switch table.find(method, target) {
    case .routes(let candidates, _):
      guard let first = candidates.first else { return "none" }
      let variables = first.variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return ([first.entry.route.template] + variables).joined(separator: " ")
    case .response(let response, _): return "\(response.status)"
    case .unmatched: return "404"
    }
  }

  @Test(arguments: [
    ("/", "/"), ("/a", "/a"), ("/a?x=/b", "/a"), ("/a/", "404"), ("/A", "404"),
    ("/b/7", "/b/{id} id=7"), ("/b/", "404"), ("/b/a%2Fb%20c", "/b/{id} id=a/b c"),
    ("/b/7/c/8", "/b/{id}/c/{other} id=7 other=8"), ("/b/%zz", "400"), ("/b/%", "400"),
    ("/f", "/f/{rest*} rest="), ("/f/", "/f/{rest*} rest="),
    ("/f/x/y%2Fz", "/f/{rest*} rest=x/y/z"),
    ("http://h:1/b/7?q", "/b/{id} id=7"), ("/b/%C3%A9", "/b/{id} id=\u{e9}"),
  ])
  func pathsMatchTemplates(target: String, expected: String) throws {
    let table = try Self.table(
      Self.route(.get, "/"), Self.route(.get, "/a"), Self.route(.get, "/b/{id}"),
      Self.route(.get, "/b/{id}/c/{other}"), Self.route(.get, "/f/{rest*}"))
    #expect(found(table, .get, target) == expected)
  }

  @Test func theFirstMatchingRouteResponds() throws {
    let table = try Self.table(
      Self.route(.get, "/b/new"), Self.route(.get, "/b/{id}"), Self.route(nil, "/{all*}"))
    #expect(found(table, .get, "/b/new") == "/b/new")
    #expect(found(table, .get, "/b/old") == "/b/{id} id=old")
    #expect(found(table, .delete, "/b/old") == "/{all*} all=b/old")
  }

  @Test func aGetRouteHandlesHEADUnlessHEADHasARoute() throws {
    let get = Self.route(.get, "/{a}")
    #expect(found(try Self.table(get), .head, "/x") == "/{a} a=x")
    #expect(found(try Self.table(get, Self.route(.head, "/x")), .head, "/x") == "/x")
  }

  @Test(arguments: [
    (HTTPMethod.delete, "/a", "405 GET, HEAD, OPTIONS"), (.options, "/a", "204 GET, HEAD, OPTIONS"),
    (.put, "/b", "405 OPTIONS, POST"), (.post, "/a", "405 GET, HEAD, OPTIONS"),
    (.get, "/a", "200"), (.get, "/none", "no route"), (.put, "/c", "no route"),
  ])
  func aRouteThatChecksEachRequestDoesNotHideTheAllowedMethods(
    method: HTTPMethod, target: String, expected: String
  ) async throws {
    let routes = [
      Route(nil, "/{rest*}", .status(401)).where(.header("Authorization", .absent)),
      Route(.get, "/a", .status(200)), Route(.post, "/b", .status(200)),
      Route(nil, "/c", .status(200)).where(.query("q", "1")),
      Route(.get, "/c", .status(200)),
    ]
    let transport = MockTransport(routes: routes)
    let url = try #require(URL(string: "http://a\(target)"))
    let request = { HTTPRequest(method: method, url: url, headers: $0) }
    #expect(await transport.perform(request([:])).head?.status == 401)
    let record = await transport.perform(request(["Authorization": "Basic YTpi"]))
    let allowed = record.head?.headers["Allow"].map { " \($0)" } ?? ""
    #expect((record.head.map { "\($0.status)" } ?? "no route") + allowed == expected)
    // A server responds alike.
    let server = try MockServer(routes: routes)
    let response = await PlatformTransport.make().perform(
      HTTPRequest(
        method: method, url: server.url.appending(path: target),
        headers: ["Authorization": "Basic YTpi"]))
    #expect(response.head?.headers["Allow"] == record.head?.headers["Allow"])
    #expect(response.head?.status == record.head?.status ?? 404)
  }

  @Test func aRouteForAllPathsIsFartherThanASimilarPath() throws {
    let transport = MockTransport(routes: [
      Route(nil, "/{rest*}", .status(401)).id("guard").where(.header("Authorization", .absent)),
      Route(.get, "/boards", .status(200)).id("boards"),
    ])
    let request = ReceivedRequest.of("GET", "/bords", ["Authorization": "Basic YTpi"])
    #expect(transport.routes.nearMisses(for: request).map(\.id) == ["boards", "guard"])
  }

  @Test func aWrongMethodListsTheAllowedOnes() throws {
    let table = try Self.table(Self.route(.get, "/a"), Self.route(.post, "/a"))
    for (method, status) in [(HTTPMethod.put, 405), (.options, 204)] {
      guard case .response(let response, _) = table.find(method, "/a") else {
        #expect(Bool(false), "\(method) must not match a route")
        continue
      }
      #expect(response.status == status)
      #expect(response.headers["Allow"] == "GET, HEAD, OPTIONS, POST")
    }
  }

  @Test func anUnmatchedRequestListsTheNearestRoutesAndTheirDifferences() throws {
    let registry = StubRegistry(
      try Self.table(
        Self.route(.get, "/login"), Self.route(.get, "/boards/{id}"),
        Self.route(.put, "/boards/{id}"),
        Self.route(nil, "/boards/{id}/cards"), Self.route(.get, "/about")))
    #expect(
      registry.unmatched(.of("GET", "/bords/7?token=s3cret")) == """
        no route for GET /bords/7
        nearest routes:
          GET /boards/{id}
            path: expected /boards/{id}, actual /bords/7
          PUT /boards/{id}
            method: expected PUT, actual GET
            path: expected /boards/{id}, actual /bords/7
          * /boards/{id}/cards
            path: expected /boards/{id}/cards, actual /bords/7
        """)
    #expect(
      StubRegistry(try Self.table()).unmatched(.of("GET", "/")) == """
        no route for GET /
        there are no routes
        """)
  }

  @Test(arguments: [
    "a/*", "a?b",
    "/a?b", "/{a}/{a}", "/{rest*}/b", "/{", "/}", "/{}", "/{*}", "/x{a}", "/{a}x", "/%g",
  ])
  func aMalformedTemplateIsReported(template: String) {
    #expect {
      try MockServer { Self.route(.get, template) }
    } throws: { error in
      guard case .invalidTemplate(template, _)? = error as? MockServerError else { return false }
      return "\(error)".hasPrefix("the route \"\(template)\" is malformed: ")
    }
  }

  @Test func theQueryIsDecoded() {
    let query = RequestQuery("a=1&b=x+y%26&a=2&c&=d&e==%zz")
    #expect(query["a"] == "1")
    #expect(query.values(for: "a") == ["1", "2"])
    #expect(query["b"] == "x y&")
    #expect(query["c"] == "")
    #expect(query["e"] == "=%zz")
    #expect(query["none"] == nil)
    #expect(RequestQuery(nil).items.isEmpty)
  }
}
