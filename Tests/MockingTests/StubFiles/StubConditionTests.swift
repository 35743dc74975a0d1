import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// Conditions, variables, defaults and weights of stub files.
@Suite(.gated)
struct StubConditionTests {
  private static let file = #"""
    {"routes": [
      {"path": "/a", "text": "cookie", "when": {"cookies": {"theme": "dark", "session": true}}},
      {"path": "/a", "text": "path", "when": {"jsonPath": {
        "$.items[?@.n >= 2].sku": {"matches": "^k"}, "$.total": {"atLeast": 10}, "$.coupon": {"exists": false}}}},
      {"path": "/a", "text": "most", "when": {"jsonPath": {"$.total": {"atMost": -1}, "$.tags": {"contains": "x"}}}},
      {"path": "/a", "text": "whole", "when": {"jsonEquals": {"a": 1, "b": [true]}}},
      {"path": "/a", "text": "part", "when": {"parts": {
        "title": "Fish", "image": {"fileName": {"matches": "[.]png$"}, "contentType": {"contains": "image"}}}}},
      {"path": "/a", "text": "not", "when": {
        "not": {"any": [{"query": {"page": true}}, {"headers": {"X-Page": true}}]},
        "all": [{"query": {"a": "1"}}, {"query": {"b": {"equals": "2"}}}]}},
      {"path": "/a", "text": "any", "when": {"any": [
        {"query": {"page": {"matches": "^[0-9]+$"}}}, {"headers": {"X-Page": {"exists": true}}}]}},
      {"path": "/a", "text": "else"}
    ]}
    """#

  @Test func aJSONSchemaIsACondition() async throws {
    let transport = try StubFixture(
      #"""
      {"routes": [
        {"path": "/a", "text": "order", "when": {"jsonSchema": {"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "minItems": 1}}}}},
        {"path": "/a", "text": "else", "when": {"not": {"jsonSchema": {"type": "string"}}}}]}
      """#
    ).transport()
    #expect(await transport.response(.post, "/a", body: #"{"items": [1]}"#) == "200 order")
    #expect(await transport.response(.post, "/a", body: #"{"items": []}"#) == "200 else")
    #expect(await transport.response(.post, "/a", body: #""text""#) == "mockFailed")
    let invalid = try StubFixture(
      #"{"routes": [{"path": "/a", "when": {"jsonSchema": {"type": "strin"}}}]}"#)
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: invalid.file) }
    #expect(error?.description.contains("routes[0].when.jsonSchema.type") == true)
  }

  @Test func conditionsSelectRoutes() async throws {
    let transport = try StubFixture(Self.file).transport()
    func text(
      _ target: String = "/a", _ headers: HTTPHeaders = [:], _ body: String = ""
    ) async -> String {
      await transport.response(.post, target, headers, body: body)
    }
    let form: HTTPHeaders = ["Content-Type": "multipart/form-data; boundary=b"]
    func parts(_ name: String) -> String {
      "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nFish\r\n--b\r\n"
        + "Content-Disposition: form-data; name=\"image\"; filename=\"\(name)\"\r\n"
        + "Content-Type: image/png\r\n\r\nx\r\n--b--\r\n"
    }
    #expect(await text("/a", ["Cookie": "theme=dark; session=1"]) == "200 cookie")
    #expect(await text("/a", ["Cookie": "theme=light; session=1"]) == "200 else")
    let order = #"{"total": 10, "items": [{"n": 1, "sku": "x"}, {"n": 2, "sku": "k1"}]}"#
    #expect(await text("/a", [:], order) == "200 path")
    #expect(await text("/a", [:], #"{"coupon": null, "# + order.dropFirst()) == "200 else")
    #expect(await text("/a", [:], #"{"total": -1, "tags": ["x"]}"#) == "200 most")
    #expect(await text("/a", [:], #"{"b": [true], "a": 1.0}"#) == "200 whole")
    #expect(await text("/a", [:], #"{"b": [true], "a": 1, "c": 1}"#) == "200 else")
    #expect(await text("/a", form, parts("a.png")) == "200 part")
    #expect(await text("/a", form, parts("a.gif")) == "200 else")
    #expect(await text("/a?a=1&b=2") == "200 not")
    #expect(await text("/a?a=1&b=2&page=x") == "200 else")
    #expect(await text("/a?page=12") == "200 any")
    #expect(await text("/a", ["X-Page": ""]) == "200 any")
  }

  @Test func aNumberIsMatchedByARange() async throws {
    let stubs = try StubFixture(
      #"""
      {"routes": [
        {"path": "/a", "text": "in", "when": {"jsonPath": {"$.stars[*]": {"atLeast": 1, "atMost": 5}}}},
        {"path": "/a", "text": "out"}
      ]}
      """#)
    let transport = try stubs.transport()
    func text(_ stars: String) async -> String {
      await transport.response(.post, "/a", [:], body: "{\"stars\": \(stars)}")
    }
    for stars in ["[1]", "[5]", "[0, 2.5]"] { #expect(await text(stars) == "200 in", "\(stars)") }
    for stars in ["[0]", "[5.5]", "[0, 6]", "[\"3\"]", "[]"] {
      #expect(await text(stars) == "200 out", "\(stars)")
    }
    #expect(
      try StubFile(contentsOf: stubs.file).summaries[0].conditions
        == ["JSON $.stars[*]: a number from 1 to 5"])
  }

  @Test func theSummaryOfADelayHasTheNumbersOfTheFile() throws {
    let stubs = try StubFixture(
      #"{"routes": [{"path": "/a", "delay": {"from": "700 ms", "to": "900 ms"}}]}"#)
    #expect(
      try StubFile(contentsOf: stubs.file).summaries.map(\.response)
        == ["200, delay 0.7 to 0.9 seconds"])
  }

  @Test func aSummaryListsTheConditionsAndTheVariables() throws {
    let stubs = try StubFixture(
      #"""
      {"routes": [{"path": "/a", "when": {"any": [{"query": {"a": "1"}}, {"variables": {"n": {"atLeast": 2}}}]},
        "set": {"a": 1, "b": null}, "increment": {"n": 1, "stock": -1}}]}
      """#)
    #expect(
      try StubFile(contentsOf: stubs.file).summaries.map(\.conditions) == [
        [
          #"(query "a": "1" or variable "n": a number of at least 2)"#, "sets a", "removes b",
          "increments n", "decrements stock",
        ]
      ])
  }

  @Test func variablesAreSetCountedAndRendered() async throws {
    let transport = try StubFixture(
      #"""
      {"routes": [
        {"method": "POST", "path": "/login", "status": 423, "when": {"variables": {"failures": {"atLeast": 2}}}},
        {"method": "POST", "path": "/login", "when": {"jsonPath": {"$.password": "right"}},
         "set": {"user": {"name": "{{ body.name }}", "plan": "free"}, "failures": null},
         "text": "hello {{ variables.user.name }}"},
        {"method": "POST", "path": "/login", "status": 401, "increment": {"failures": 1},
         "json": {"failures": "{{ variables.failures }}"}},
        {"path": "/me", "when": {"variables": {"user": {"contains": {"plan": "free"}}}},
         "json": "{{ variables.user }}"}
      ]}
      """#
    ).transport()
    func login(_ password: String) async -> String {
      await transport.response(
        .post, "/login", body: #"{"name": "Ada", "password": "\#(password)"}"#)
    }
    #expect(await login("wrong") == #"401 {"failures":1}"#)
    #expect(await login("right") == "200 hello Ada")
    #expect(await transport.response("/me") == #"200 {"name":"Ada","plan":"free"}"#)
    #expect(await login("wrong") == #"401 {"failures":1}"#)
    #expect(await login("wrong") == #"401 {"failures":2}"#)
    #expect(await login("right") == "423 ")
    transport.variables["failures"] = nil
    #expect(await login("right") == "200 hello Ada")
  }

  @Test func defaultsApplyToAllRoutesOfTheFile() async throws {
    let scheduler = TestScheduler()
    let transport = try StubFixture(
      #"""
      {"defaults": {"headers": {"X-Version": "3", "X-Own": "default"}, "delay": "2 s"}, "routes": [
        {"path": "/a", "text": "a", "headers": {"X-Own": "a"}, "delay": "1 s"},
        {"path": "/b", "sequence": [{"text": "b"}, {"text": "c", "delay": "3 s"}]},
        {"path": "/d", "oneOf": [{"json": "{{ query.q }}"}]}
      ]}
      """#
    ).transport(scheduler)
    var ends: [Duration] = []
    for (target, text) in [("/a", "a"), ("/b", "b"), ("/b", "c"), ("/d?q=1", "\"1\"")] {
      let url = try #require(URL(string: "http://a\(target)"))
      let record = try await scheduler.run { await transport.get(url) }
      #expect(String(decoding: record.body, as: UTF8.self) == text)
      #expect(record.head?.headers["X-Version"] == "3")
      #expect(record.head?.headers["X-Own"] == (text == "a" ? "a" : "default"))
      ends.append(scheduler.now)
    }
    #expect(ends == [.seconds(1), .seconds(3), .seconds(6), .seconds(8)])
  }

  @Test func weightsAndFaultsFollowTheSeedOfTheFile() async throws {
    func run(_ seed: Int, _ override: UInt64? = nil) async throws -> [String] {
      let stubs = try StubFixture(
        """
        {"seed": \(seed), "defaults": {"fault": {"type": "reset", "chance": 0.25}}, "routes": [
          {"path": "/a", "oneOf": [{"weight": 3, "text": "{{ randomInt(1, 9) }}"}, {"status": 503}]}
        ]}
        """)
      let file = try StubFile(contentsOf: stubs.file)
      #expect(file.seed == UInt64(seed))
      let transport = MockTransport(routes: file.routes, seed: override ?? file.seed)
      var responses: [String] = []
      for _ in 0..<60 { responses.append(await transport.response("/a")) }
      return responses
    }
    let first = try await run(5)
    #expect(try await run(5) == first)
    #expect(try await run(6, 5) == first)
    #expect(try await run(6) != first)
    #expect(first.contains("503 ") && first.contains("connectionLost"))
    #expect(first.contains { $0.hasPrefix("200 ") })
  }

  @Test func aServerUsesTheSeedOfItsFile() async throws {
    let stubs = try StubFixture(
      #"{"seed": 5, "routes": [{"path": "/a", "text": "{{ randomInt(1, 1000000) }}"}]}"#)
    func text(_ seed: UInt64?) async throws -> String {
      let server = try MockServer(stubs: stubs.file, seed: seed)
      defer { server.stop() }
      let record = await PlatformTransport.make().get(server.url.appending(path: "a"))
      return String(decoding: record.body, as: UTF8.self)
    }
    let first = try await text(nil)
    #expect(try await text(nil) == first)
    #expect(try await text(5) == first)
    #expect(try await text(6) != first)
  }
}
