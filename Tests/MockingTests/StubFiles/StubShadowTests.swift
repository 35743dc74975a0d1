import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

/// Routes that no request reaches, and the rules in the tables of routes.
@Suite(.gated)
struct StubShadowTests {
  private static let contract = """
    openapi: 3.1.0
    info: {title: Pets, version: "1"}
    paths:
      /pets:
        get: {responses: {"200": {description: ok}}}
        post: {responses: {"201": {description: ok}}}
      /pets/{id}:
        parameters: [{name: id, in: path, required: true, schema: {type: string}}]
        get: {responses: {"200": {description: ok}}}
    """

  private static func files(_ routes: String, contractFirst: Bool) throws -> StubFile {
    let stubs = try StubFixture("{\"routes\": [\(routes)]}")
    let api = stubs.folder.url("api.yaml")
    try Data(contract.utf8).write(to: api)
    return try StubFile(contentsOf: contractFirst ? [api, stubs.file] : [stubs.file, api])
  }

  @Test func aStubAfterAContractWithItsRouteIsAWarning() throws {
    let file = try Self.files(
      #"{"method": "GET", "path": "/pets/7", "text": "a"}, {"path": "/pets", "text": "b"}"#,
      contractFirst: true)
    #expect(
      file.warnings.map(\.description) == [
        "stubs.json:1:13: GET /pets/7 is never used, because GET /pets/{id} of api.yaml comes before "
          + "it and responds to all of its requests"
      ])
    #expect(file.notes.isEmpty)
    let urgent = try Self.files(
      #"{"method": "GET", "path": "/pets/7", "text": "a", "priority": 1}"#, contractFirst: true)
    #expect(urgent.warnings.isEmpty)
  }

  @Test func aStubBeforeAContractIsANote() throws {
    let file = try Self.files(#"{"path": "/pets", "text": "a"}"#, contractFirst: false)
    #expect(file.warnings.isEmpty)
    #expect(
      file.notes == [
        "GET /pets of api.yaml is replaced by * /pets at stubs.json:1:13",
        "POST /pets of api.yaml is replaced by * /pets at stubs.json:1:13",
      ])
    let conditional = try Self.files(
      #"{"path": "/pets", "text": "a", "when": {"query": {"a": "1"}}}"#, contractFirst: false)
    #expect(conditional.notes.isEmpty)
  }

  @Test func aStubBeforeAResourceIsNoWarningAndOneAfterItIs() throws {
    for (isFirst, count) in [(true, 0), (false, 1)] {
      let stub = #"{"method": "GET", "path": "/posts/1", "text": "a"}"#
      let resource = #"{"resource": "/posts", "data": [{"id": 1}]}"#
      let fixture = try StubFixture(
        "{\"routes\": [\(isFirst ? "\(stub), \(resource)" : "\(resource), \(stub)")]}")
      #expect(try StubFile(contentsOf: fixture.file).warnings.count == count)
    }
  }

  @Test(arguments: [
    (["/a", "/a"], [1]), (["/a", "/b"], []), (["/{x}", "/a"], [1]), (["/a", "/{x}"], []),
    (["/{x:[0-9]+}", "/{y}"], []), (["/{x}", "/{y:[0-9]+}"], [1]), (["/a/{x*}", "/a/b/c"], [1]),
    (["/a/{x*}", "/a"], [1]), (["/a/{x*}", "/{y*}"], []), (["/{x*}", "/a/{y*}"], [1]),
    (["/{x}/b", "/a/{y}"], []), (["/a/{x}", "/a/{y*}"], []), (["/a", "/a", "/a"], [1, 2]),
  ])
  func aTemplateThatMatchesAllPathsOfAnotherShadowsIt(paths: [String], shadowed: [Int]) {
    let routes = paths.map { Route(.get, $0, .status(200)) }
    #expect(routes.shadowed.map(\.index) == shadowed)
  }

  @Test func onlyARouteThatAlwaysRespondsShadowsOthers() {
    let plain = Route(.get, "/a", .status(200))
    for first in [
      plain.times(1), plain.where(.query("b")), plain.when(Scenario("s"), is: "on"),
      plain.priority(-1), Route(.post, "/a", .status(200)),
    ] {
      #expect([first, plain].shadowed.map(\.index) == (first.rank < 0 ? [0] : []))
    }
    #expect([plain, Route(nil, "/a", .status(200))].shadowed.isEmpty)
    #expect([Route(nil, "/a", .status(200)), plain].shadowed.map(\.by) == [0])
  }

  @Test func theLimitOfAClientIsARuleOfARoute() throws {
    let fixture = try StubFixture(
      #"{"routes": [{"path": "/a", "rateLimit": {"requests": 10, "per": "1 min"}}]}"#)
    #expect(
      try StubFile(contentsOf: fixture.file).summaries.map(\.conditions) == [
        ["at most 10 requests in 60.0 seconds of each client"]
      ])
  }
}
