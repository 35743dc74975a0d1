import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct ClientTests {
  private struct Board: Codable, Sendable, Equatable {
    let id: Int
  }

  private struct GetBoard: TypedEndpoint {
    typealias ResponseType = Board
    let id: Int
    static let baseURL = BoardsAPI.baseURL
    var request: Request { .get("boards/\(id)") }
  }

  private static let json: HTTPHeaders = ["Content-Type": "application/json"]

  private let backend = FakeTransport { request in
    switch request.url.path {
    case "/v1/boards": .response(200, ClientTests.json, #"[{"id":7}]"#)
    case "/v1/boards/7": .response(200, ClientTests.json, #"{"id":7}"#)
    default: .response(404, ClientTests.json, #"{"error":"no such thing"}"#)
    }
  }

  private func client(
    _ mode: RequestMode = .async, _ configuration: NetworkingConfiguration? = nil
  ) -> Networking<BoardsAPI> {
    var plain = NetworkingConfiguration()
    plain.cookies = .none
    let client = Networking<BoardsAPI>(
      mode: mode, transport: backend, configuration: configuration ?? plain)
    client.callbackContext = .inline
    return client
  }

  @Test func dependentRequestsAreChained() async throws {
    let networking = client()
    let board = try await networking.request(.boards)
      .validate()
      .decode([Board].self)
      .then { boards in networking.request(.board(id: boards[0].id)) }
      .validate()
      .decode(Board.self)
      .value
    #expect(board == Board(id: 7))
    #expect(
      backend.requests.map(\.url.absoluteString) == [
        "https://api.example.com/v1/boards", "https://api.example.com/v1/boards/7",
      ])
    #expect(backend.requests.allSatisfy { $0.headers["Accept"] == "application/json" })
  }

  @Test func parametersBecomeABody() async throws {
    _ = try await client().request(.login(user: "ann", password: "p&w")).value
    let request = try #require(backend.requests.first)
    #expect(request.method == .post && request.headers["Content-Type"] == "application/json")
    guard case .data(let body) = request.body else { return #expect(Bool(false), "no body") }
    #expect(try JSON(parsing: body) == ["user": "ann", "password": "p&w"])
  }

  @Test func aTypedEndpointIsValidatedAndDecoded() async throws {
    #expect(try await client().fetch(GetBoard(id: 7)).value == Board(id: 7))
    let result = await client().fetch(GetBoard(id: 8)).result
    let error = try #require(result.failure(as: NetworkError.self))
    #expect(error.code == .unacceptableStatus(404))
    #expect(try error.decodeBody([String: String].self) == ["error": "no such thing"])
  }

  @Test func anEndpointOfAnyTypeIsSentWithoutDecoding() async throws {
    struct Health: RequestConvertible {
      static let baseURL = "https://status.example.com"
      var request: Request { .get("health") }
    }
    let networking = client()
    let json = try await networking.request(any: GetBoard(id: 7)).validate().toJson().value
    #expect(json == ["id": 7])
    #expect(try await networking.request(any: Health(), .notIntercepted).value.status == 404)
    #expect(backend.requests.last?.url.absoluteString == "https://status.example.com/health")
  }

  @Test func aTypedEndpointWithoutABaseURLHasTheFieldsOfTheClientsEndpointType() async throws {
    struct API: RequestConvertible {
      static let baseURL = "https://h/v1/"
      static let headers = ["X-App": "boards", "X-Language": "en"]
      var request: Request { .get("boards") }
    }
    struct Localized: TypedEndpoint {
      typealias ResponseType = [Board]
      static let headers = ["X-Language": "de"]
      var request: Request { .get("boards") }
    }
    struct Elsewhere: TypedEndpoint {
      typealias ResponseType = [Board]
      static let baseURL = "https://other/v1/"
      var request: Request { .get("boards") }
    }
    let networking = Networking<API>(transport: backend)
    _ = try await networking.fetch(Localized()).value
    _ = try await networking.fetch(Elsewhere()).value
    let sent = backend.requests.map { [$0.headers["X-App"], $0.headers["X-Language"]] }
    #expect(sent == [["boards", "de"], [nil, nil]])
  }

  @Test func hooksSeeEveryRequest() async throws {
    let networking = client()
    let log = Log<String>()
    networking.beforeEach = { request in
      log.append("before")
      return request.with(.headers(["X-One": "1"]))
    }
    networking.middleware = { _, _ in
      log.append("middleware")
      return .fulfilled(())
    }
    networking.preProcessRequest = { request in
      log.append("process")
      var request = request
      request.headers["X-Two"] = "2"
      return request
    }
    _ = try await networking.request(.boards).value
    #expect(log.entries == ["before", "middleware", "process"])
    #expect(
      backend.requests[0].headers["X-One"] == "1" && backend.requests[0].headers["X-Two"] == "2")
  }

  @Test func aRejectingMiddlewarePreventsTheRequest() async {
    let networking = client()
    networking.middleware = { _, _ in .rejected(TestError("closed")) }
    #expect(await networking.request(.boards).result.failure() == TestError("closed"))
    #expect(backend.requests.isEmpty)
  }

  @Test(arguments: [RequestMode.async, .sync])
  func credentialsOfAMiddlewareApplyToTheRequestThatWaitsForIt(_ mode: RequestMode) async throws {
    let networking = client(mode)
    let count = Counter()
    networking.authenticate(bearerToken: "old")
    networking.middleware = { _, networking in
      networking.request(BoardsAPI.login(user: "ann", password: "p"), .notIntercepted)
        .tap { _ in networking.authenticate(bearerToken: "t-\(count.add())") }
        .asVoid()
    }
    for _ in 0..<2 { _ = try await networking.request(.boards).value }
    networking.middleware = { _, networking in
      networking.authenticate(authorizationHeader: nil)
      return .fulfilled(())
    }
    _ = try await networking.request(.boards).value
    #expect(
      backend.requests.map(\.url.lastPathComponent) == [
        "login", "boards", "login", "boards", "boards",
      ])
    #expect(
      backend.requests.map { $0.headers["Authorization"] }
        == ["Bearer old", "Bearer t-1", "Bearer t-1", "Bearer t-2", nil])
  }

  @Test func credentialsAreSentOnlyToTheOriginOfTheBaseURL() async throws {
    let networking = client()
    networking.authenticate(username: "ann", password: "ä")
    _ = try await networking.request(.boards).value
    networking.baseURL = .of("https://staging.example.com/v1/")
    _ = try await networking.request(.boards).value
    networking.baseURL = nil
    networking.authenticate(bearerToken: "t")
    _ = try await networking.request(.boards).value
    #expect(
      backend.requests.map { $0.headers["Authorization"] } == ["Basic YW5uOsOk", nil, "Bearer t"])
    #expect(backend.requests[1].url.host == "staging.example.com")
  }

  @Test func aSuspendedClientStartsNoRequestsAndCancellationEndsQueuedOnes() async {
    let networking = client(.sync)
    networking.suspend()
    let waiting = [networking.request(.boards), networking.request(.boards)]
    waiting[0].cancel()
    networking.cancelAllRequests()
    networking.resume()
    for promise in waiting { #expect(await promise.result.error is CancellationError) }
    #expect(backend.requests.isEmpty)
  }

  @Test func anInvalidBaseURLOrHeaderIsAnErrorOfTheRequest() async {
    let networking = client()
    networking.baseURL = .of("ftp://example.com/")
    let wrongURL = await networking.request(.boards).result.failure(as: NetworkError.self)
    #expect(wrongURL?.code == .invalidURL)
    networking.baseURL = nil
    networking.beforeEach = { $0.with(.headers(["X-Evil": "a\r\nb"])) }
    let wrongHeader = await networking.request(.boards).result.failure(as: NetworkError.self)
    #expect(wrongHeader?.code == .invalidHeader)
    #expect(backend.requests.isEmpty)
  }

  @Test func releasingAClientLosesNoRequest() async throws {
    var networking: Networking<BoardsAPI>? = client(.sync)
    networking?.suspend()
    let promises = (0..<5).compactMap { _ in networking?.request(.boards) }
    networking?.resume()
    networking = nil
    for promise in promises { #expect(try await promise.value.status == 200) }
  }

  @Test func theCallTimeoutUsesVirtualTime() async {
    let clock = RecordingScheduler()
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.scheduler = clock
    configuration.callTimeout = .seconds(10)
    let networking = Networking<BoardsAPI>(
      transport: FakeTransport { _ in [] }, configuration: configuration)
    let promise = networking.request(.boards)
    #expect(await clock.scheduled(1) == [.seconds(10)])
    await clock.time.advance(by: .seconds(10))
    #expect(await promise.result.failure(as: NetworkError.self)?.code == .timedOut(.call))
  }
}
