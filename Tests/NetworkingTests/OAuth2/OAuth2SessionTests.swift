import CatenaSystem
import Foundation
import Mocking
import MockingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// A session that applies, refreshes and drops its tokens.
@Suite(.gated)
struct OAuth2SessionTests {
  private let fixture: OAuth2Fixture
  private let session: OAuth2Session

  init() throws {
    fixture = try OAuth2Fixture()
    session = fixture.session()
  }

  private func request(_ client: Networking<Request>, _ count: Int = 1) -> [NetworkPromise] {
    (0..<count).map { _ in client.request(.get("orders")) }
  }

  private var hour: Duration { .seconds(3_600) }

  @Test func aValidTokenIsSent() async throws {
    let token = try await fixture.signIn(session)
    let client = fixture.client(session)
    let promises = request(client, 3)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(promises) == [200, 200, 200])
    #expect(
      fixture.shop.journal.entries.allSatisfy {
        $0.request.headers["Authorization"] == "Bearer \(token.accessToken)"
      })
    #expect(fixture.login.counts.refreshes == 0)
  }

  @Test func fiveHundredCallersRefreshOnce() async throws {
    _ = try await fixture.signIn(session)
    let clients = (0..<3).map { _ in fixture.client(session) }
    await fixture.time.advance(by: hour)
    fixture.login.fail(.delay(.milliseconds(300)))
    let promises = (0..<500).map { clients[$0 % 3].request(.get("orders")) }
    await fixture.time.advance(by: .milliseconds(299))
    #expect(fixture.received == 0)
    let late = request(clients[0], 10)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(promises + late) == Array(repeating: 200, count: 510))
    #expect(fixture.login.counts.refreshes == 1 && fixture.login.counts.reused == 0)
    #expect(fixture.received == 510)
  }

  @Test func fiveHundredRejectedCallersRefreshOnce() async throws {
    _ = try await fixture.signIn(session)
    let client = fixture.client(session)
    fixture.login.revokeAll()
    fixture.login.fail(.delay(.milliseconds(300)))
    let promises = request(client, 500)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(promises) == Array(repeating: 200, count: 500))
    #expect(fixture.login.counts.refreshes == 1 && fixture.received <= 1_000)
  }

  @Test func threeSessionsWithOneStoreRefreshOnce() async throws {
    let store = MemoryTokenStore()
    let sessions = (0..<3).map { _ in fixture.session(store: store) }
    _ = try await fixture.signIn(sessions[0])
    await fixture.time.advance(by: hour)
    fixture.login.fail(.delay(.milliseconds(300)))
    let clients = sessions.map { fixture.client($0) }
    let promises = (0..<30).map { clients[$0 % 3].request(.get("orders")) }
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(promises) == Array(repeating: 200, count: 30))
    #expect(fixture.login.counts.refreshes == 1 && fixture.login.counts.reused == 0)
  }

  @Test func aTokenIsRefreshedBeforeItExpires() async throws {
    _ = try await fixture.signIn(session)
    let client = fixture.client(session)
    await fixture.time.advance(by: .seconds(3_539))
    _ = request(client)
    await fixture.time.advance(by: .milliseconds(500))
    #expect(fixture.login.counts.refreshes == 0)
    await fixture.time.advance(by: .milliseconds(600))
    let promises = request(client)
    await fixture.time.run()
    #expect(fixture.login.counts.refreshes == 1 && OAuth2Fixture.statuses(promises) == [200])
    #expect(fixture.received == 2)
  }

  @Test func aLateRejectionOfTheOldTokenDoesNotRefreshAgain() async throws {
    _ = try await fixture.signIn(session)
    let old = try #require(session.currentToken()).accessToken
    let fresh = session.refresh()
    await fixture.time.run()
    let current = fresh.fulfilledValue?.accessToken
    #expect(current != nil && current != old)
    let late = session.source(.user).token(replacing: old)
    await fixture.time.run()
    #expect(late.fulfilledValue?.accessToken == current)
    #expect(fixture.login.counts.refreshes == 1)
  }

  @Test func aSecondRejectionIsDelivered() async throws {
    _ = try await fixture.signIn(session)
    let client = fixture.client(session)
    client.authorize(with: session, refreshingOn: .matching { $0.status == 200 })
    let promises = request(client)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(promises) == [200])
    #expect(fixture.received == 2 && fixture.login.counts.refreshes == 1)
  }

  @Test func aRefusedRefreshEndsTheSessionWithOneError() async throws {
    let token = try await fixture.signIn(session)
    let client = fixture.client(session)
    let signedOut = session.signedOut
    fixture.login.revokeAll(includingRefreshTokens: true)
    fixture.login.fail(.delay(.milliseconds(300)))
    let promises = request(client, 20)
    await fixture.time.run()
    let errors = promises.compactMap { $0.currentError as? OAuth2Error }
    #expect(errors.count == 20 && errors.allSatisfy(\.isInvalidGrant))
    #expect(signedOut.fulfilledValue != nil)
    #expect(session.currentToken() == nil && fixture.login.counts.refused == 1)
    #expect(try session.store.token(for: TokenKey(for: session.client)) == nil)
    let later = request(client)
    await fixture.time.run()
    #expect((later[0].currentError as? OAuth2Error)?.code == .signInRequired)
    // A response that rejects the old token may arrive after the end.
    let late = session.source(.user).token(replacing: token.accessToken)
    await fixture.time.run()
    #expect((late.currentError as? OAuth2Error)?.isInvalidGrant == true)
    #expect(fixture.login.counts.refused == 1)
    // The user signs in again, and a new promise waits for the next end.
    _ = try await fixture.signIn(session)
    #expect(session.signedOut.isPending)
    let again = request(client)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(again) == [200])
  }

  @Test(arguments: [
    (AuthorizationServerFault.noResponse, 1), (.status(503), 1), (.error("server_error"), 1),
    // Later than the last request, so that all of them wait for it.
    (.response(Mock.status(503).delayed(by: .milliseconds(300))), 20),
  ])
  func aFailedRefreshKeepsTheToken(fault: AuthorizationServerFault, count: Int) async throws {
    let token = try await fixture.signIn(session)
    let client = fixture.client(session)
    let signedOut = session.signedOut
    await fixture.time.advance(by: hour)
    // A lost connection is not repeated, and the other faults three times.
    let isLost = if case .noResponse = fault { true } else { false }
    for _ in 1...(isLost ? 1 : 4) { fixture.login.fail(fault) }
    let promises = request(client, count)
    await fixture.time.run()
    #expect(promises.allSatisfy { $0.currentError != nil })
    #expect(fixture.received == 0 && signedOut.isPending)
    #expect(try session.store.token(for: TokenKey(for: session.client)) == token)
    let later = request(client)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(later) == [200])
    signedOut.cancel()
  }

  @Test func cancellingAllCallersDoesNotCancelTheRefresh() async throws {
    _ = try await fixture.signIn(session)
    let client = fixture.client(session)
    await fixture.time.advance(by: hour)
    fixture.login.fail(.delay(.milliseconds(300)))
    let promises = request(client, 5)
    await fixture.time.advance(by: .milliseconds(100))
    for promise in promises { promise.cancel() }
    await fixture.time.run()
    #expect(fixture.received == 0 && fixture.login.counts.refreshes == 1)
    let later = request(client)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(later) == [200] && fixture.login.counts.reused == 0)
  }

  @Test func requestsWithoutATokenAreNotSent() async throws {
    let promises = request(fixture.client(session))
    await fixture.time.run()
    #expect((promises[0].currentError as? OAuth2Error)?.code == .signInRequired)
    #expect(fixture.received == 0)
  }

  @Test func requestsOptOut() async throws {
    let client = fixture.client(session)
    let own = client.request(.get("public", headers: ["Authorization": "Own x"]))
    let without = client.request(Request.get("public", .withoutCredentials))
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses([own, without]) == [200, 200])
    let values = fixture.shop.journal.entries.map { $0.request.headers["Authorization"] }
    #expect(Set(values) == ["Own x", nil])
  }

  @Test func otherOriginsHaveNoTokenUnlessTheyAreNamed() async throws {
    _ = try await fixture.signIn(session)
    let client = fixture.client(session)
    let moved = client.request(.get("moved"))
    let other = client.request(.get("https://third.example/orders"))
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses([moved, other]) == [401, 401])
    #expect(fixture.login.counts.refreshes == 0)
    client.authorize(with: session, alsoFor: [.of("https://third.example/any/path")])
    let named = client.request(.get("https://third.example/orders"))
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses([named]) == [200])
  }

  @Test func aBodyThatCannotBeRepeatedIsNotSentAgain() async throws {
    _ = try await fixture.signIn(session)
    let client = fixture.client(session)
    fixture.login.revokeAll()
    let bytes = AsyncStream<Data> { continuation in
      continuation.yield(Data("x".utf8))
      continuation.finish()
    }
    let promise = client.request(.upload(stream: BodyStream(once: bytes), to: "upload"))
    await fixture.time.run()
    #expect(promise.fulfilledValue?.status == 401)
    // The next request has a new token at once.
    let next = request(client)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(next) == [200])
    #expect(fixture.received == 2 && fixture.login.counts.refreshes == 1)
  }

  @Test func aTokenOfTheClientIsRequestedByItself() async throws {
    let session = fixture.session("service")
    let client = fixture.client(session, .client)
    let promises = request(client, 10)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(promises) == Array(repeating: 200, count: 10))
    #expect(fixture.login.counts.issued == ["client_credentials": 1])
    await fixture.time.advance(by: hour)
    let later = request(client)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(later) == [200])
    #expect(fixture.login.counts.issued == ["client_credentials": 2])
  }

  @Test func basicSendsTheClient() async throws {
    let session = fixture.session("service")
    let client = fixture.client(session, .client, .basic)
    let promise = client.request(.get("public"))
    await fixture.time.run()
    #expect(promise.fulfilledValue?.status == 200)
    let value = fixture.shop.journal.entries.first?.request.headers["Authorization"]
    #expect(value == "Basic \(Data("service:service-secret".utf8).base64EncodedString())")
    #expect(fixture.login.counts.issued.isEmpty)
  }

  @Test func signingOutRemovesAndRevokes() async throws {
    let token = try await fixture.signIn(session)
    let signedOut = session.signedOut
    let done = session.signOut()
    await fixture.time.run()
    #expect(done.fulfilledValue != nil && signedOut.fulfilledValue != nil)
    #expect(session.currentToken() == nil)
    #expect(try session.store.token(for: TokenKey(for: session.client)) == nil)
    #expect(!fixture.login.accepts(accessToken: token.accessToken))
    #expect(fixture.login.counts.revoked == 1)
  }

  fileprivate enum SignOut: CaseIterable {
    case app, appWithoutStore, server, otherSession
  }

  @Test(arguments: SignOut.allCases)
  fileprivate func signedOutStaysFulfilledUntilTheNextSignIn(by way: SignOut) async throws {
    let store = FailingStore()
    let session = fixture.session(store: store)
    #expect(session.signedOut.isPending)
    _ = try await fixture.signIn(session)
    let (early, events) = (session.signedOut, session.events)
    switch way {
    case .app: session.signOut()
    case .appWithoutStore:
      store.isFailing.store(true, ordering: .relaxed)
      session.signOut().fail { _ in }
    case .server:
      fixture.login.revokeAll(includingRefreshTokens: true)
      session.refresh().fail { _ in }
    case .otherSession:
      let other = fixture.session(store: store)
      _ = try await fixture.time.run { try await other.token().value }
      other.signOut()
      await fixture.time.run()
      try await session.source(.user).reload()
    }
    await fixture.time.run()
    store.isFailing.store(false, ordering: .relaxed)
    #expect(early.fulfilledValue != nil)
    for _ in 1...2 { #expect(session.signedOut.fulfilledValue != nil) }
    _ = try await fixture.signIn(session)
    let next = session.signedOut
    #expect(next.isPending)
    session.signOut()
    await fixture.time.run()
    #expect(next.fulfilledValue != nil)
    withExtendedLifetime(events) {}
  }

  /// The first sign-out has not removed the token from the store when the user signs in again.
  @Test func aLateSignOutDoesNotEndTheNextSignIn() async throws {
    _ = try await fixture.signIn(session)
    let (source, early) = (session.source(.user), session.signedOut)
    let begun = source.beginSignOut()
    #expect(session.signedOut.fulfilledValue != nil)
    _ = try await fixture.signIn(session)
    let next = session.signedOut
    _ = try await fixture.time.run { try await source.finish(begun) }
    #expect(early.fulfilledValue != nil && next.isPending)
    next.cancel()
  }

  @Test func signingOutDuringARefreshRemovesItsToken() async throws {
    _ = try await fixture.signIn(session)
    await fixture.time.advance(by: hour)
    fixture.login.fail(.delay(.milliseconds(300)))
    let waiting = request(fixture.client(session))
    await fixture.time.advance(by: .milliseconds(100))
    session.signOut()
    await fixture.time.run()
    #expect((waiting[0].currentError as? OAuth2Error)?.code == .signInRequired)
    #expect(session.currentToken() == nil)
    #expect(try session.store.token(for: TokenKey(for: session.client)) == nil)
  }

  @Test func aTokenWithoutARefreshTokenEndsTheSession() async throws {
    let fixture = try OAuth2Fixture { $0.issuesRefreshTokens = false }
    let session = fixture.session()
    _ = try await fixture.signIn(session)
    let signedOut = session.signedOut
    await fixture.time.advance(by: hour)
    let promises = request(fixture.client(session))
    await fixture.time.run()
    #expect((promises[0].currentError as? OAuth2Error)?.code == .signInRequired)
    #expect(signedOut.fulfilledValue != nil)
  }

  @Test func anotherSessionFindsTheTokenInTheStore() async throws {
    let store = MemoryTokenStore()
    _ = try await fixture.signIn(fixture.session(store: store))
    let other = fixture.session(store: store)
    #expect(other.currentToken() == nil)
    let promises = request(fixture.client(other))
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(promises) == [200] && fixture.login.counts.refreshes == 0)
  }

  fileprivate enum RefreshEnd: String, CaseIterable {
    case refreshed, refreshFailed, signedOut
  }

  @Test(arguments: RefreshEnd.allCases)
  fileprivate func theEventsHaveTheBeginningAndTheEndOfARefresh(_ end: RefreshEnd) async throws {
    var session: OAuth2Session? = fixture.session()
    let events = try #require(session?.events)
    _ = try await fixture.signIn(try #require(session))
    await fixture.time.advance(by: hour)
    switch end {
    case .refreshed: fixture.login.fail(.delay(.milliseconds(300)))
    case .refreshFailed: fixture.login.fail(.error("invalid_scope"))
    case .signedOut: fixture.login.revokeAll(includingRefreshTokens: true)
    }
    var tokens = try (0..<3).map { _ in try #require(session).token() }
    await fixture.time.run()
    #expect(tokens.allSatisfy { !$0.isPending })
    for token in tokens { _ = await token.result }
    (tokens, session) = ([], nil)
    var names: [Substring] = []
    for await event in events { names += "\(event)".split(separator: "(").prefix(1) }
    #expect(names == ["signedIn", "refreshing", Substring(end.rawValue)])
  }

  @Test func aTokenOfTheClientHasTheEventsOfARefresh() async throws {
    var session: OAuth2Session? = fixture.session("service")
    let events = try #require(session?.events)
    _ = try await fixture.time.run { [session] in try await session?.token(.client).value }
    session = nil
    var levels: [TokenLevel] = []
    for await event in events {
      switch event {
      case .refreshing(let level), .refreshed(let level): levels.append(level)
      default: Issue.record("\(event)")
      }
    }
    #expect(levels == [.client, .client])
  }

  @Test func aTokenThatCannotBeStoredIsUsedFromMemory() async throws {
    let store = FailingStore()
    let session = fixture.session(store: store)
    _ = try await fixture.signIn(session)
    var events = session.events.makeAsyncIterator()
    store.isFailing.store(true, ordering: .relaxed)
    let client = fixture.client(session)
    for _ in 0..<3 {
      await fixture.time.advance(by: hour)
      let promises = request(client)
      await fixture.time.run()
      #expect(OAuth2Fixture.statuses(promises) == [200])
    }
    guard case .refreshing = await events.next(), case .storeFailed = await events.next() else {
      Issue.record("there is no event")
      return
    }
    store.isFailing.store(false, ordering: .relaxed)
    await fixture.time.advance(by: hour)
    let promises = request(client)
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses(promises) == [200])
    #expect(fixture.login.counts.reused == 0 && fixture.login.counts.refreshes == 4)
    #expect(store.memory.token(for: TokenKey(for: session.client)) == session.currentToken())
  }

  @Test func theStateOfATokenIsRead() async throws {
    _ = try await fixture.signIn(session)
    let state = session.introspect()
    let other = session.introspect("unknown")
    await fixture.time.run()
    #expect(state.fulfilledValue?.isActive == true)
    #expect(state.fulfilledValue?.username == "ann")
    #expect(other.fulfilledValue?.isActive == false)
  }
}

/// A store in memory whose writes can fail.
private final class FailingStore: TokenStoring {
  let memory = MemoryTokenStore()
  let isFailing = Atomic(false)

  func token(for key: TokenKey) throws -> OAuth2Token? { memory.token(for: key) }

  func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
    if isFailing.load(ordering: .relaxed) { throw OAuth2Error(.storeFailed, "the disk is full") }
    memory.setToken(token, for: key)
  }

  func tryLock(_ key: TokenKey) throws -> TokenLock? { memory.tryLock(key) }
}
