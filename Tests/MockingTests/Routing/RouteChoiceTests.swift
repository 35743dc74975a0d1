import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct RouteChoiceTests {
  private let boards = Scenario("boards")

  private var routes: [Route] {
    [
      Route(.get, "/boards", .text("page 2")).where(.query("page", "2")),
      Route(.get, "/boards", .text("first")).times(1),
      Route(.get, "/boards", .text("none")).when(boards, is: "started"),
      Route(.get, "/boards", .text("one")).when(boards, is: "one board"),
      Route(.post, "/boards", .status(201)).where(.json(containing: ["type": 2]))
        .then(boards, setTo: "one board"),
      Route(.post, "/boards/{id}") { request in .text("special \(request.path["id"])") }
        .where("the board 7") { $0.path["id"] == "7" }.priority(1),
      Route(.post, "/{all*}", .text("any")).priority(-1),
    ]
  }

  private func send(
    _ transport: any Transport, _ method: HTTPMethod, _ url: URL, _ body: String? = nil
  ) async -> String {
    var request = HTTPRequest(method: method, url: url)
    if let body { request.body = .data(Data(body.utf8)) }
    let record = await transport.perform(request)
    let text = String(decoding: record.body, as: UTF8.self)
    return record.head.map { text.isEmpty ? "\($0.status)" : text } ?? "failed"
  }

  /// Sends the same sequence of requests to a backend and returns the responses.
  private func responses(_ transport: any Transport, at url: URL) async -> [String] {
    let list = url.appending(path: "boards")
    return [
      await send(transport, .get, list.appending(queryItems: [.init(name: "page", value: "2")])),
      await send(transport, .get, list), await send(transport, .get, list),
      await send(transport, .post, list, #"{"type":1}"#), await send(transport, .get, list),
      await send(transport, .post, list, #"{"type":2}"#), await send(transport, .get, list),
      await send(transport, .post, list.appending(path: "7")),
      await send(transport, .post, list.appending(path: "8")),
    ]
  }

  private let expectedResponses = [
    "page 2", "first", "none", "any", "none", "201", "one", "special 7", "any",
  ]

  @Test func conditionsStatesTimesAndPrioritiesSelectRoutesInMemory() async {
    let transport = MockTransport(routes: routes)
    #expect(await responses(transport, at: .of("http://a")) == expectedResponses)
    #expect(transport.scenarios[boards] == "one board")
    transport.scenarios.reset()
    #expect(transport.scenarios[boards] == "started")
    #expect(await responses(transport, at: .of("http://a")) == expectedResponses)
    transport.scenarios[boards] = "one board"
    #expect(await send(transport, .get, .of("http://a/boards")) == "one")
  }

  @Test func routesAreSelectedOnASocketAsInMemory() async throws {
    let server = try MockServer(routes: routes)
    defer { server.stop() }
    #expect(await responses(PlatformTransport.make(), at: server.url) == expectedResponses)
    #expect(server.scenarios[boards] == "one board")
  }

  @Test func backendsOfTheSameRoutesAreIndependent() async {
    let routes = routes
    let (first, second) = (MockTransport(routes: routes), MockTransport(routes: routes))
    #expect(await responses(first, at: .of("http://a")) == expectedResponses)
    #expect(second.scenarios[boards] == "started")
    #expect(await responses(second, at: .of("http://a")) == expectedResponses)
  }

  @Test func aRequestThatMeetsNoConditionHasNoRoute() async throws {
    let transport = MockTransport(routes: [
      Route(.post, "/boards", .status(201)).where(.json(containing: ["type": 2, "token": "abc"])),
      Route(.post, "/boards", .status(201)).times(0),
      Route(.post, "/boards", .status(202)).when(boards, is: "open"),
    ])
    var request = HTTPRequest(method: .post, url: .of("http://a/boards"))
    request.body = .data(Data(#"{"type":1,"token":"xyz"}"#.utf8))
    let failure = await transport.perform(request).failure
    #expect(failure?.code == .mockFailed)
    #expect(
      failure?.detail == """
        no route for POST /boards
        nearest routes:
          POST /boards where JSON: containing {"token":"***","type":2}
            JSON .token: expected ***, actual *** (the values differ)
            JSON .type: expected 2, actual 1
          POST /boards
            times: expected at most 0, actual 1
          POST /boards where scenario "boards": "open"
            scenario "boards": expected "open", actual "started"
        """)
  }

  @Test func aServerReportsTheUnmatchedRequestInItsBody() async throws {
    let server = try MockServer { Route(.get, "/boards", .json([])).where(.query("page", "2")) }
    defer { server.stop() }
    let text = await send(PlatformTransport.make(), .get, server.url.appending(path: "boards"))
    #expect(
      text == """
        no route for GET /boards
        nearest routes:
          GET /boards where query "page": "2"
            query "page": expected "2", actual none

        """)
    #expect(server.journal.entries.map(\.outcome) == [.response(status: 404)])
  }

  @Test func aFallbackHandlesUnmatchedRequests() async {
    let real = FakeTransport { _ in .response(299) }
    let transport = MockTransport(fallback: real) {
      Route(.get, "/boards", .json([])).where(.query("page", "2"))
    }
    #expect(await send(transport, .get, .of("http://a/boards")) == "299")
    #expect(await send(transport, .get, .of("http://a/boards?page=2")) == "[]")
    #expect(transport.journal.entries.map(\.outcome) == [.passedThrough, .response(status: 200)])
  }

  @Test func concurrentRequestsUseEachResponseOnce() async {
    let transport = MockTransport(routes: [
      Route(.get, "/a", .text("few")).times(100), Route(.get, "/a", .text("many")),
    ])
    let few = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<1_000 {
        group.addTask { await self.send(transport, .get, .of("http://a/a")) == "few" }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(few == 100)
  }

  @Test func closuresShareAState() async throws {
    let titles = MockState<[JSON]>([])
    let transport = MockTransport {
      Route(.get, "/boards") { _ in .json(.array(titles.value)) }
      Route(.post, "/boards") { request in
        let board = try request.decode(JSON.self)
        titles.withValue { $0.append(board["title"]) }
        return .status(201)
      }
    }
    #expect(await send(transport, .post, .of("http://a/boards"), #"{"title":"Fish"}"#) == "201")
    #expect(await send(transport, .get, .of("http://a/boards")) == #"["Fish"]"#)
    titles.value = ["Kite"]
    #expect(await send(transport, .get, .of("http://a/boards")) == #"["Kite"]"#)
    titles.reset()
    #expect(titles.value.isEmpty)
  }
}

@Suite(.gated)
struct EditDistanceTests {
  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1),
    ("abc", "ac", 1), ("boards", "baords", 1), ("ab", "ba", 1), ("kitten", "sitting", 3),
  ])
  func theDistanceCountsEditsAndSwaps(_ left: String, _ right: String, _ distance: Int) {
    #expect(EditDistance.between(left, right) == distance)
  }

  @Test func aLimitedDistanceIsTheWholeOneOrOneAboveTheLimit() {
    for seed in 0..<3_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let words = (0..<2).map { _ in
        String(
          (0..<Int.random(in: 0...9, using: &random)).map { _ in
            "abc".randomElement(using: &random) ?? "a"
          })
      }
      let whole = EditDistance.between(words[0], words[1])
      for limit in [0, 1, 2, 4, 8] {
        #expect(
          EditDistance.between(words[0], words[1], limit: limit) == min(whole, limit + 1),
          "\(words), limit \(limit)")
      }
    }
  }
}
