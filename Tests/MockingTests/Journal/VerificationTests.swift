import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
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

  private func makeProvider(requests endpoints: API...) async -> MockProvider<API> {
    let provider = MockProvider<API> { _ in .json([]) }
    let client = Networking(mode: .sync, mockProvider: provider)
    for endpoint in endpoints { _ = await client.request(endpoint).result }
    return provider
  }

  private func failure(_ verification: () throws -> Void) -> VerificationFailure? {
    do {
      try verification()
      return nil
    } catch {
      return error as? VerificationFailure
    }
  }

  private func report(_ verification: () throws -> Void) -> String {
    failure(verification)?.report ?? "no failure"
  }

  // MARK: Counting

  @Test func requestsAreCounted() async throws {
    let provider = await makeProvider(
      requests: .boards(page: 1), .boards(page: 2), .create(type: 2), .board(7))
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
    let provider = await makeProvider(requests: .boards(page: 1), .login)
    let failure = try #require(
      self.failure {
        try provider.verify(
          .get, "boards", .exactly(1), where: .query("page", "2"), .header("X-Id"))
      })
    #expect(
      failure.report == """
        expected exactly 1 request GET boards where query "page": "2" and header "X-Id": any value, \
        received none
        nearest request:
          1. GET /v1/boards?page=1, status 200
            query "page": expected "2", actual "1"
            header "X-Id": expected any value, actual none
        next nearest:
          2. POST /v1/login, status 200
        """)
    #expect(failure.differences.map(\.aspect) == [#"query "page""#, #"header "X-Id""#])
    #expect(
      report {
        try provider.verify(.post, "login", where: .json(containing: ["password": "x"]))
      } == """
        expected exactly 1 request POST login where JSON: containing {"password":"***"}, received none
        nearest request:
          2. POST /v1/login, status 200
            JSON .password: expected ***, actual *** (the values differ)
        next nearest:
          1. GET /v1/boards?page=1, status 200
        """)
    try provider.verify(.get, "/boards")
  }

  @Test func aPathThatIsTheEndOfAnotherIsExplained() async throws {
    let provider = await makeProvider(requests: .board(7))
    #expect(
      report { try provider.verify(.get, "/boards/7") } == """
        expected exactly 1 request GET /boards/7, received none
        nearest request:
          1. GET /v1/users/boards/7, status 200
            path: expected /boards/7, actual /v1/users/boards/7
            a path is the whole path of a request, or the part after the base URL of its client
        """)
    #expect(
      report { try provider.verify(.get, "boards?page=1") }.hasSuffix(
        #"use conditions for the query, such as `where: .query("page", "2")`"#))
  }

  @Test func atMostThreeNearestRequestsAreNamed() async throws {
    let provider = await makeProvider(
      requests: .login, .boards(page: 1), .boards(page: 2), .boards(page: 3), .login)
    #expect(
      report { try provider.verify(.get, "boards", where: .query("page", "4")) } == """
        expected exactly 1 request GET boards where query "page": "4", received none
        nearest request:
          4. GET /v1/boards?page=3, status 200
            query "page": expected "4", actual "3"
        next nearest:
          3. GET /v1/boards?page=2, status 200
          2. GET /v1/boards?page=1, status 200
        """)
  }

  @Test func tooManyRequestsAreListed() async throws {
    let provider = await makeProvider(requests: .boards(page: 1), .login, .boards(page: 2))
    #expect(
      report { try provider.verify(.get, "boards") } == """
        expected exactly 1 request GET boards, received 2
          1. GET /v1/boards?page=1, status 200
          3. GET /v1/boards?page=2, status 200
        """)
    #expect(
      report { try provider.verify(.post, "login", .never) } == """
        expected no request POST login, received 1
          2. POST /v1/login, status 200
        """)
    for count in [RequestCount.atMost(1), .between(3...4), .between(0...1)] {
      #expect(throws: VerificationFailure.self) { try provider.verify(.get, "boards", count) }
    }
  }

  @Test func aReportSaysThatNoRequestsWereReceived() async throws {
    let provider = await makeProvider()
    #expect(
      report { try provider.verify(.get, "boards", .atLeast(1)) } == """
        expected at least 1 request GET boards, received none
        no requests were received
        """)
  }

  @Test func aMalformedPatternFailsForEachExpectedCount() async throws {
    let provider = await makeProvider(requests: .login)
    #expect(
      report { try provider.verify(.get, "a/{", .never) }.hasPrefix(
        #"expected no request GET a/{, but the route "a/{" is malf"#))
  }

  @Test func aSingleDiscardedRequestIsReported() async throws {
    let provider = MockProvider<API>(journal: JournalLimits(requests: 1)) { _ in .json([]) }
    let client = Networking(mode: .sync, mockProvider: provider)
    for page in 1...2 { _ = await client.request(.boards(page: page)).result }
    #expect(
      report { try provider.verify(.get, "boards", .exactly(2)) }.hasSuffix(
        "\nthe journal has discarded the first request; see JournalLimits"))
  }

  @Test func discardedRequestsAreReported() async throws {
    let provider = MockProvider<API>(journal: JournalLimits(requests: 1)) { _ in .json([]) }
    let client = Networking(mode: .sync, mockProvider: provider)
    for page in 1...3 { _ = await client.request(.boards(page: page)).result }
    #expect(
      report { try provider.verify(.get, "boards", .exactly(3)) }.hasSuffix(
        "\nthe journal has discarded the first 2 requests; see JournalLimits"))
    try provider.verify(.get, "boards")
    #expect(
      report { try provider.verifyNothingElse() }
        == "expected no other requests, but the journal is incomplete\n"
        + "the journal has discarded the first 2 requests; see JournalLimits")
    _ = await client.request(.login).result
    #expect(
      report { try provider.verifyNothingElse() } == """
        expected no other requests, received 1
          4. POST /v1/login, status 200
        the journal has discarded the first 3 requests; see JournalLimits
        """)
  }

  // MARK: Order

  @Test func orderIsVerifiedWithGapsAndWithout() async throws {
    let unused = await makeProvider()
    let provider = await makeProvider(
      requests: .login, .boards(page: 1), .board(7), .boards(page: 2))
    try provider.verifyOrder(.post("login"), .get("boards"), .get("boards"))
    try provider.verifyOrder(
      .post("login"), .get("boards"), .get("users/boards/7"), gaps: .forbidden)
    try provider.verifyOrder(.get("users/{all*}"), .get("boards"), gaps: .forbidden)
    #expect(
      report {
        try provider.verifyOrder(.get("boards"), .post("login"), .get("boards"))
      } == """
        expected requests in this order:
          GET boards: request 2
          POST login: missing after request 2
          GET boards: not checked
        received:
          1. POST /v1/login, status 200
          2. GET /v1/boards?page=1, status 200
          3. GET /v1/users/boards/7, status 200
          4. GET /v1/boards?page=2, status 200
        """)
    #expect(
      report {
        try provider.verifyOrder(.post("login"), .get("users/boards/7"), gaps: .forbidden)
      }.hasPrefix(
        """
        expected requests in this order without others between them:
          POST login: request 1
          GET users/boards/7: missing after request 1
        received:
        """))
    #expect(
      report { try unused.verifyOrder(.get("a")) } == """
        expected requests in this order:
          GET a: missing
        no requests were received
        """)
  }

  // MARK: Complete verification

  @Test func unverifiedRequestsAreReported() async throws {
    let provider = await makeProvider(requests: .login, .boards(page: 1), .board(7))
    #expect(
      report { try provider.verifyNothingElse() } == """
        expected no other requests, received 3
          1. POST /v1/login, status 200
          2. GET /v1/boards?page=1, status 200
          3. GET /v1/users/boards/7, status 200
        """)
    try provider.verifyOrder(.post("login"), .get("boards"))
    #expect(
      report { try provider.verifyNothingElse() } == """
        expected no other requests, received 1
          3. GET /v1/users/boards/7, status 200
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
      report { try transport.verifyNoUnusedStubs() } == """
        expected all 3 stubs to be used, but 2 were not
          GET /boards where query "page": "2"
          GET /about
        """)
    _ = await transport.get(.of("http://a/boards?page=2"))
    #expect(report { try transport.verifyNoUnusedStubs() }.hasSuffix("1 was not\n  GET /about"))
    _ = await transport.get(.of("http://a/about"))
    try transport.verifyNoUnusedStubs()
    try MockProvider<API> { _ in nil }.verifyNoUnusedStubs()
  }

  // MARK: All backends

  @Test func verificationIsTheSameForAllBackends() async throws {
    let routes = [
      Route(.get, "/v1/boards/{id}", .json([])), Route(.post, "/v1/boards", .status(201)),
    ]
    let server = try MockServer(routes: routes)
    defer { server.stop() }
    let transport = MockTransport(routes: routes)
    let provider = MockProvider<Request>(routes: routes)
    let backends: [(any MockBackend, Networking<Request>, String)] = [
      (server, Networking(), "\(server.url)"),
      (transport, Networking(transport: transport), "http://a"),
      (provider, Networking(mockProvider: provider), "http://a"),
    ]
    for (backend, client, url) in backends {
      let base = try #require(URL(string: url + "/v1/"))
      client.baseURL = base
      // A server does not know the base URL of its client.
      let boards = backend is MockServer ? "v1/boards" : "boards"
      _ = try await client.request(.get("boards/7")).value
      _ = try await client.request(.post("boards", parameters: ["type": 2])).value
      try backend.verify(.get, "\(boards)/7")
      try backend.verify(.get, "/v1/boards/{id}")
      try backend.verify(.post(boards, .json(containing: ["type": 2])))
      try backend.verifyOrder(.get("\(boards)/7"), .post(boards), gaps: .forbidden)
      try backend.verifyNothingElse()
      try backend.verifyNoUnusedStubs()
      #expect(
        report { try backend.verify(.get, "\(boards)/8") } == """
          expected exactly 1 request GET \(boards)/8, received none
          nearest request:
            1. GET /v1/boards/7, status 200, stub GET /v1/boards/{id}
              path: expected \(boards)/8, actual /v1/boards/7
          next nearest:
            2. POST /v1/boards, status 201, stub POST /v1/boards
          """)
    }
  }

  // MARK: Source locations

  @Test func aFailureHasTheLineOfTheTest() async throws {
    let provider = await makeProvider()
    let line: UInt = #line + 2
    do {
      try provider.verify(.get, "boards")
      Issue.record("expected a failure")
    } catch {
      #expect(error.line == line)
      #expect(
        "\(error)".hasPrefix("VerificationTests.swift:\(line): expected exactly 1 request GET"))
      #expect(error.localizedDescription == error.description)
      #expect("\(error.fileID)" == "MockingTests/VerificationTests.swift")
      #expect("\(error.filePath)".hasSuffix("/VerificationTests.swift"))
    }
    #expect(try #require(failure { try provider.verify(.get, "boards") }?.column) > 1)
    let loggedIn = await makeProvider(requests: .login)
    #expect(failure { try loggedIn.verifyNothingElse() }?.line == #line)
    #expect(failure { try provider.verifyOrder(.get("a")) }?.line == #line)
    let transport = MockTransport { Route(.get, "/", .status(200)) }
    #expect(failure { try transport.verifyNoUnusedStubs() }?.line == #line)
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
            #expect(throws: Never.self) {
              try providers[number % 4].verify(.get, "boards", .atMost(125))
            }
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
