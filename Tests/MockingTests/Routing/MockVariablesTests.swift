import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct MockVariablesTests {
  private var routes: [Route] {
    [
      Route(.post, "/login", .status(423)).where(.variable("failures", .atLeast(2))),
      Route(.post, "/login", .status(204)).where(.json(at: "$.password", "right"))
        .set("user", to: ["id": 7]).set("failures", to: nil),
      Route(.post, "/login", .status(401)).increment("failures"),
      Route(.get, "/me") { request in .json(request.variables["user"] ?? .null) }
        .where(.variable("user")),
      Route(.get, "/me", .status(401)),
    ]
  }

  private func login(_ transport: any Transport, _ password: String) async -> String {
    await transport.response(.post, "/login", body: #"{"password": "\#(password)"}"#)
  }

  @Test func routesSetCountAndReadVariables() async {
    let transport = MockTransport(routes: routes)
    #expect(await transport.response("/me") == "401 ")
    #expect(await login(transport, "wrong") == "401 ")
    #expect(transport.variables["failures"] == 1)
    #expect(await login(transport, "right") == "204 ")
    #expect(transport.variables.values == ["user": ["id": 7]])
    #expect(await transport.response("/me") == #"200 {"id":7}"#)
    for status in ["401 ", "401 ", "423 "] { #expect(await login(transport, "wrong") == status) }
    #expect(await login(transport, "right") == "423 ")
    transport.scenarios.reset()
    #expect(transport.variables.values.isEmpty)
    #expect(await transport.response("/me") == "401 ")
  }

  @Test func aTestSetsAndRemovesVariables() async throws {
    let server = try MockServer(routes: routes)
    defer { server.stop() }
    let client = Networking<Request>()
    let url = server.url.appending(path: "me").absoluteString
    server.variables["user"] = "Ada"
    let response = try await client.request(.get("\(raw: url)")).value
    #expect(String(decoding: response.data, as: UTF8.self) == "\"Ada\"")
    server.variables["user"] = nil
    #expect(try await client.request(.get("\(raw: url)")).value.status == 401)
  }

  @Test func aHandlerSeesTheValuesThatItsRouteHasSet() async {
    let transport = MockTransport {
      Route(.get, "/a") { request in .json(request.variables["n"] ?? .null) }
        .set("n", to: 5).increment("n", by: -7)
      Route(.get, "/b") { request in .json(request.variables["n"] ?? .null) }
    }
    #expect(await transport.response("/b") == "200 null")
    #expect(await transport.response("/a") == "200 -2")
    #expect(await transport.response("/b") == "200 -2")
  }

  @Test(
    arguments: [
      (nil, 3), ("text", 3), ([], 3), (0.5, 3.5), (-3, 0), (.int(.max), .double(0x1p63)),
    ] as [(JSON?, JSON)])
  func anIncrementAddsToANumber(before: JSON?, after: JSON) async {
    let transport = MockTransport { Route(.get, "/a", .status(200)).increment("n", by: 3) }
    transport.variables["n"] = before
    #expect(await transport.response("/a") == "200 ")
    #expect(transport.variables["n"] == after)
  }

  @Test func backendsOfTheSameRoutesHaveTheirOwnVariables() async {
    let routes = routes
    let (first, second) = (MockTransport(routes: routes), MockTransport(routes: routes))
    #expect(await login(first, "right") == "204 ")
    #expect(second.variables.values.isEmpty)
  }

  @Test func ofConcurrentRequestsOnlyOneMeetsAConditionThatItsRouteChanges() async {
    let transport = MockTransport {
      Route(.post, "/seat", .text("taken")).where(.variable("seats", .atLeast(1)))
        .increment("seats", by: -1)
      Route(.post, "/seat", .status(409))
    }
    transport.variables["seats"] = 10
    let taken = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<500 {
        group.addTask { await transport.response(.post, "/seat") == "200 taken" }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(taken == 10)
    #expect(transport.variables["seats"] == 0)
  }

  @Test func anUnmatchedRequestNamesTheVariable() async {
    let transport = MockTransport { Route(.get, "/a", .status(200)).where(.variable("n", 2)) }
    transport.variables["n"] = 1
    let failure = await transport.perform(HTTPRequest(url: .of("http://a/a"))).failure
    #expect(
      failure?.detail == """
        no route for GET /a
        nearest routes:
          GET /a where variable "n": 2
            variable "n": expected 2, actual 1
        """)
  }
}
