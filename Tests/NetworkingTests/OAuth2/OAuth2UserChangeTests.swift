import CatenaSystem
import Foundation
import Mocking
import MockingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
import NetworkingInterceptors
@testable import NetworkingOAuth2

/// Requests, sign-ins, sign-outs and refreshes at the same time.
@Suite(.gated)
struct OAuth2UserChangeTests {
  private let fixture: OAuth2Fixture
  private let session: OAuth2Session

  init() throws {
    fixture = try OAuth2Fixture()
    session = fixture.session()
  }

  /// A store that excludes nobody, as the default of the protocol.
  private final class StoreWithoutLock: TokenStoring {
    let memory = MemoryTokenStore()

    func token(for key: TokenKey) -> OAuth2Token? { memory.token(for: key) }
    func setToken(_ token: OAuth2Token?, for key: TokenKey) { memory.setToken(token, for: key) }
  }

  @Test func aRequestDuringASignOutDoesNotBringTheTokenBack() async throws {
    _ = try await fixture.signIn(session)
    let client = fixture.client(session)
    let (end, request) = (session.signOut(), client.request(.get("orders")))
    await fixture.time.run()
    #expect(end.fulfilledValue != nil)
    #expect(session.currentToken() == nil)
    #expect(try session.store.token(for: TokenKey(for: session.client)) == nil)
    _ = await request.result
    let received = fixture.received
    let next = client.request(.get("orders"))
    await fixture.time.run()
    #expect(await next.result.failure(as: OAuth2Error.self)?.code == .signInRequired)
    #expect(fixture.received == received)
  }

  @Test func aRequestAfterASignOutDoesNotHaveTheTokenThatIsStillStored() async throws {
    let store = MemoryTokenStore()
    let session = fixture.session(store: store)
    _ = try await fixture.signIn(session)
    // The sign-out cannot remove the token while another process holds the lock.
    let lock = try #require(store.tryLock(TokenKey(for: session.client)))
    let end = session.signOut(revoking: false)
    let request = fixture.client(session).request(.get("orders"))
    await fixture.time.advance(by: .seconds(1))
    #expect(end.isPending && store.token(for: TokenKey(for: session.client)) != nil)
    #expect((request.currentError as? OAuth2Error)?.code == .signInRequired)
    #expect(fixture.received == 0)
    lock.release()
    await fixture.time.run()
    #expect(end.fulfilledValue != nil)
    #expect(store.token(for: TokenKey(for: session.client)) == nil)
  }

  @Test(arguments: [true, false])
  func aSignOutDuringARefreshIsNotUndone(hasLock: Bool) async throws {
    let store: any TokenStoring = hasLock ? MemoryTokenStore() : StoreWithoutLock()
    let session = OAuth2Session(
      fixture.login.client("app"), store: AnyStore(store), transport: fixture.login.transport,
      configuration: fixture.configuration)
    _ = try await fixture.signIn(session)
    fixture.login.fail(.delay(.seconds(5)))
    let refresh = session.refresh()
    await fixture.time.advance(by: .seconds(1))
    let end = session.signOut(revoking: false)
    await fixture.time.run()
    #expect(end.fulfilledValue != nil)
    _ = await refresh.result
    #expect(session.currentToken() == nil)
    #expect(try store.token(for: TokenKey(for: session.client)) == nil)
    let next = fixture.client(session).request(.get("orders"))
    await fixture.time.run()
    #expect(await next.result.failure(as: OAuth2Error.self)?.code == .signInRequired)
  }

  /// A store of any type.
  private struct AnyStore: TokenStoring {
    let store: any TokenStoring

    init(_ store: any TokenStoring) { self.store = store }

    func token(for key: TokenKey) throws -> OAuth2Token? { try store.token(for: key) }
    func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
      try store.setToken(token, for: key)
    }
    func tryLock(_ key: TokenKey) throws -> TokenLock? { try store.tryLock(key) }
  }

  /// A shop whose first response waits for a gate, and its client.
  private func slowShop(
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in },
    _ respond: @escaping @Sendable (ReceivedRequest) -> Mock
  ) -> (client: Networking<Request>, shop: MockTransport, release: () -> Void) {
    let gate = Promise<Void>.pending(on: .inline)
    let isFirst = Atomic(true)
    let shop = MockTransport(
      routes: [
        Route(nil, "/orders") { request -> Promise<Mock> in
          guard isFirst.exchange(false, ordering: .relaxed) else {
            return .fulfilled(respond(request))
          }
          return gate.promise.map(on: .inline) { respond(request) }
        }
      ], scheduler: fixture.time)
    var configuration = fixture.configuration
    configure(&configuration)
    let client = Networking<Request>(transport: shop, configuration: configuration)
    client.baseURL = .of("https://shop.example")
    client.authorize(with: session)
    client.callbackContext = .inline
    return (client, shop, { gate.resolver.fulfill(()) })
  }

  @Test func requestsOfDifferentSignInsShareNoResponse() async throws {
    let (client, shop, release) = slowShop({ $0.sharesRequests = true }) { request in
      .text(request.headers["Authorization"] ?? "")
    }
    _ = try await fixture.signIn(session)
    let early = [client.request(.get("orders")), client.request(.get("orders"))]
    await fixture.time.advance(by: .zero)
    _ = session.signOut(revoking: false)
    await fixture.time.advance(by: .zero)
    let second = try await fixture.signIn(session)
    let late = client.request(.get("orders"))
    await fixture.time.advance(by: .zero)
    release()
    await fixture.time.run()
    for promise in early {
      #expect(await promise.result.failure(as: NetworkError.self)?.code == .sessionEnded)
    }
    #expect(try await late.toString().value == "Bearer \(second.accessToken)")
    #expect(shop.journal.entries.count == 2)
  }

  @Test func aRequestOfOneUserIsNotSentAgainWithTheTokenOfAnother() async throws {
    let login = fixture.login
    let (client, shop, release) = slowShop { request in
      login.accepts(request) ? .text("done") : .status(401)
    }
    _ = try await fixture.signIn(session)
    let transfer = client.request(.post("orders", parameters: ["amount": 5]))
    await fixture.time.advance(by: .zero)
    _ = session.signOut()
    await fixture.time.advance(by: .zero)
    _ = try await fixture.signIn(session)
    release()
    await fixture.time.run()
    #expect(await transfer.result.failure(as: NetworkError.self)?.code == .sessionEnded)
    #expect(shop.journal.entries.count == 1)
    // A rejection of the current sign-in is still followed by a refresh.
    login.revokeAll()
    let next = client.request(.get("orders"))
    await fixture.time.run()
    #expect(try await next.value.status == 200)
  }

  /// Makes a request of a signed-in user that a barrier holds back until the resolver is fulfilled.
  private func heldRequest() async throws -> (
    client: Networking<Request>, request: NetworkPromise, release: Resolver<Void>
  ) {
    let client = fixture.client(session)
    let barrier = PipelineBarrier()
    client.interceptors = [barrier]
    _ = try await fixture.signIn(session)
    let hold = Promise<Void>.pending(on: .inline)
    barrier.hold(while: hold.promise)
    return (client, client.request(.get("orders")), hold.resolver)
  }

  @Test(arguments: [false, true])
  func aHeldRequestIsNotSentForTheNextSignIn(signsOut: Bool) async throws {
    let (client, held, release) = try await heldRequest()
    if signsOut { _ = session.signOut(revoking: false) }
    _ = try await fixture.signIn(session)
    release.fulfill(())
    await fixture.time.run()
    #expect(await held.result.failure(as: NetworkError.self)?.code == .sessionEnded)
    #expect(fixture.received == 0)
    let next = client.request(.get("orders"))
    await fixture.time.run()
    #expect(try await next.value.status == 200)
  }

  @Test func aHeldRequestIsSentAfterARefresh() async throws {
    let (_, held, release) = try await heldRequest()
    _ = try await fixture.time.run { [session] in try await session.refresh().value }
    release.fulfill(())
    await fixture.time.run()
    #expect(try await held.value.status == 200)
  }

  @Test func aSignInThatHasBegunBeforeASignOutIsRefused() async throws {
    let grant = OAuth2Grant.password(username: "ann", password: "ann-password")
    fixture.login.fail(.delay(.seconds(5)))
    let early = session.signIn(grant)
    await fixture.time.advance(by: .seconds(1))
    _ = session.signOut(revoking: false)
    await fixture.time.run()
    #expect(await early.result.failure(as: NetworkError.self)?.code == .sessionEnded)
    #expect(session.currentToken() == nil)
    #expect(try session.store.token(for: TokenKey(for: session.client)) == nil)
  }

  @Test func aSignInAfterASignOutKeepsItsToken() async throws {
    let grant = OAuth2Grant.password(username: "ann", password: "ann-password")
    _ = try await fixture.signIn(session)
    fixture.login.fail(.delay(.seconds(5)))
    let refresh = session.refresh()
    await fixture.time.advance(by: .seconds(1))
    // Both wait for the lock that the refresh holds.
    let end = session.signOut(revoking: false)
    let next = session.signIn(grant)
    await fixture.time.run()
    _ = await refresh.result
    #expect(end.fulfilledValue != nil)
    let token = try await next.value
    #expect(session.currentToken()?.accessToken == token.accessToken)
    let stored = try session.store.token(for: TokenKey(for: session.client))
    #expect(stored?.accessToken == token.accessToken)
  }

  @Test(arguments: [false, true])
  func aChangeOfTheStoreDuringARefreshIsKept(isSignIn: Bool) async throws {
    let store = StoreWithoutLock()
    let session = fixture.session(store: store)
    _ = try await fixture.signIn(session)
    var other: OAuth2Token?
    if isSignIn { other = try await fixture.signIn(fixture.session(store: MemoryTokenStore())) }
    let client = fixture.client(session)
    await fixture.time.advance(by: .seconds(3_700))
    fixture.login.fail(.delay(.seconds(5)))
    let early = client.request(.get("orders"))
    await fixture.time.advance(by: .seconds(1))
    let key = TokenKey(for: session.client)
    if isSignIn { other?.expires = fixture.configuration.wallClock().addingTimeInterval(3_600) }
    // Another process without a lock signs out, or another user in.
    store.setToken(other, for: key)
    await fixture.time.run()
    #expect(await early.result.failure(as: NetworkError.self)?.code == .sessionEnded)
    #expect(store.token(for: key)?.accessToken == other?.accessToken)
    #expect(session.currentToken()?.accessToken == other?.accessToken)
    #expect(fixture.received == 0)
  }

  @Test func aRejectionOfAnEarlierTokenOfTheSameSignInIsUnderstood() async throws {
    let login = fixture.login
    let (client, shop, release) = slowShop { request in
      login.accepts(request) ? .text("done") : .status(401)
    }
    _ = try await fixture.signIn(session)
    let early = client.request(.get("orders"))
    await fixture.time.advance(by: .zero)
    login.revokeAll()
    for _ in 0..<3 { _ = try await fixture.time.run { try await session.refresh().value } }
    release()
    await fixture.time.run()
    #expect(try await early.value.status == 200)
    #expect(shop.journal.entries.count == 2 && login.counts.refreshes == 3)
  }

  @Test func theTokenOfTheClientIsRenewedByTheSameGrant() async throws {
    let session = fixture.session("service")
    let grant = OAuth2Grant.clientCredentials(scope: ["admin"], parameters: ["resource": "x"])
    let token = try await fixture.time.run { try await session.signIn(grant).value }
    #expect(token.scope == ["admin"])
    let next = try await fixture.time.run { try await session.refresh(.client).value }
    #expect(next.scope == ["admin"] && next.accessToken != token.accessToken)
  }

  @Test func refreshRefreshesOnceIfTheTokenIsInTheStoreOnly() async throws {
    let store = MemoryTokenStore()
    _ = try await fixture.signIn(fixture.session(store: store))
    await fixture.time.advance(by: .seconds(4_000))
    let other = fixture.session(store: store)
    _ = try await fixture.time.run { try await other.refresh().value }
    #expect(fixture.login.counts.refreshes == 1)
    let service = fixture.session("service")
    _ = try await fixture.time.run { try await service.refresh(.client).value }
    #expect(fixture.login.counts.issued["client_credentials"] == 1)
  }

  @Test func aTokenWithoutARefreshTokenIsUsedUntilItExpires() async throws {
    let fixture = try OAuth2Fixture { $0.issuesRefreshTokens = false }
    let drift = Mutex(0.0)
    let session = fixture.session { configuration in
      let clock = configuration.wallClock
      configuration.wallClock = { clock() + drift.withLock { $0 } }
    }
    let token = try await fixture.signIn(session)
    #expect(token.refreshToken == nil)
    let client = fixture.client(session)
    func status() async throws -> Int? {
      let promise = client.request(.get("orders"))
      await fixture.time.run()
      promise.fail { _ in }
      return OAuth2Fixture.statuses([promise])[0]
    }
    // The clock was ahead at the sign-in, and is right now.
    drift.withLock { $0 = -600 }
    #expect(try await status() == 200)
    drift.withLock { $0 = 0 }
    await fixture.time.advance(by: .seconds(3_599))
    #expect(try await status() == 200)
    await fixture.time.advance(by: .seconds(1))
    #expect(try await status() == nil && session.currentToken() == nil)
  }

  @Test func aRequestWithoutASignInTouchesNoStore() async throws {
    let folder = TemporaryFolder(in: TemporaryFolder.memory)
    let store = try FileTokenStore(folder.url("tokens/file"))
    let changes = Counter()
    let listener = store.changes.listen { _ in changes.add() }
    let client = fixture.client(fixture.session(store: store))
    let promise = client.request(.get("orders"))
    await fixture.time.advance(by: .seconds(1))
    #expect(await promise.result.failure(as: OAuth2Error.self)?.code == .signInRequired)
    store.changes.remove(listener)
    #expect(changes.value == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.url("tokens").path))
  }

  @Test func theEventsEndWithTheSession() async throws {
    var session: OAuth2Session? = fixture.session()
    weak let released = session
    let events = try #require(session?.events)
    session = nil
    for await _ in events {}
    #expect(released == nil)
  }

  @Test func serversWithTheSameClientHaveDifferentTokens() throws {
    let urls = ["https://login.example.com/token", "https://staging.example.com:8443/token"]
    let keys = urls.map { url in
      TokenKey(for: OAuth2Client(id: "app", tokenURL: URL(string: url)), account: "a/b")
    }
    #expect(keys.map(\.server) == urls)
    #expect(Set(keys.map(\.stableHash)).count == 2)
    #expect(keys[0].description == "app/https%3A%2F%2Flogin.example.com%2Ftoken/user/a%2Fb")
  }

  @Test func aFailureOfTheLoginServerIsNotOneOfTheShop() async throws {
    _ = try await fixture.signIn(session)
    let client = fixture.client(session)
    client.interceptors.append(CircuitBreaker(threshold: 2), at: .origin)
    await fixture.time.advance(by: .seconds(4_000))
    for _ in 0..<3 {
      fixture.login.fail(.noResponse)
      let promise = client.request(.get("orders"))
      await fixture.time.run()
      let code = await promise.result.failure(as: NetworkError.self)?.code
      #expect(code != nil && code != .circuitOpen)
    }
    let promise = client.request(.get("orders"))
    await fixture.time.run()
    #expect(try await promise.value.status == 200)
  }
}
