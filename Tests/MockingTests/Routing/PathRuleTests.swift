import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources
@testable import MockingStubs

/// Routes, verifications, stub files and resources name paths by one rule, which
/// `RequestPattern.path` describes.
@Suite(.gated)
struct PathRuleTests {
  /// A spelling, and the requests that it matches and does not match.
  struct Spelling: CustomTestStringConvertible {
    let path: String
    /// The path of the base URL.
    var base = "/v1"
    let matched: [String]
    let unmatched: [String]

    var testDescription: String { "\(path) below \(base)" }
  }

  private static let spellings: [Spelling] =
    ["boards", "/boards", "v1/boards", "/v1/boards"].map {
      Spelling(
        path: $0, matched: ["/v1/boards", "/v1/boards?page=2"],
        unmatched: ["/v1/users/7/boards", "/v1/boards/7", "/v1", "/v1/boards/"])
    }
    + ["boards/{id}", "/boards/:id", "/v1/boards/{id:[0-9]+}"].map {
      Spelling(
        path: $0, matched: ["/v1/boards/7"], unmatched: ["/v1/boards", "/v1/boards/7/cards", "/7"])
    }
    + [
      Spelling(path: "boards", matched: ["/boards"], unmatched: ["/v10/boards", "/v2/boards"]),
      Spelling(path: "boards", base: "/v1/", matched: ["/v1/boards"], unmatched: ["/v1/v1/boards"]),
      Spelling(path: "v1/boards", matched: ["/v1/v1/boards"], unmatched: ["/v1/v1/v1/boards"]),
      Spelling(path: "/boards", base: "", matched: ["/boards"], unmatched: ["/v1/boards"]),
      Spelling(path: "boards", base: "/", matched: ["/boards"], unmatched: ["/v1/boards"]),
      Spelling(
        path: "boards", base: "/api/v1", matched: ["/api/v1/boards"], unmatched: ["/api/boards"]),
      // A variable matches no segment of the base URL.
      Spelling(path: "{a}/{b}", matched: ["/v1/a/b", "/a/b"], unmatched: ["/v1/boards"]),
      Spelling(path: "{all*}", matched: ["/v1", "/v1/a/b", "/a"], unmatched: []),
      Spelling(path: "v1/{all*}", matched: ["/v1/a", "/v1/v1/a", "/v1"], unmatched: ["/v2/a"]),
      Spelling(path: "", matched: ["/v1", "/v1/", "/"], unmatched: ["/v1/a"]),
      Spelling(path: "/", matched: ["/v1", "/v1/", "/"], unmatched: ["/v1/a"]),
    ]

  private func expect(_ spelling: Spelling, _ matches: (_ target: String) -> Bool) {
    for target in spelling.matched { #expect(matches(target), "\(target) is not matched") }
    for target in spelling.unmatched { #expect(!matches(target), "\(target) is matched") }
  }

  private func isRouted(_ routes: [Route], _ target: String, _ base: String) throws -> Bool {
    guard case .routes = try RouteTable(routes).find(.get, target, below: base) else {
      return false
    }
    return true
  }

  @Test(arguments: spellings)
  func aRouteMatchesTheRequestsOfItsPath(_ spelling: Spelling) throws {
    let table = try RouteTable([Route(.get, spelling.path, .status(200))])
    expect(spelling) { target in
      guard case .routes = table.find(.get, target, below: spelling.base) else { return false }
      return true
    }
  }

  @Test(arguments: spellings)
  func aVerificationCountsTheSameRequests(_ spelling: Spelling) {
    expect(spelling) { target in
      let request = ReceivedRequest.of("GET", target, below: spelling.base)
      let pattern = RequestPattern.get(spelling.path)
      #expect(pattern.matches(request) == (pattern.distance(from: request) == 0))
      return pattern.matches(request)
    }
  }

  @Test(arguments: spellings)
  func aRouteOfAStubFileMatchesTheSameRequests(_ spelling: Spelling) throws {
    let folder = TemporaryFolder()
    let file = folder.url("stubs.json")
    try JSON.dictionary([
      "routes": [["method": "GET", "path": .string(spelling.path), "status": 200]]
    ]).data().write(to: file)
    let table = try RouteTable(try StubFile(contentsOf: file).routes)
    expect(spelling) { target in
      guard case .routes = table.find(.get, target, below: spelling.base) else { return false }
      return true
    }
  }

  @Test func aVariableHasTheSegmentAfterTheBaseURL() throws {
    let table = try RouteTable([Route(.get, "boards/{id}/{rest*}", .status(200))])
    guard
      case .routes(let candidates, let path) = table.find(.get, "/v1/boards/7/a/b", below: "/v1")
    else {
      Issue.record("no route")
      return
    }
    #expect(candidates.map(\.variables) == [["id": "7", "rest": "a/b"]])
    #expect(path.segments == ["v1", "boards", "7", "a", "b"])
  }

  @Test func routesOfBothSpellingsHaveTheirOrder() throws {
    let routes = [
      Route(.get, "/v1/boards", .status(200)).where(.query("a", "1")),
      Route(.get, "boards", .status(201)),
      Route(.get, "/v1/{all*}", .status(202)),
    ]
    for (routes, expected) in [
      (routes, ["/v1/boards", "boards"]), (routes.reversed(), ["/v1/{all*}"]),
    ] {
      guard
        case .routes(let candidates, _) = try RouteTable(routes).find(
          .get, "/v1/boards", below: "/v1")
      else {
        Issue.record("no route")
        continue
      }
      #expect(candidates.map(\.entry.route.template) == expected)
    }
    guard
      case .response(let mock, _) = try RouteTable(routes).find(.post, "/v1/boards", below: "/v1")
    else {
      Issue.record("no response")
      return
    }
    #expect(mock.status == 405 && mock.headers["Allow"] == "GET, HEAD, OPTIONS")
  }

  @Test(arguments: ["boards/{id}", "/boards/{id}", "v1/boards/{id}", "/v1/boards/{id}"])
  func theBaseURLOfAClientCountsForRoutesAndVerifications(_ path: String) async throws {
    let route = Route(.get, path) { request in .text(request.path["id"]) }
    let provider = MockProvider<Request>(routes: [route])
    let transport = MockTransport(routes: [route])
    let base = try #require(URL(string: "https://api.example.com/v1"))
    let clients: [(any MockBackend, Networking<Request>)] = [
      (provider, Networking(baseURL: base, mockProvider: provider)),
      (transport, Networking(baseURL: base, transport: transport)),
    ]
    for (backend, client) in clients {
      #expect(try await client.request(.get("boards/7")).toString().value == "7")
      try backend.verify(.get, path)
      try backend.verify(.get, "boards/7")
      try backend.verifyNothingElse()
    }
  }

  @Test func aNearRouteOfEitherSpellingIsReported() async throws {
    let provider = MockProvider<Request>(routes: [
      Route(.get, "/v1/boards", .json([])), Route(.get, "cards", .json([])),
    ])
    let base = try #require(URL(string: "https://api.example.com/v1"))
    let networking = Networking<Request>(baseURL: base, mockProvider: provider)
    for (path, nearest) in [("board", "/v1/boards"), ("card", "cards")] {
      let result = await networking.request(.get(RequestPath(raw: path))).result
      guard case .failure(let error as NetworkError) = result else {
        Issue.record("no failure")
        continue
      }
      #expect(
        error.reason?.hasPrefix(
          "no route for GET /v1/\(path)\nnearest routes:\n  GET \(nearest)\n") == true)
    }
  }

  @Test(arguments: ["users", "/users"])
  func aResourceHasThePathOfItsRoutes(_ path: String) async throws {
    let users = try Resource<JSON>(path, data: [["id": 1, "name": "ada"]])
    #expect(users.path == "/users")
    let provider = MockProvider<Request>(routes: users.routes())
    let base = try #require(URL(string: "https://api.example.com/v1"))
    let networking = Networking<Request>(baseURL: base, mockProvider: provider)
    let json = try await networking.request(.get("users/1")).toJson().value
    #expect(json["name"] == "ada")
    let created = try await networking.request(.post("users", json: ["name": "bob"])).value
    #expect(created.headers["Location"] == "/v1/users/2")
  }

  @Test func aPathOfAStubFileFollowsTheBasePath() throws {
    let folder = TemporaryFolder()
    let file = folder.url("stubs.json")
    for (base, path) in [("api", "boards"), ("/api", "boards"), ("api", "/boards"), ("api", "")] {
      try JSON.dictionary([
        "basePath": .string(base), "routes": [["path": .string(path), "status": 200]],
      ]).data().write(to: file)
      let target = path.isEmpty ? "/api" : "/api/boards"
      #expect(try isRouted(try StubFile(contentsOf: file).routes, target, ""))
    }
  }
}
