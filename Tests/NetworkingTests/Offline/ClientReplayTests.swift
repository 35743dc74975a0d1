import Foundation
import Mocking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The replay of stored requests by a client.
@Suite(.gated)
struct ClientReplayTests {
  private let temporary = TemporaryStore()
  private let server = SwitchableServer()
  private let client: Networking<NotesAPI>

  init() throws {
    client = Self.client(try temporary.open(), server)
  }

  private static func client(
    _ store: OfflineStore, _ server: SwitchableServer, _ mode: RequestMode = .async
  ) -> Networking<NotesAPI> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = .store(store)
    let client = Networking<NotesAPI>(
      mode: mode, transport: server.transport, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  /// Stores requests one after another and clears the record of the server.
  private func add(_ endpoints: NotesAPI...) async {
    server.behavior = .fails(.notConnectedToInternet)
    for endpoint in endpoints {
      let error = await client.request(endpoint).result.failure(as: NetworkError.self)
      #expect(error?.isStoredOffline == true)
    }
    server.behavior = .responds(200)
  }

  @MainActor
  @Test func progressIsReportedOnTheActorOfItsHandler() async throws {
    await add(.put(1), .put(2))
    let log = MainActorLog<String>()
    let report = try await client.replay { log.append("\($0.completed)/\($0.total)") }.value
    await mainQueueHasRun()
    #expect(log.entries == ["1/2", "2/2"] && log.isOfMainQueue)
    #expect(report.delivered.count == 2)
  }

  @Test func currentHooksAndCredentialsAreAppliedOnce() async throws {
    client.authenticate(bearerToken: "old")
    client.beforeEach = { request in
      var request = request
      request.path = "hooked/\(raw: request.path.text)"
      return request
    }
    await add(.add("a"))
    _ = try await client.renewCredentials {
      client.authenticate(bearerToken: "new")
      return .fulfilled(())
    }.value
    client.baseURL = URL.of("https://elsewhere.example.com/")
    _ = try await client.replay().value
    let (first, replayed) = (server.requests[0], server.requests[1])
    // The request goes to its original URL, and the credentials belong to that origin.
    #expect(replayed.url == first.url && replayed.url.path == "/v1/hooked/notes")
    #expect(replayed.headers["Authorization"] == "Bearer new")
    #expect(replayed.headers["X-Api-Key"] == "s3cret")
    #expect(replayed.headers["Accept"] == "text/plain")
    #expect(replayed.headers["Idempotency-Key"] == first.headers["Idempotency-Key"])
    #expect(replayed.method == .post && replayed.body == first.body)
  }

  @Test func credentialsAreNotSentToAnotherOrigin() async throws {
    await add(.add("a"))
    client.baseURL = URL.of("https://elsewhere.example.com/")
    client.authenticate(bearerToken: "for elsewhere")
    _ = try await client.replay().value
    #expect(server.requests[1].url.host == "api.example.com")
    #expect(server.requests[1].headers["Authorization"] == nil)
  }

  @Test func anEntryStaysWhileTheCredentialsHaveNoOrigin() async throws {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = .store(try temporary.open())
    let client = Networking<Request>(transport: server.transport, configuration: configuration)
    client.callbackContext = .inline
    let request = Request.post("https://api.example.com/v1/notes", .storedOffline)
    let stored = await client.request(request).result.failure(as: NetworkError.self)
    #expect(stored?.isStoredOffline == true)
    server.behavior = .responds(200)
    client.authenticate(bearerToken: "t")
    let kept = try await client.replay().value.kept
    #expect((kept.first?.error as? NetworkError)?.code == .credentialsWithoutBaseURL)
    #expect(try server.requests.count == 1 && client.offlineStore.count == 1)
    client.baseURL = .of("https://api.example.com/")
    #expect(try await client.replay().value.delivered.count == 1)
    #expect(server.requests.map { $0.headers["Authorization"] } == [nil, "Bearer t"])
  }

  @Test func anotherProcessReplaysTheRequest() async throws {
    await add(.add("a"), .put(1))
    let later = SwitchableServer(.responds(201))
    let client = Self.client(try temporary.open(), later)
    let report = try await client.replay().value
    #expect(report.delivered.count == 2 && later.paths == ["/v1/notes", "/v1/notes/1"])
    #expect(later.requests.allSatisfy { $0.headers["X-Api-Key"] == "s3cret" })
  }

  /// An endpoint whose credentials belong to the value and to its request.
  private struct TenantNote: RequestConvertible {
    static let baseURL = URL(string: "https://api.example.com/v1/")
    var headers: HTTPHeaders { ["X-Api-Key": "s3cret"] }
    var request: Request {
      .post("notes", .headers(["Authorization": "Bearer 0wn"]), .storedOffline)
    }
  }

  private func tenantClient(_ server: SwitchableServer) throws -> Networking<TenantNote> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = .store(try temporary.open())
    let client = Networking<TenantNote>(transport: server.transport, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  @Test func fieldsOfTheEndpointValueAndItsRequestAreAddedAgain() async throws {
    let client = try tenantClient(server)
    client.authenticate(bearerToken: "of the client")
    _ = await client.request(TenantNote()).result
    server.behavior = .responds(201)
    #expect(try await client.replay().value.delivered.count == 1)
    #expect(server.requests.map { $0.headers["X-Api-Key"] } == ["s3cret", "s3cret"])
    #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer 0wn", "Bearer 0wn"])
  }

  @Test func anEntryStaysWhileAFieldWithCredentialsIsMissing() async throws {
    _ = try await tenantClient(server).request(TenantNote()).result
    let later = SwitchableServer(.responds(201))
    let client = try tenantClient(later)
    let kept = try await client.replay().value.kept
    let error = try #require(kept.first?.error as? NetworkError)
    #expect(error.code == .offlineCredentialsMissing)
    #expect(error.reason == "missing: X-Api-Key, Authorization")
    #expect(try client.offlineStore.count == 1)
    #expect(later.requests.isEmpty)
    // A field of an interceptor and the credentials of the client count.
    client.interceptors[.hop] = [HeaderInjector { _ in ["X-Api-Key": "n3w"] }]
    client.authenticate(bearerToken: "t")
    #expect(try await client.replay().value.delivered.count == 1)
    #expect(later.requests.map { $0.headers["X-Api-Key"] } == ["n3w"])
    #expect(later.requests.map { $0.headers["Authorization"] } == ["Bearer t"])
  }

  @Test func digestCredentialsCountBeforeTheChallenge() async throws {
    _ = try await tenantClient(server).request(TenantNote()).result
    let later = SwitchableServer(.responds(201))
    let client = try tenantClient(later)
    client.interceptors[.hop] = [HeaderInjector { _ in ["X-Api-Key": "n3w"] }]
    client.authenticate(username: "ada", password: "x", scheme: .digest)
    #expect(try await client.replay().value.delivered.count == 1)
    #expect(later.requests.map { $0.headers["Authorization"] } == [nil])
  }

  @Test func aFailedReplayKeepsOneEntry() async throws {
    await add(.add("a"))
    server.behavior = .fails(.connectionLost)
    let report = try await client.replay().value
    #expect((report.kept.first?.error as? NetworkError)?.code == .connectionLost)
    #expect((report.kept.first?.error as? NetworkError)?.isStoredOffline == false)
    #expect(try client.offlineStore.entries.map(\.attempts) == [1])
  }

  @Test(arguments: [401, 403, 407, 503])
  func staleCredentialsKeepTheRequest(_ status: Int) async throws {
    await add(.add("a"), .put(1))
    server.behavior = .responds(status)
    #expect(try await client.replay().value.kept.count == 2)
    server.behavior = .responds(200)
    client.authenticate(bearerToken: "new")
    #expect(try await client.replay().value.delivered.count == 2)
  }

  @Test func aFailedRefreshKeepsTheRequest() async throws {
    await add(.add("a"))
    server.behavior = .responds(401)
    client.interceptors = [
      RefreshInterceptor { _ in
        Promise<Void>.rejected(
          NetworkError(
            .unacceptableStatus(400),
            request: .init(method: .post, url: "https://login.example.com/token")))
      }
    ]
    let report = try await client.replay().value
    #expect((report.kept.first?.error as? NetworkError)?.code == .unacceptableStatus(400))
  }

  /// The status of a response to another request says nothing about the stored one.
  @Test(arguments: [
    (HTTPMethod?.some(.put), "https://api.example.com/v1/notes/1", false),
    (.some(.put), "https://api.example.com/v1/notes/1?page=2", false),
    (.some(.post), "https://api.example.com/v1/notes/1", true),
    (.some(.put), "https://api.example.com/v1/notes/2", true), (nil, "", true),
  ])
  func aStatusCountsForTheRequestItself(
    _ method: HTTPMethod?, _ url: String, _ isKept: Bool
  ) throws {
    let entry = try temporary.open().add(
      .put("notes/1"), baseURL: URL.of("https://api.example.com/v1/"))
    let error = NetworkError(
      .unacceptableStatus(404),
      request: method.map { NetworkError.RequestSummary(method: $0, url: url) })
    switch ReplayPolicy.standard.outcome(of: entry, .failure(error)) {
    case .kept: #expect(isKept)
    case .failed: #expect(!isKept)
    default: Issue.record("a failure was delivered")
    }
  }

  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func theFunctionsOfAnEntryAreKeptIfItsReplayNeedsThem(
    _ selectsTransport: Bool, _ lacksHeaders: Bool
  ) throws {
    let store = try temporary.open()
    let entry = try store.add(
      Request(.put, "https://a.test/1", headers: lacksHeaders ? ["Authorization": "Bearer t"] : [:])
    )
    #expect(entry.removedCredentialHeaders.isEmpty == !lacksHeaders)
    let sources = ClientOfflineStore(.store(store), for: NotesAPI.self)
    let selection: ClientOfflineStore.TransportSelection = { nil }
    sources.keep(
      .init(selectTransport: selectsTransport ? selection : nil, headers: { [:] }), for: entry)
    let kept = sources.replaySource(of: entry.id)
    #expect((kept?.selectTransport != nil) == selectsTransport)
    #expect((kept?.headers != nil) == lacksHeaders)
    #expect((kept != nil) == (selectsTransport || lacksHeaders))
  }

  @Test func aRejectingHookKeepsTheRequest() async throws {
    await add(.add("a"))
    client.middleware = { _, _ in .rejected(TestError("nobody has signed in")) }
    let report = try await client.replay().value
    #expect(report.kept.map { $0.error as? TestError } == [TestError("nobody has signed in")])
  }

  @Test func aValidatingInterceptorReportsTheServersStatus() async throws {
    struct Validating: Interceptor {
      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        next(exchange).validate()
      }
    }
    await add(.put(1))
    client.interceptors = [Validating()]
    server.behavior = .responds(404)
    #expect(try await client.replay().value.failed.count == 1)
  }

  @Test func requestsOfOneKeyAreOrderedAndOtherKeysContinue() async throws {
    await add(.put(1, key: "a"), .put(2, key: "a"), .put(3, key: "b"))
    server.behavior = .stalls
    let before = server.requests.count
    let replay = client.replay()
    while server.requests.count < before + 2 { await Task.yield() }
    #expect(Set(server.paths[before...]) == ["/v1/notes/1", "/v1/notes/3"])
    // Other requests are sent in the meantime.
    server.behavior = .responds(204)
    #expect(try await client.request(.list).value.status == 204)
    #expect(replay.isPending)
    replay.cancel()
    #expect(try client.offlineStore.entries.map(\.queue) == ["a", "a", "b"])
  }

  @Test func aSerialClientReplaysSerially() async throws {
    await add(.put(1, key: "a"), .put(2, key: "b"))
    let single = Self.client(try temporary.open(), server, .sync)
    server.behavior = .stalls
    let before = server.requests.count
    let replay = single.replay()
    while server.requests.count == before { await Task.yield() }
    server.behavior = .responds(204)
    let listed = single.request(.list)
    #expect(server.requests.count == before + 1 && listed.isPending)
    replay.cancel()
    #expect(try await listed.value.status == 204)
  }

  @Test func aReplayContinuesWithoutConsumers() async throws {
    await add(.put(1), .put(2))
    client.replay()
    while try client.offlineStore.count > 0 { await Task.yield() }
    #expect(server.paths.suffix(2) == ["/v1/notes/1", "/v1/notes/2"])
  }

  @Test func progressIsDeliveredInTheCallbackContextBeforeTheReport() async throws {
    await add(.put(1), .put(2))
    let queue = LabelledQueue()
    client.callbackContext = queue.context
    let log = Log<String>()
    client.replay { progress in
      log.append("\(progress.completed) of \(progress.total), \(queue.isCurrent)")
    }
    .done { _ in log.append("the report, \(queue.isCurrent)") }
    #expect(
      await log.entries(3) == ["1 of 2, true", "2 of 2, true", "the report, true"])
  }

  @Test func aSecondReplayOfAClientJoinsTheFirst() async throws {
    await add(.put(1), .put(2))
    server.behavior = .stalls
    let before = server.requests.count
    let log = Log<Int>()
    let first = client.replay()
    while server.requests.count == before { await Task.yield() }
    let second = client.replay { log.append($0.completed) }
    await withCheckedContinuation { joined in
      client.clientOfflineStore.queue.async { joined.resume() }
    }
    // The replay goes on for the second caller.
    first.cancel()
    #expect(await first.result.error is CancellationError)
    client.cancelAllRequests()
    #expect(try await second.value.kept.count == 2)
    #expect(await log.entries(2) == [1, 2])
    // A later one is a new replay.
    server.behavior = .responds(200)
    #expect(try await client.replay().value.delivered.count == 2)
    #expect(log.entries.count == 2)
  }

  @Test func twoClientsOfOneStoreReplaySequentially() async throws {
    await add(.put(1), .put(2))
    let other = Self.client(try temporary.open(), server)
    server.behavior = .stalls
    let before = server.requests.count
    let replay = client.replay()
    while server.requests.count == before { await Task.yield() }
    let refused = await other.replay().result.failure(as: NetworkError.self)
    #expect(refused?.code == .offlineStoreBusy)
    server.behavior = .responds(200)
    client.cancelAllRequests()
    #expect(try await replay.value.kept.count == 2)
    #expect(try await other.replay().value.delivered.count == 2)
    #expect(server.paths[(before + 1)...] == ["/v1/notes/1", "/v1/notes/2"])
  }

  @Test func corruptAndForeignFilesAreQuarantinedAndTheRestIsReplayed() async throws {
    await add(.put(1), .put(2), .put(3))
    let file = try temporary.entryFile(1)
    try Data("Catena-Offline/1 2 0000000000000000\n{}".utf8).write(to: URL(fileURLWithPath: file))
    try Data("shopping".utf8).write(to: URL(fileURLWithPath: temporary.path("entries/list.txt")))
    let before = server.requests.count
    let later = Self.client(try temporary.open(), server)
    let report = try await later.replay().value
    #expect(server.paths[before...] == ["/v1/notes/1", "/v1/notes/3"])
    #expect(
      report.quarantined.map(\.reason).sorted()
        == ["the checksum does not match", "the name is not a valid entry name"])
    #expect(report.delivered.count == 2)
    #expect(try later.offlineStore.quarantined.count == 2)
  }

  @Test func mockedRoutesRespondToRequestsStoredEarlier() async throws {
    await add(.put(1))
    var configuration = NetworkingConfiguration()
    configuration.offline = .store(try temporary.open())
    let byEndpoint = MockProvider<NotesAPI> { _ in .status(200) }
    let first = Networking(mockProvider: byEndpoint, configuration: configuration)
    let unsent = try await first.replay().value.kept
    #expect((unsent.first?.error as? NetworkError)?.code == .mockFailed)
    let byRoutes = MockProvider<NotesAPI>(routes: [Route(.put, "/v1/notes/1") { _ in .status(200) }]
    )
    let second = Networking(mockProvider: byRoutes, configuration: configuration)
    #expect(try await second.replay().value.delivered.count == 1)
  }

  @Test func mocksOfAScopeRespondWithinIt() async throws {
    let online = Counter()
    let provider = MockProvider<NotesAPI> { _ in
      online.value > 0 ? .status(200) : .failure(.dnsFailed)
    }
    var configuration = NetworkingConfiguration()
    configuration.offline = .temporary
    try await withMocks(provider) {
      let client = Networking<NotesAPI>(configuration: configuration)
      _ = await client.request(.add("a")).result
      online.add()
      let report = try await client.replay().value
      #expect(report.delivered.count == 1)
    }
  }
}
