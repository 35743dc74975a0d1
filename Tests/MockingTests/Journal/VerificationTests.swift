import Foundation
import Mocking
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct VerificationTests {
  enum API: RequestConvertible {
    case login
    case boards(page: Int)
    case board(Int)
    case create(type: Int)

    static let baseURL: URL? = URL(string: "https://api.example.com/v1/")

    var request: Request {
      switch self {
      case .login: .post("login", parameters: ["user": "ada", "password": "s3cret"])
      case .boards(let page): .get("boards", parameters: ["page": .int(page)])
      case .board(let id): .get("users/boards/\(id)")
      case .create(let type): .post("boards", parameters: ["type": .int(type)])
      }
    }
  }

  private func asked(_ endpoints: API...) async -> MockProvider<API> {
    let provider = MockProvider<API> { _ in .json([]) }
    let client = Networking(mode: .sync, mockProvider: provider)
    for endpoint in endpoints { _ = await client.request(endpoint).result }
    return provider
  }

  private func report(_ failure: VerificationFailure?) -> String { failure?.report ?? "nothing" }

  // MARK: Counting

  @Test func requestsAreCounted() async throws {
    let provider = await asked(.boards(page: 1), .boards(page: 2), .create(type: 2), .board(7))
    try provider.verify(.get, "boards", .exactly(2))
    try provider.verify(.get, "/v1/boards", .atLeast(1))
    try provider.verify(.get, "boards", .atMost(2))
    try provider.verify(.get, "boards", .between(1...3))
    try provider.verify(.delete, "boards", .never)
    try provider.verify(nil, "boards", .exactly(3))
    try provider.verify(.get, "boards", where: .query("page", "2"))
    try provider.verify(.post("boards", .json(containing: ["type": 2])))
    try provider.verify(.get("boards/{id}"), .never)
    try provider.verify(.get("users/boards/{id}"))
    try provider.verify(.any("/{all*}"), .exactly(4))
  }

  @Test func tooFewRequestsReportTheNearestAndItsDifferences() async throws {
    let provider = await asked(.boards(page: 1), .login)
    let failure = try #require(
      provider.mismatch(.get, "boards", .exactly(1), where: .query("page", "2"), .header("X-Id")))
    #expect(
      failure.report == """
        expected exactly 1 request GET boards where query "page": "2" and header "X-Id": any value, \
        but there were none
        the nearest:
          1. GET /v1/boards?page=1, answered 200
            query "page": expected "2", actual "1"
            header "X-Id": expected any value, actual none
        """)
    #expect(failure.differences.map(\.aspect) == [#"query "page""#, #"header "X-Id""#])
    #expect(
      report(provider.mismatch(.post, "login", where: .json(containing: ["password": "x"]))) == """
        expected exactly 1 request POST login where JSON: containing {"password":"***"}, but there were none
        the nearest:
          2. POST /v1/login, answered 200
            JSON .password: expected ***, actual ***
        """)
    #expect(
      report(provider.mismatch(.get, "/boards", .atLeast(2))) == """
        expected at least 2 requests GET /boards, but there were none
        the nearest:
          1. GET /v1/boards?page=1, answered 200
            path: expected /boards, actual /v1/boards
        """)
  }

  @Test func tooManyRequestsAreListed() async throws {
    let provider = await asked(.boards(page: 1), .login, .boards(page: 2))
    #expect(
      report(provider.mismatch(.get, "boards")) == """
        expected exactly 1 request GET boards, but there were 2
          1. GET /v1/boards?page=1, answered 200
          3. GET /v1/boards?page=2, answered 200
        """)
    #expect(
      report(provider.mismatch(.post, "login", .never)) == """
        expected no request POST login, but there was 1
          2. POST /v1/login, answered 200
        """)
    for count in [RequestCount.atMost(1), .between(3...4), .between(0...1)] {
      #expect(provider.mismatch(.get, "boards", count) != nil)
    }
  }

  @Test func anEmptyJournalIsReported() async throws {
    #expect(
      report(await asked().mismatch(.get, "boards", .atLeast(1))) == """
        expected at least 1 request GET boards, but there were none
        nothing has been asked at all
        """)
  }

  @Test func aMalformedPatternIsAlwaysAFailure() async throws {
    let failure = await asked(.login).mismatch(.get, "a/{", .never)
    #expect(
      report(failure).hasPrefix(#"expected no request GET a/{, but the route "/a/{" is malf"#))
  }

  @Test func discardedRequestsAreReported() async throws {
    let provider = MockProvider<API>(journal: JournalLimits(requests: 1)) { _ in .json([]) }
    let client = Networking(mode: .sync, mockProvider: provider)
    for page in 1...3 { _ = await client.request(.boards(page: page)).result }
    #expect(
      report(provider.mismatch(.get, "boards", .exactly(3))).hasSuffix(
        "\nthe journal has forgotten the first 2; see JournalLimits"))
    try provider.verify(.get, "boards")
    #expect(
      report(provider.remainderMismatch())
        == "expected nothing else, which nobody can tell any more\n"
        + "the journal has forgotten the first 2; see JournalLimits")
  }

  // MARK: Order

  @Test func orderIsVerifiedWithAndWithoutGaps() async throws {
    let provider = await asked(.login, .boards(page: 1), .board(7), .boards(page: 2))
    try provider.verifyOrder(.post("login"), .get("boards"), .get("boards"))
    try provider.verifyOrder(
      .post("login"), .get("boards"), .get("users/boards/7"), gaps: .forbidden)
    try provider.verifyOrder(.get("users/{all*}"), .get("boards"), gaps: .forbidden)
    #expect(
      report(provider.orderMismatch(.get("boards"), .post("login"), .get("boards"))) == """
        expected in this order:
          GET boards: request 2
          POST login: missing after request 2
          GET boards: not looked for
        what came:
          1. POST /v1/login, answered 200
          2. GET /v1/boards?page=1, answered 200
          3. GET /v1/users/boards/7, answered 200
          4. GET /v1/boards?page=2, answered 200
        """)
    #expect(
      report(provider.orderMismatch(.post("login"), .get("users/boards/7"), gaps: .forbidden))
        .hasPrefix(
          """
          expected in this order, with nothing between:
            POST login: request 1
            GET users/boards/7: missing after request 1
          what came:
          """))
    #expect(
      report(await asked().orderMismatch(.get("a"))) == """
        expected in this order:
          GET a: missing
        nothing has been asked at all
        """)
  }

  // MARK: Complete verification

  @Test func unverifiedRequestsAreReported() async throws {
    let provider = await asked(.login, .boards(page: 1), .board(7))
    #expect(
      report(provider.remainderMismatch()) == """
        expected nothing else, but there were 3 requests more
          1. POST /v1/login, answered 200
          2. GET /v1/boards?page=1, answered 200
          3. GET /v1/users/boards/7, answered 200
        """)
    try provider.verifyOrder(.post("login"), .get("boards"))
    #expect(
      report(provider.remainderMismatch()) == """
        expected nothing else, but there was 1 request more
          3. GET /v1/users/boards/7, answered 200
        """)
    try provider.verify(.get, "users/boards/7")
    try provider.verifyNothingElse()
    provider.journal.reset()
    try provider.verifyNothingElse()
  }

  // MARK: Stubs

  @Test func unusedStubsAreReported() async throws {
    let transport = MockTransport {
      Route(.get, "/boards", .json([])).where(.query("page", "2"))
      Route(.get, "/boards", .json([]))
      Route(.get, "/about", .text("us"))
    }
    _ = await transport.get(.of("http://a/boards"))
    #expect(
      report(transport.unusedStubsMismatch()) == """
        expected all 3 stubs to be used, but 2 were not
          GET /boards where query "page": "2"
          GET /about
        """)
    _ = await transport.get(.of("http://a/boards?page=2"))
    #expect(report(transport.unusedStubsMismatch()).hasSuffix("1 was not\n  GET /about"))
    _ = await transport.get(.of("http://a/about"))
    try transport.verifyNoUnusedStubs()
    try MockProvider<API> { _ in nil }.verifyNoUnusedStubs()
  }

  // MARK: All backends

  @Test func providersTransportsAndServersAreVerifiedAlike() async throws {
    let routes = [
      Route(.get, "/v1/boards/{id}", .json([])), Route(.post, "/v1/boards", .status(201)),
    ]
    let server = try MockServer(routes: routes)
    defer { server.stop() }
    let transport = MockTransport(routes: routes)
    let provider = MockProvider<Request>(routes: routes)
    let subjects: [(any MockBackend, Networking<Request>, String)] = [
      (server, Networking(), "\(server.url)"),
      (transport, Networking(transport: transport), "http://a"),
      (provider, Networking(mockProvider: provider), "http://a"),
    ]
    for (backend, client, url) in subjects {
      let base = try #require(URL(string: url + "/v1/"))
      client.setBaseURL(base)
      _ = try await client.request(.get("boards/7")).value
      _ = try await client.request(.post("boards", parameters: ["type": 2])).value
      try backend.verify(.get, "boards/7")
      try backend.verify(.get, "/v1/boards/{id}")
      try backend.verify(.post("boards", .json(containing: ["type": 2])))
      try backend.verifyOrder(.get("boards/7"), .post("boards"), gaps: .forbidden)
      try backend.verifyNothingElse()
      try backend.verifyNoUnusedStubs()
      #expect(
        report(backend.mismatch(.get, "boards/8")) == """
          expected exactly 1 request GET boards/8, but there were none
          the nearest:
            1. GET /v1/boards/7, answered 200 by GET /v1/boards/{id}
              path: expected boards/8, actual /v1/boards/7
          """)
    }
  }

  // MARK: Source locations

  @Test func aFailureHasTheLineOfTheTest() async throws {
    let provider = await asked()
    let line: UInt = #line + 2
    do {
      try provider.verify(.get, "boards")
      Issue.record("nothing was asked")
    } catch {
      #expect(error.line == line)
      #expect(
        "\(error)".hasPrefix("VerificationTests.swift:\(line): expected exactly 1 request GET"))
      #expect(error.localizedDescription == error.description)
      #expect("\(error.fileID)" == "MockingTests/VerificationTests.swift")
      #expect("\(error.filePath)".hasSuffix("/VerificationTests.swift"))
    }
    let column = try #require(provider.mismatch(.get, "boards")?.column)
    #expect(column > 1)
    #expect(await asked(.login).remainderMismatch()?.line == #line)
    #expect(provider.orderMismatch(.get("a"))?.line == #line)
    #expect(MockTransport { Route(.get, "/", .status(200)) }.unusedStubsMismatch()?.line == #line)
  }

  // MARK: Concurrency

  @Test func concurrentVerificationsCountOnlyTheirRequests() async throws {
    let providers = (0..<4).map { _ in
      MockProvider<API>(routes: [
        Route(.get, "/v1/{all*}", .json([])).where(.query("page", .matching("[0-9]"))),
        Route(.get, "/v1/users/boards/{id}", Mock(delay: .milliseconds(1))),
      ])
    }
    let clients = providers.map { Networking<API>(mockProvider: $0) }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let client = clients[number % 4]
          _ = await client.request(number % 8 < 4 ? .boards(page: number) : .board(number)).result
          if number % 50 == 0 {
            #expect(providers[number % 4].mismatch(.get, "boards", .atMost(125)) == nil)
          }
        }
      }
    }
    for provider in providers {
      try provider.verify(.get, "boards", .exactly(125), where: .query("page", .present))
      try provider.verify(.get, "users/boards/{id}", .exactly(125))
      try provider.verifyNothingElse()
      try provider.verifyNoUnusedStubs()
      #expect(provider.journal.count == 250)
    }
  }
}
