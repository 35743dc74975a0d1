import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

/// The choice of a recorded response by bodies, masked values and the parts of the options.
@Suite(.gated)
struct MaskedMatchingTests {
  private let folder = TemporaryFolder()

  /// A recorded request and its response.
  private struct Exchange {
    var method = "GET"
    let url: String
    var headers: [HAR.Field] = []
    var body: String?
    var type = "application/json"
    let answer: String
  }

  /// Writes an archive and returns its file.
  private func archive(_ exchanges: [Exchange]) throws -> URL {
    let entries = exchanges.map { exchange in
      HAR.Entry(
        startedDateTime: "2026-01-01T00:00:00.000Z",
        request: HAR.Request(
          method: exchange.method, url: exchange.url, headers: exchange.headers,
          postData: exchange.body.map { HAR.PostData(mimeType: exchange.type, text: $0) }),
        response: HAR.Response(
          status: 200, content: HAR.Content(size: exchange.answer.utf8.count, text: exchange.answer)
        ))
    }
    try HAR(log: HAR.Log(entries: entries)).write(to: folder.tape)
    return folder.tape
  }

  private func post(
    _ url: StaticString, _ body: String, _ type: String = "application/json"
  ) -> HTTPRequest {
    HTTPRequest(
      method: .post, url: .of(url), headers: ["Content-Type": type], body: .data(Data(body.utf8)))
  }

  /// Returns the body of the response, or the reason of the failure.
  private func answer(_ transport: some Transport, _ request: HTTPRequest) async -> String {
    let record = await transport.perform(request)
    return record.failure == nil ? String(decoding: record.body, as: UTF8.self) : record.reason
  }

  // MARK: Bodies

  @Test func operationsOfGraphQLAreDistinguishedByTheirBodies() async throws {
    let file = try archive([
      Exchange(
        method: "POST", url: "https://a.test/graphql",
        body: #"{"operationName": "Boards", "variables": {"page": 1}}"#, answer: "boards"),
      Exchange(
        method: "POST", url: "https://a.test/graphql",
        body: #"{"operationName": "User", "variables": {}}"#, answer: "user"),
      Exchange(
        method: "POST", url: "https://a.test/graphql",
        body: #"{"operationName": "Boards", "variables": {"page": 1.0}}"#, answer: "boards again"),
    ])
    let tape = try Tape(replaying: file)
    let stubs = MockTransport(routes: try StubFile(contentsOf: file).routes)
    let user = post("https://a.test/graphql", #"{"variables":{},"operationName":"User"}"#)
    let boards = post(
      "https://a.test/graphql", #"{"variables":{"page":1},"operationName":"Boards"}"#)
    for expected in [(user, "user"), (boards, "boards"), (boards, "boards again"), (user, "user")] {
      #expect(await answer(tape, expected.0) == expected.1)
      #expect(await answer(stubs, expected.0) == expected.1)
    }
    let other = post("https://a.test/graphql", #"{"operationName":"Delete"}"#)
    #expect(await answer(tape, other).hasSuffix("with a different body"))
    #expect(await stubs.perform(other).head?.status == 404)
  }

  @Test func aRequestThatWasRecordedWithOneBodyMatchesWithAnyBody() async throws {
    let file = try archive([
      Exchange(method: "POST", url: "https://a.test/log", body: #"{"at": 1}"#, answer: "1"),
      Exchange(method: "POST", url: "https://a.test/log", body: #"{"at": 1}"#, answer: "2"),
    ])
    let tape = try Tape(replaying: file)
    #expect(await answer(tape, post("https://a.test/log", #"{"at": 2}"#)) == "1")
    #expect(await answer(tape, post("https://a.test/log", "text", "text/plain")) == "2")
  }

  @Test func aServerDiscardsBodiesThatAreNotCompared() throws {
    let file = try archive([
      Exchange(method: "PUT", url: "https://a.test/upload", body: "a", answer: "1"),
      Exchange(method: "POST", url: "https://a.test/two", body: "1", answer: "1"),
      Exchange(method: "POST", url: "https://a.test/two", body: "2", answer: "2"),
    ])
    #expect(try StubFile(contentsOf: file).routes.map(\.responder.discardsBody) == [true, false])
    let compared = Tape.Options(matching: [.method, .path, .body])
    #expect(
      try StubFile(contentsOf: file, recordings: compared).routes.map(\.responder.discardsBody)
        == [false, false])
  }

  // MARK: Masked values

  @Test func aMaskedValueMatchesAnyValueInEachPart() async throws {
    let body = #"{"user":"ann","login":{"password":"***-3f2a9c"},"list":["a","***-777777"]}"#
    let file = try archive([
      Exchange(
        method: "POST",
        url: "https://a.test/users/***-1a1a1a/x-***-2b2b2b.json?key=***-3c3c3c&page=1",
        headers: [HAR.Field(name: "Authorization", value: "Bearer ***-4d4d4d")], body: body,
        answer: "ok")
    ])
    let options = Tape.Options(matching: [.method, .url, .header("Authorization"), .body])
    func result(_ url: StaticString, _ token: String, _ body: String) async throws -> String {
      var request = post(url, body)
      request.headers["Authorization"] = token
      return await answer(try Tape(replaying: file, options: options), request)
    }
    let live = #"{"user":"ann","login":{"password":"p"},"list":["a","b"]}"#
    #expect(
      try await result("https://a.test/users/7/x-y.json?page=1&key=k", "Bearer t", live) == "ok")
    for (url, token, body) in [
      ("https://a.test/users/7/y-y.json?page=1&key=k", "Bearer t", live),
      ("https://a.test/users/7/x-y.json?page=2&key=k", "Bearer t", live),
      ("https://a.test/users/7/x-y.json?page=1&key=k", "Basic t", live),
      (
        "https://a.test/users/7/x-y.json?page=1&key=k", "Bearer t",
        #"{"user":"bob","login":{"password":"p"},"list":["a","b"]}"#
      ),
    ] as [(StaticString, String, String)] {
      #expect(try await result(url, token, body).contains("is not in tape.har"))
    }
  }

  @Test func aServerRoutesPathsWithMaskedValues() async throws {
    let file = try archive([Exchange(url: "https://a.test/reset/***-1a1a1a/{b}", answer: "ok")])
    let stubs = try StubFile(contentsOf: file)
    #expect(stubs.routes.map(\.template) == ["/reset/{value1}/%7Bb%7D"])
    let transport = MockTransport(routes: stubs.routes)
    #expect(
      await answer(transport, HTTPRequest(url: .of("http://127.0.0.1/reset/t-4711/%7Bb%7D")))
        == "ok")
  }

  @Test func theEntryWithEqualLiteralValuesIsPreferred() async throws {
    let file = try archive([
      Exchange(url: "https://a.test/users/***-1a1a1a", answer: "first"),
      Exchange(url: "https://a.test/users/***-2b2b2b", answer: "second"),
      Exchange(url: "https://a.test/users/42", answer: "third"),
    ])
    let tape = try Tape(replaying: file)
    #expect(await tape.get("https://a.test/users/42").body == Data("third".utf8))
    #expect(await tape.get("https://a.test/users/***-2b2b2b").body == Data("second".utf8))
    #expect(await tape.get("https://a.test/users/7").body == Data("first".utf8))
    #expect(tape.unplayed.isEmpty)
  }

  @Test func secretsOfAnArchiveThatIsNotMaskedMatchOtherSecrets() async throws {
    let file = try archive([
      Exchange(url: "https://a.test/?access_token=their-token-1&page=1", answer: "1"),
      Exchange(url: "https://a.test/?access_token=their-token-2&page=1", answer: "2"),
    ])
    let tape = try Tape(replaying: file)
    #expect(
      await tape.get("https://a.test/?access_token=their-token-2&page=1").body == Data("2".utf8))
    #expect(await tape.get("https://a.test/?access_token=my-token-3&page=1").body == Data("1".utf8))
    #expect(await tape.get("https://a.test/?access_token=my-token-3&page=2").failure != nil)
  }

  @Test(arguments: [
    ("***", "", false), ("***", "a", true), ("a***b", "a1b", true), ("a***b", "a1c", false),
    ("***-3f2a9c", "x", true), ("***-xy", "1-xy", true), ("***-xy", "1-xz", false),
    ("a***b***c", "a1b2b3c", true), ("a***b***c", "a1c", false), ("ab***ba", "aba", false),
    ("abc", "abc", true), ("***aab***", "xaaaabc", true), ("**", "ab", false),
  ])
  func aPatternMatchesByItsPlaceholders(_ pattern: String, _ text: String, _ isMatch: Bool) {
    #expect(RecordingPlaceholder.matches(text, recorded: pattern) == isMatch)
  }

  // MARK: Options

  @Test func partsAreParsedAndPrinted() throws {
    let text = "body,cookie:sid,differing-body,header:Accept,json:items[0].id,method,path,query"
    let matching = try Tape.Matching(
      parsing: " method, path,query,header:Accept,body,json:items[0].id,"
        + "cookie:sid , differing-body")
    #expect(
      matching == [
        .method, .path, .query, .header("Accept"), .body, .json("items[0].id"), .cookie("sid"),
        .differingBody,
      ])
    #expect("\(matching)" == text)
    #expect(try Tape.Matching(parsing: "url,query-order") == [.url, .queryOrder])
  }

  @Test(arguments: [
    (
      "methods",
      "\"methods\" is not one of method, url, path, query, query-order, body, "
        + "differing-body, header:NAME, cookie:NAME, json:PATH"
    ),
    (
      "url,",
      "\"\" is not one of method, url, path, query, query-order, body, differing-body, "
        + "header:NAME, cookie:NAME, json:PATH"
    ),
    ("header:", "\"header:\": expected the name of a field: header:NAME"),
    ("header:a b", "\"header:a b\": expected the name of a field: header:NAME"),
    ("cookie", "\"cookie\": expected the name of a cookie: cookie:NAME"),
    (
      "json:a[x]", "\"json:a[x]\": expected a path, such as json:operationName or json:items[0].id"
    ),
  ])
  func aWrongPartIsOneError(_ text: String, _ message: String) {
    let error = #expect(throws: Tape.MatchingError.self) { try Tape.Matching(parsing: text) }
    #expect(error?.description == message)
  }

  @Test func cookiesJSONValuesAndQueriesAreCompared() async throws {
    let file = try archive([
      Exchange(
        method: "POST", url: "https://a.test/one?page=1",
        headers: [HAR.Field(name: "Cookie", value: "lang=de; theme=dark")],
        body: #"{"items": [{"id": 7}], "at": 1}"#, answer: "ok")
    ])
    let matching = try Tape.Matching(parsing: "method,query,cookie:lang,json:$.items[0].id")
    func isMatch(_ url: StaticString, _ cookie: String, _ body: String) async throws -> Bool {
      var request = post(url, body)
      request.headers["Cookie"] = cookie
      let tape = try Tape(replaying: file, options: Tape.Options(matching: matching))
      return await answer(tape, request) == "ok"
    }
    let body = #"{"at": 2, "items": [{"id": 7.0}]}"#
    let keeping = "theme=light; lang=de"
    #expect(try await isMatch("http://b.test/two?page=1", keeping, body))
    #expect(try await !isMatch("http://b.test/two?page=2", keeping, body))
    #expect(try await !isMatch("http://b.test/two?page=1", "lang=en", body))
    #expect(try await !isMatch("http://b.test/two?page=1", keeping, #"{"items": [{"id": 8}]}"#))
  }

  @Test func aHeadRequestReceivesTheHeadOfTheRecordedResponseToGet() async throws {
    let file = try archive([Exchange(url: "https://a.test/a", answer: "text")])
    let transport = MockTransport(routes: try StubFile(contentsOf: file).routes)
    let head = await transport.perform(HTTPRequest(method: .head, url: .of("http://a/a")))
    #expect(head.head?.status == 200 && head.body.isEmpty)
  }

  // MARK: Mocks

  @Test func aTapeRespondsToTheClientsOfAScope() async throws {
    let tape = try Tape(
      replaying: try archive([Exchange(url: "https://a.test/a", answer: "recorded")]))
    let text = try await withMocks(tape) {
      try await Networking<Request>().request(.get("https://a.test/a")).validate().toString().value
    }
    #expect(text == "recorded" && tape.unplayed.isEmpty)
    let client = Networking<Request>(transport: tape)
    #expect(try await client.request(.get("https://a.test/a")).toString().value == "recorded")
    let failure = await withMocks(tape) {
      await Networking<Request>().request(.get("https://a.test/b")).result
    }
    guard case .failure(let error as NetworkError) = failure else {
      Issue.record("the request did not fail: \(failure)")
      return
    }
    #expect(error.code == .mockFailed)
  }

  @Test func authorizationDistinguishesUsersWhoLoggedInAtTheReplay() async throws {
    func exchange(_ token: String, _ answer: String) -> Exchange {
      Exchange(
        url: "https://a.test/me", headers: [.init(name: "Authorization", value: "Bearer \(token)")],
        answer: answer)
    }
    let file = try archive([exchange("***-aa11aa", "ann"), exchange("***-bb22bb", "bob")])
    let options = Tape.Options(
      matching: try Tape.Matching(parsing: "method,path,query,differing-body,header:Authorization"))
    func answer(_ authorization: String?) async throws -> String? {
      let tape = try Tape(replaying: file, options: options)
      let headers: HTTPHeaders = authorization.map { ["Authorization": $0] } ?? [:]
      let record = await tape.perform(
        HTTPRequest(method: .get, url: .of("https://a.test/me"), headers: headers))
      return record.head == nil ? nil : String(decoding: record.body, as: UTF8.self)
    }
    #expect(try await answer("Bearer ***-aa11aa") == "ann")
    #expect(try await answer("Bearer ***-bb22bb") == "bob")
    #expect(try await answer("Bearer t0ken-from-elsewhere-1") == "ann")
    #expect(try await answer(nil) == nil)
  }
}
