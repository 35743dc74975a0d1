import Foundation
import Mocking
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RouteChoiceTests {
  private let boards = Scenario("boards")

  private var routes: [Route] {
    [
      Route(.get, "/boards", .text("page 2")).where(.query("page", "2")),
      Route(.get, "/boards", .text("first")).times(1),
      Route(.get, "/boards", .text("none")).when(boards, is: "started"),
      Route(.get, "/boards", .text("one")).when(boards, is: "one board"),
      Route(.post, "/boards", .status(201)).where(.json(containing: ["type": 2]))
        .then(boards, becomes: "one board"),
      Route(.post, "/boards/{id}") { request in .text("special \(request.path["id"])") }
        .where("the board 7") { $0.path["id"] == "7" }.priority(1),
      Route(.post, "/{all*}", .text("any")).priority(-1),
    ]
  }

  private func ask(
    _ transport: any Transport, _ method: HTTPMethod, _ url: URL, _ body: String? = nil
  ) async -> String {
    var request = HTTPRequest(method: method, url: url)
    if let body { request.body = .data(Data(body.utf8)) }
    let performed = await transport.perform(request)
    let text = String(decoding: performed.body, as: UTF8.self)
    return performed.head.map { text.isEmpty ? "\($0.status)" : text } ?? "failed"
  }

  /// The same requests to any backend that serves the routes.
  private func story(_ transport: any Transport, at url: URL) async -> [String] {
    let list = url.appending(path: "boards")
    return [
      await ask(transport, .get, list.appending(queryItems: [.init(name: "page", value: "2")])),
      await ask(transport, .get, list), await ask(transport, .get, list),
      await ask(transport, .post, list, #"{"type":1}"#), await ask(transport, .get, list),
      await ask(transport, .post, list, #"{"type":2}"#), await ask(transport, .get, list),
      await ask(transport, .post, list.appending(path: "7")),
      await ask(transport, .post, list.appending(path: "8")),
    ]
  }

  private let told = [
    "page 2", "first", "none", "any", "none", "201", "one", "special 7", "any",
  ]

  @Test func inMemoryConditionsStatesTimesAndPrioritiesDecide() async {
    let transport = MockTransport(routes: routes)
    #expect(await story(transport, at: .of("http://a")) == told)
    #expect(transport.scenarios[boards] == "one board")
    transport.scenarios.reset()
    #expect(transport.scenarios[boards] == "started")
    #expect(await story(transport, at: .of("http://a")) == told)
    transport.scenarios[boards] = "one board"
    #expect(await ask(transport, .get, .of("http://a/boards")) == "one")
  }

  @Test func onASocketTheSameDecides() async throws {
    let server = try MockServer(routes: routes)
    defer { server.stop() }
    #expect(await story(CurlTransport(), at: server.url) == told)
    #expect(server.scenarios[boards] == "one board")
  }

  @Test func twoThatServeTheSameRoutesKnowNothingOfEachOther() async {
    let routes = routes
    let (first, second) = (MockTransport(routes: routes), MockTransport(routes: routes))
    #expect(await story(first, at: .of("http://a")) == told)
    #expect(second.scenarios[boards] == "started")
    #expect(await story(second, at: .of("http://a")) == told)
  }

  @Test func aRequestWhoseConditionsNobodyMeetsHasNoRoute() async throws {
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
        the nearest:
          POST /boards where JSON: {"token":"***","type":2} in it
            JSON .token: expected ***, actual ***
            JSON .type: expected 2, actual 1
          POST /boards
            times: expected at most 0, actual one more than that
          POST /boards where scenario "boards": "open"
            scenario "boards": expected "open", actual "started"
        """)
  }

  @Test func aServerSaysTheSameInItsBody() async throws {
    let server = try MockServer { Route(.get, "/boards", .json([])).where(.query("page", "2")) }
    defer { server.stop() }
    let text = await ask(CurlTransport(), .get, server.url.appending(path: "boards"))
    #expect(
      text == """
        no route for GET /boards
        the nearest:
          GET /boards where query "page": "2"
            query "page": expected "2", actual none

        """)
    #expect(server.journal.entries.map(\.outcome) == [.response(status: 404)])
  }

  @Test func aFallbackTakesWhatNobodyHasAnAnswerFor() async {
    let real = FakeTransport { _ in .response(299) }
    let transport = MockTransport(fallback: real) {
      Route(.get, "/boards", .json([])).where(.query("page", "2"))
    }
    #expect(await ask(transport, .get, .of("http://a/boards")) == "299")
    #expect(await ask(transport, .get, .of("http://a/boards?page=2")) == "[]")
    #expect(transport.journal.entries.map(\.outcome) == [.passedThrough, .response(status: 200)])
  }

  @Test func anAnswerIsCountedOnceHoweverManyAskAtOnce() async {
    let transport = MockTransport(routes: [
      Route(.get, "/a", .text("few")).times(100), Route(.get, "/a", .text("many")),
    ])
    let few = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<1_000 {
        group.addTask { await self.ask(transport, .get, .of("http://a/a")) == "few" }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(few == 100)
  }

  @Test func aStateIsSharedByClosures() async throws {
    let titles = MockState<[JSON]>([])
    let transport = MockTransport {
      Route(.get, "/boards") { _ in .json(.array(titles.value)) }
      Route(.post, "/boards") { request in
        let board = try request.decode(JSON.self)
        titles.withValue { $0.append(board["title"]) }
        return .status(201)
      }
    }
    #expect(await ask(transport, .post, .of("http://a/boards"), #"{"title":"Fish"}"#) == "201")
    #expect(await ask(transport, .get, .of("http://a/boards")) == #"["Fish"]"#)
    titles.value = ["Kite"]
    #expect(await ask(transport, .get, .of("http://a/boards")) == #"["Kite"]"#)
    titles.reset()
    #expect(titles.value.isEmpty)
  }
}
