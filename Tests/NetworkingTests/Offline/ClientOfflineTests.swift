import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// Offline storage and replay of the requests of a client.
@Suite(.gated)
struct ClientOfflineTests {
  private let server = SwitchableServer()

  private func client<Endpoint: RequestConvertible>(
    _ offline: OfflinePolicy = .temporary, of endpoint: Endpoint.Type = NotesAPI.self,
    _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Endpoint> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = offline
    change(&configuration)
    let client = Networking<Endpoint>(transport: server.transport, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  /// Returns a client whose endpoints are plain requests.
  private func requestClient(_ offline: OfflinePolicy) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = offline
    let client = Networking<Request>(transport: server.transport, configuration: configuration)
    client.baseURL = URL.of("https://api.example.com/v1/")
    client.callbackContext = .inline
    return client
  }

  /// The complete flow of an app with mocks and virtual time only.
  @Test func aMockedRequestIsStoredAfterItsRetriesAndReplayedOnReturnOfTheNetwork() async throws {
    let time = TestScheduler()
    let network = MockReachability(.unreachable)
    let provider = MockProvider<NotesAPI>(delay: .seconds(1), scheduler: time) { _ in
      network.status.isReachable ? .status(201) : .failure(.notConnectedToInternet)
    }
    var configuration = NetworkingConfiguration()
    configuration.offline = .temporary
    configuration.retry = .exponential(initial: .seconds(1), jitter: .none, limit: 2)
    let networking = Networking(mockProvider: provider, configuration: configuration)

    let promise = networking.request(.add("milk")).validate()
    await time.run()
    let error = try #require(promise.rejectionError as? NetworkError)
    #expect(error.code == .notConnectedToInternet && error.isStoredOffline && error.attempts == 3)
    #expect(
      error.description
        == """
        POST https://api.example.com/v1/notes: there is no network: mocked, after 3 attempts (there \
        is no network; 1 s later there is no network; 2 s later there is no network); \
        it is stored offline and will be sent later
        """)
    #expect(try networking.offlineStore.entries.map(\.id) == [error.offlineEntryID])

    network.status = .over("wlan0")
    let replay = networking.replay()
    await time.run()
    #expect(try await replay.value.delivered.count == 1)
    #expect(try networking.offlineStore.count == 0)
    let keys = provider.journal.entries.map { $0.request.headers["Idempotency-Key"] }
    #expect(keys == Array(repeating: error.offlineEntryID?.uuidString, count: 4))
  }

  @Test(arguments: [
    NetworkError.Code.dnsFailed, .cannotConnect, .connectionLost, .notConnectedToInternet,
    .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt), .circuitOpen,
  ])
  func connectivityFailuresStoreTheRequest(_ code: NetworkError.Code) async throws {
    server.behavior = .fails(code)
    let client = client()
    let error = await client.request(.add("a")).result.failure(as: NetworkError.self)
    #expect(error?.code == code && error?.offlineEntryID != nil)
    #expect(try client.offlineStore.entries.map(\.id) == [error?.offlineEntryID])
  }

  @Test func aRequestWithASecretIsNotStoredAndTheErrorHasAReason() async throws {
    let client = requestClient(.temporary)
    let request = Request.post("notes?page=1", parameters: ["a": [["New-Password": "s3cr3t"]]])
    let error = await client.request(request, .storedOffline).result
      .failure(as: NetworkError.self)
    #expect(error?.code == .notConnectedToInternet && error?.isStoredOffline == false)
    #expect(
      error?.description
        == """
        POST https://api.example.com/v1/notes?page=1: there is no network: not stored, because \
        the field "New-Password" has the name of a secret, and the store does not accept secrets
        """)
    #expect(try client.offlineStore.count == 0)
  }

  @Test func aStoreThatPermitsSecretsStoresARequestWithASecret() async throws {
    let temporary = TemporaryStore()
    let client = requestClient(.store(try temporary.open(storesSecrets: true)))
    let request = Request.post("notes?token=s3cr3t", .storedOffline)
    let error = await client.request(request).result.failure(as: NetworkError.self)
    #expect(error?.isStoredOffline == true)
    _ = try await client.replay().value
    #expect(server.requests.map(\.url.query) == ["token=s3cr3t", "token=s3cr3t"])
  }

  @Test(arguments: [NetworkError.Code.tlsUntrusted, .malformedResponse, .cancelled, .unsupported])
  func otherFailuresDoNotStoreTheRequest(_ code: NetworkError.Code) async throws {
    server.behavior = .fails(code)
    let client = client()
    let error = await client.request(.add("a")).result.failure(as: NetworkError.self)
    #expect(error?.code == code && error?.isStoredOffline == false)
    #expect(try client.offlineStore.count == 0)
  }

  @Test func responsesAndCancellationsDoNotStoreTheRequest() async throws {
    let client = client()
    server.behavior = .responds(503)
    #expect(try await client.request(.add("a")).value.status == 503)
    server.behavior = .stalls
    let silent = client.request(.add("b"))
    silent.cancel()
    #expect(silent.isCancelled)
    server.behavior = .fails(.dnsFailed)
    let error = await client.request(.list).result.failure(as: NetworkError.self)
    #expect(error?.code == .dnsFailed && error?.isStoredOffline == false)
    #expect(try client.offlineStore.count == 0)
  }

  @Test func aCallTimeoutCountsAsAConnectivityFailure() async throws {
    let time = TestScheduler()
    server.behavior = .stalls
    let client = client {
      $0.callTimeout = .seconds(5)
      $0.scheduler = time
    }
    let promise = client.request(.add("a"))
    await time.advance(by: .seconds(5))
    let error = promise.rejectionError as? NetworkError
    #expect(error?.code == .timedOut(.call) && error?.isStoredOffline == true)
  }

  @Test func aStoredRequestIsCompleteAndHasNoSecrets() async throws {
    let client = client()
    client.baseURL = URL.of("https://staging.example.com/v2/")
    client.authenticate(bearerToken: "b3arer")
    client.beforeEach = { $0.with(.headers(["X-Hook": "1"]), .store(.offline, key: "hook")) }
    _ = await client.request(.add("a")).result
    let sent = try #require(server.requests.first)
    let entry = try #require(try client.offlineStore.entries.first)
    #expect(entry.baseURL == URL.of("https://staging.example.com/v2/"))
    #expect(entry.queue == "hook" && entry.request.storePolicy == .offline)
    // The hook runs again at replay, so the fields that it adds are not stored.
    #expect(entry.request.headers == ["Accept": "text/plain"])
    #expect(entry.removedCredentialHeaders == ["X-Api-Key"])
    #expect(sent.headers["Authorization"] == "Bearer b3arer")
    #expect(sent.headers["Idempotency-Key"] == entry.idempotencyKey.uuidString)
  }

  @Test(arguments: ["order-7", "session:8f3a", "token=7"])
  func anIdempotencyKeyOfTheRequestIsStored(_ key: String) async throws {
    let client = client()
    client.beforeEach = { $0.with(.headers(["Idempotency-Key": key])) }
    _ = await client.request(.add("a")).result
    client.beforeEach = nil
    _ = try await client.replay().value
    #expect(server.requests.map { $0.headers["Idempotency-Key"] } == [key, key])
  }

  @Test func theIdempotencyKeyOfTheRetryPolicyIsStored() async throws {
    let client = client { $0.retry = .immediate(limit: 1).withIdempotencyKey { "made" } }
    _ = await client.request(.add("a")).result
    _ = try await client.replay().value
    #expect(
      server.requests.map { $0.headers["Idempotency-Key"] } == ["made", "made", "made", "made"])
  }

  @Test func aConnectivityFailureOfTheMiddlewareStoresTheRequest() async throws {
    let client = client()
    client.middleware = { _, _ in .rejected(NetworkError(.dnsFailed)) }
    let error = await client.request(.add("a")).result.failure(as: NetworkError.self)
    #expect(error?.code == .dnsFailed && error?.isStoredOffline == true && server.requests.isEmpty)
    client.middleware = nil
    server.behavior = .responds(200)
    #expect(try await client.replay().value.delivered.count == 1)
    #expect(server.paths == ["/v1/notes"])
  }

  /// An endpoint whose base URL has the number of the evaluation.
  private struct Numbered: RequestConvertible {
    let evaluations = Counter()

    var baseURL: URL? { URL(string: "https://host\(evaluations.add()).example.com/v1/") }
    var request: Request { .post("notes", .storedOffline) }
  }

  /// An endpoint without a base URL, because of a missing setting.
  private struct Homeless: RequestConvertible {
    static var baseURL: URL? { get throws { throw TestError("no region") } }
    var request: Request { .post("notes", .storedOffline) }
  }

  @Test(arguments: [true, false])
  func theBaseURLIsEvaluatedOncePerRequest(middlewareFails: Bool) async throws {
    let client = client(of: Numbered.self)
    client.middleware = { _, _ in
      middlewareFails ? .rejected(NetworkError(.dnsFailed)) : .fulfilled(())
    }
    let endpoint = Numbered()
    let evaluations = endpoint.evaluations
    let error = await client.request(endpoint).result.failure(as: NetworkError.self)
    #expect(error?.isStoredOffline == true)
    #expect(evaluations.value == 1)
    let stored = try #require(try client.offlineStore.entries.first)
    #expect(stored.baseURL?.host == "host1.example.com")
  }

  @Test func aBaseURLThatThrowsRejectsTheRequestWithoutStoringIt() async throws {
    let client = client(of: Homeless.self)
    client.middleware = { _, _ in .rejected(NetworkError(.dnsFailed)) }
    let error = await client.request(Homeless()).result.failure(as: TestError.self)
    #expect(error == TestError("no region"))
    #expect(try client.offlineStore.count == 0)
  }

  @Test func downloadsAndStreamsAreNotStored() async throws {
    let client = client()
    let folder = TemporaryFolder()
    for promise in [
      client.stream(.add("a")), client.download(.add("a"), to: folder.url("file")),
    ] {
      let error = await promise.result.failure(as: NetworkError.self)
      #expect(error?.code == .notConnectedToInternet && error?.isStoredOffline == false)
      #expect(error?.reason == "not stored, because the response body does not go to memory")
    }
    #expect(try client.offlineStore.count == 0)
  }

  @Test func aClientWithoutAStoreReportsAnError() async {
    let client = client(.none)
    let error = await client.request(.add("a")).result.failure(as: NetworkError.self)
    #expect(
      error?.description
        == """
        POST https://api.example.com/v1/notes: there is no network: not stored, because this \
        client has no offline store
        """)
    let refused = await client.replay().result.failure(as: NetworkError.self)
    #expect(refused?.code == .offlineStoreFailed)
    #expect(refused?.reason == "this client has no offline store")
  }

  @Test func aFullStoreIsAnErrorOfTheRequest() async throws {
    let temporary = TemporaryStore()
    let client = client(.store(try temporary.open(limits: .init(entries: 1))))
    _ = await client.request(.add("a")).result
    let error = await client.request(.put(7)).result.failure(as: NetworkError.self)
    #expect(
      error?.code == .offlineStoreFull && error?.isStoredOffline == false && error?.attempts == 1)
    #expect(
      error?.description
        == """
        PUT https://api.example.com/v1/notes/7: the offline store is full: the limit of entries, 1, \
        is reached; the request was to be stored, because there is no network
        """)
    #expect(try client.offlineStore.count == 1)
  }

  @Test func aStreamBodyIsNotStoredAndTheErrorHasAReason() async throws {
    let client = Networking<Request>(
      transport: server.transport,
      configuration: {
        var configuration = NetworkingConfiguration()
        configuration.offline = .temporary
        return configuration
      }())
    let stream = BodyStream { AsyncStream<Data> { $0.finish() } }
    let error = await client.request(
      .upload(stream: stream, to: "https://a.test/", .storedOffline)
    ).result.failure(as: NetworkError.self)
    #expect(error?.code == .encodingFailed && error?.isStoredOffline == false)
    #expect(try client.offlineStore.count == 0)
  }

  @Test func diskAccessNeverBlocksATransportThread() async throws {
    let temporary = TemporaryStore()
    let transports = LabelledQueue()
    let steps = Log<Bool>()
    let store = try OfflineStore(folder: temporary.folder.appendingPathComponent("store")) { _ in
      steps.append(transports.isCurrent)
    }
    struct Failing: Transport {
      let queue: LabelledQueue

      func start(
        _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
      ) -> any TransportHandle {
        queue.queue.async { receive(.failure(TransportFailure(code: .cannotConnect))) }
        return Handle()
      }

      struct Handle: TransportHandle {
        func cancel() {}
        func suspend() {}
        func resume() {}
      }
    }
    var configuration = NetworkingConfiguration()
    configuration.offline = .store(store)
    let client = Networking<NotesAPI>(
      transport: Failing(queue: transports), configuration: configuration)
    let error = await client.request(.add("a")).result.failure(as: NetworkError.self)
    #expect(error?.isStoredOffline == true)
    #expect(!steps.entries.isEmpty && !steps.entries.contains(true))
  }

  @Test func aTemporaryStoreIsRemovedWithItsClientAndUsers() async throws {
    var client: Networking<NotesAPI>? = client()
    _ = await client?.request(.add("a")).result
    var store = try client?.offlineStore
    let folder = try #require(store?.folder.path)
    client = nil
    #expect(try store?.count == 1)
    store = nil
    // The thread that has delivered the result may retain the client for a moment longer.
    while FileManager.default.fileExists(atPath: folder) { await Task.yield() }
  }
}
