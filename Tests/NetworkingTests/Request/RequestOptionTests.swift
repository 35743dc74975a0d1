import Foundation
import Networking
import NetworkingTracing
import TestGate
import TestSupport
import Testing

private struct Receipt: Decodable, Sendable {}

private struct Pay: TypedEndpoint {
  typealias ResponseType = Receipt
  var request: Request { .post("payments", parameters: ["id": "a"], headers: ["X": "endpoint"]) }
}

@Suite(.gated)
struct RequestOptionTests {
  private let transport = FakeTransport { _ in .response(200, [:], "{}") }

  private func client<Endpoint: RequestConvertible>(
    _ type: Endpoint.Type, _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Endpoint> {
    var configuration = NetworkingConfiguration.plain
    configuration.baseURL = .of("https://a.example/")
    change(&configuration)
    let client = Networking<Endpoint>(transport: transport, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  private func fields(_ name: String) -> [String?] { transport.requests.map { $0.headers[name] } }

  private var queries: [String?] { transport.requests.map { $0.url.query() } }

  @Test func optionsAreAppliedInOrder() {
    let request = Request.get("a", headers: ["A": "0"], .headers(["A": "1"]), .timeout(.seconds(1)))
      .with(.headers(["A": "2"]), .timeout(nil), .all([.priority(.low), .priority(.high)]))
    #expect(request == .get("a", headers: ["A": "2"], .priority(.high)))
  }

  @Test func anAliasEqualsTheOptionWithItsArgument() {
    #expect(Request.get("a", .storedOffline) == .get("a", .store(.offline)))
    #expect(Request.get("a", .store(.offline, key: "k")).storeKey == "k")
  }

  @Test func aClosureChangesTheRequest() {
    let request = Request.get("a", .change { $0.path = "b" }, .attribute(TenantKey.self, "acme"))
    #expect(request.path == "b" && request.attributes[TenantKey.self] == "acme")
  }

  @Test func theRetryPolicyAndTheProgressAreNeitherStoredNorCompared() throws {
    let request = Request.get("a", .retry(.immediate(limit: 2)), .onProgress { _ in })
    #expect(request.retry?.limit == 2 && request.onProgress != nil)
    #expect(request == .get("a") && Set([request, .get("a")]).count == 1)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(request)
    #expect(try data == encoder.encode(Request.get("a")))
    let decoded = try JSONDecoder().decode(Request.self, from: data)
    #expect(decoded.retry == nil && decoded.onProgress == nil)
    let removed = request.with(.retry(nil), .onProgress(nil))
    #expect(removed.retry == nil && removed.onProgress == nil)
  }

  @Test func aCallOverridesTheEndpointAndTheHookOverridesTheCall() async throws {
    let client = client(Pay.self) { $0.headers = ["X": "client", "Y": "client"] }
    _ = try await client.request(Pay()).value
    _ = try await client.request(Pay(), .headers(["X": "call"])).value
    client.beforeEach = { $0.with(.headers(["X": ($0.headers["X"] ?? "") + ", hook"])) }
    _ = try await client.request(Pay(), .headers(["X": "call"])).value
    #expect(fields("X") == ["endpoint", "call", "call, hook"])
    #expect(fields("Y") == ["client", "client", "client"])
  }

  @Test func theHookCanReplaceTheRetryPolicyAndTheHandlerOfTheCall() async throws {
    let failing = FakeTransport { _ in .response(503) }
    let client = Networking<Request>(transport: failing, configuration: .plain)
    client.callbackContext = .inline
    client.beforeEach = { $0.with(.retry(.never), .onProgress(nil)) }
    let reports = Log<TransferProgress>()
    _ = try await client.request(
      .get("https://a.example/"), .retry(.immediate(limit: 3)), .onProgress { reports.append($0) }
    ).value
    #expect(failing.requests.count == 1 && reports.entries.isEmpty)
  }

  @Test func eachCallTakesOptions() async throws {
    let folder = TemporaryFolder()
    let client = client(Pay.self)
    let option = RequestOption.headers(["X": "call"])
    _ = try await client.request(Pay(), option).value
    _ = try await client.request(any: Request.get("a"), option).value
    _ = try await client.fetch(Pay(), option).value
    _ = try await client.download(Pay(), to: folder.url("file"), option).value
    _ = try await client.stream(Pay(), option).value
    #expect(fields("X") == Array(repeating: "call", count: 5))
    #expect(try client.curlCommand(for: Pay(), option).contains("X: call"))
  }

  // MARK: Variables

  private enum Order: String, Codable { case newest }

  private struct Unencodable: Encodable {
    func encode(to encoder: any Encoder) throws { throw TestError("refused") }
  }

  @Test func variablesInALiteralEqualTheirWrappers() {
    let (text, page, tags, order) = ("fish", 2, ["a", "b"], Order.newest)
    let (owner, nobody): (String?, String?) = ("ann", nil)
    let date = Date(timeIntervalSinceReferenceDate: 0)
    let request = Request.get(
      "boards",
      parameters: [
        "q": text, "page": page, "tag": tags, "order": order, "owner": owner, "nobody": nobody,
        "since": date, "plain": 1, "none": nil, "wrapped": Parameters.double(1.5),
      ])
    #expect(
      request
        == .get(
          "boards",
          parameters: [
            "q": .string(text), "page": .int(page), "tag": ["a", "b"], "order": "newest",
            "owner": "ann", "nobody": nil, "since": .date(date), "plain": 1, "none": nil,
            "wrapped": 1.5,
          ]))
  }

  @Test func nilIsOmittedInAQueryAndNullInJSON() async throws {
    let client = client(Request.self)
    let (page, owner): (Int, String?) = (2, nil)
    _ = try await client.request(.get("a", parameters: ["page": page, "owner": owner])).value
    _ = try await client.request(.post("a", parameters: ["page": page, "owner": owner])).value
    _ = try await client.request(
      .post("a", parameters: ["page": page, "owner": owner]), .omittingNulls
    ).value
    #expect(queries == ["page=2", nil, nil])
    let bodies = transport.requests.map(\.body)
    #expect(bodies[1] == .data(Data(#"{"page":2,"owner":null}"#.utf8)))
    #expect(bodies[2] == .data(Data(#"{"page":2}"#.utf8)))
  }

  @Test func nullsAreOmittedInNestedObjectsOnly() {
    let request = Request.post(
      "a", parameters: ["a": ["b": nil, "c": [nil, ["d": nil]]], "e": nil], .omittingNulls)
    #expect(request.parameters == ["a": ["c": [nil, [:]]]])
  }

  @Test func aRequestOfAnyMethodHasTheFormsOfTheVerbs() {
    let (text, page) = ("x", 2)
    #expect(
      Request(.get, "a", parameters: ["q": text, "page": page], .retry(.never))
        == .get("a", parameters: ["q": .string(text), "page": .int(page)]))
    #expect(Request(.put, "a", json: [text]) == .put("a", json: [text]))
    #expect(
      Request(.post, "a", json: ["q": text, "page": page])
        == .post("a", json: ["q": text, "page": page]))
  }

  @Test func variablesOfACallAreAddedToTheParameters() async throws {
    let client = client(Request.self)
    let page = 2
    _ = try await client.request(
      .get("a", parameters: ["q": "x", "page": 1]), .parameters(["page": page])
    ).value
    #expect(queries == ["q=x&page=2"])
  }

  @Test func anEncodableValueIsTheJSONBody() async throws {
    struct Board: Encodable { var id = 7, title = "Fish" }
    let client = client(Request.self)
    for request in [
      Request.post("a", json: Board()), .put("a", json: [1, 2]), .patch("a", json: 1),
    ] {
      _ = try await client.request(request).value
    }
    let texts = [#"{"id":7,"title":"Fish"}"#, "[1,2]", "1"]
    #expect(transport.requests.map(\.body) == texts.map { .data(Data($0.utf8)) })
    #expect(fields("Content-Type") == Array(repeating: "application/json", count: 3))
  }

  @Test func anErrorOfTheEncodingRejectsTheRequest() async throws {
    let client = client(Request.self)
    let value = Unencodable()
    for request in [
      Request.post("a", json: value), .get("a", parameters: ["a": value]),
      .get("a", parameters: ["a": value], .parameters(["b": 1]), .omittingNulls),
    ] {
      let error = await client.request(request).result.failure(as: NetworkError.self)
      #expect(error?.code == .encodingFailed && error?.underlying is TestError)
      #expect(throws: EncodingError.self) { try JSONEncoder().encode(request) }
    }
    #expect(transport.requests.isEmpty)
    let other = await client.request(.get("a"), .parameters(["a": value])).result
    #expect(other.failure(as: NetworkError.self)?.code == .encodingFailed)
  }

  @Test(
    arguments: [
      { @Sendable in $0.parameters?["locale"] = "de" }, { @Sendable in $0.parameters = nil },
    ] as [@Sendable (inout Request) -> Void])
  func aHookDoesNotRemoveTheErrorOfTheEncoding(
    _ change: @escaping @Sendable (inout Request) -> Void
  ) async throws {
    let client = client(Request.self)
    client.beforeEach = { $0.with(.change(change)) }
    let value = Unencodable()
    for request in [Request.put("a", json: value), .put("a", parameters: ["a": value])] {
      let error = await client.request(request).result.failure(as: NetworkError.self)
      #expect(error?.code == .encodingFailed && error?.underlying is TestError)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func aChangeOfOneParameterKeepsTheErrorAndOtherParametersReplaceIt() async throws {
    let client = client(Request.self)
    let value = Unencodable()
    var request = Request.get("a", parameters: ["b": 1], .parameters(["a": value]))
    request.parameters?["c"] = 2
    #expect(request.parameters == ["b": 1, "c": 2])
    let error = await client.request(request).result.failure(as: NetworkError.self)
    #expect(error?.code == .encodingFailed)
    request.parameters = ["d": 3]
    _ = try await client.request(request).value
    #expect(queries == ["d=3"])
  }

  // MARK: Clients

  @Test func theBaseURLOfAClientCanBeReadAndSet() async throws {
    let client = Networking<BoardsAPI>(baseURL: .of("https://b.example/"), transport: transport)
    client.callbackContext = .inline
    #expect(client.baseURL == .of("https://b.example/"))
    let copy = client.copy()
    copy.baseURL = .of("https://c.example/")
    #expect(client.baseURL == .of("https://c.example/") && copy.baseURL == client.baseURL)
    _ = try await client.request(.boards).value
    client.baseURL = nil
    #expect(copy.baseURL == BoardsAPI.baseURL)
    _ = try await client.request(.boards).value
    #expect(
      transport.requests.map(\.url.absoluteString) == [
        "https://c.example/boards", "https://api.example.com/v1/boards",
      ])
    #expect(Networking<Request>(transport: transport).baseURL == nil)
  }

  @Test func anArgumentOfAClientOverridesTheConfiguration() {
    var configuration = NetworkingConfiguration.plain
    configuration.baseURL = .of("https://a.example/")
    let client = Networking<Request>(transport: transport, configuration: configuration)
    #expect(client.baseURL == .of("https://a.example/"))
    let other = Networking<Request>(
      baseURL: .of("https://b.example/"), transport: transport, configuration: configuration)
    #expect(other.baseURL == .of("https://b.example/"))
  }

  @Test func theModeOfTheConfigurationApplies() async throws {
    let held = FakeTransport { _ in [] }
    var configuration = NetworkingConfiguration.plain
    configuration.mode = .sync
    let client = Networking<Request>(transport: held, configuration: configuration)
    let calls = (0..<2).map { _ in client.request(.get("https://a.example/")) }
    #expect(held.requests.count == 1)
    let others = FakeTransport { _ in [] }
    let wide = Networking<Request>(mode: .async, transport: others, configuration: configuration)
    let concurrent = (0..<2).map { _ in wide.request(.get("https://a.example/")) }
    #expect(others.requests.count == 2)
    for call in calls + concurrent { call.cancel() }
  }
}
