import CatenaSystem
import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
import NetworkingInterceptors
@testable import NetworkingStreams
@testable import NetworkingTransfers

/// Requests, renewals and stored data of a user after the user has changed.
@Suite(.gated)
struct ClientSessionTests {
  /// The place at which a request is when the user changes.
  enum Place: CaseIterable, Sendable {
    case suspendedQueue, middleware, barrier, heldByRefresh, rejected, retryDelay, inFlight
  }

  enum Change: CaseIterable, Sendable {
    case signOut, otherUser, signOutAndOtherUser, renewal

    func apply(to client: Networking<Request>) {
      switch self {
      case .signOut: client.authenticate(authorizationHeader: nil)
      case .otherUser: client.authenticate(bearerToken: "B")
      case .signOutAndOtherUser:
        client.authenticate(authorizationHeader: nil)
        client.authenticate(bearerToken: "B")
      case .renewal:
        client.renewCredentials {
          client.authenticate(bearerToken: "A-2")
          return .fulfilled(())
        }
      }
    }
  }

  private let time = TestScheduler()
  private let jar = CookieJar()

  /// A server that takes a second, and has no success for the token `A-1` but at `/plain`.
  private func server() -> MockTransport {
    MockTransport(scheduler: time) {
      Route(nil, "/{path}") { request in
        let isFirst = request.headers["Authorization"] == "Bearer A-1"
        let status = isFirst ? ["rejected": 401, "busy": 503][request.path["path"]] ?? 200 : 200
        return Mock.status(status).header("Set-Cookie", "id=1").delayed(by: .seconds(1))
      }
    }
  }

  private func client(
    _ server: any Transport, _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.scheduler = time
    configuration.cookies = .jar(jar)
    configuration.idleTimeout = nil
    configuration.offline = .temporary
    change(&configuration)
    let client = Networking<Request>(transport: server, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = .of("https://shop.example/")
    client.authenticate(bearerToken: "A-1")
    return client
  }

  private func code(_ promise: Promise<Response>) async -> NetworkError.Code? {
    await promise.result.failure(as: NetworkError.self)?.code
  }

  /// Makes a request that is at a place after a second and a half.
  private func request(at place: Place, by client: Networking<Request>) async -> NetworkPromise {
    let (time, wait) = (time, Duration.seconds(2))
    let refresh = RefreshInterceptor(on: [401], holdsRequests: true) { _ in
      after(wait, scheduler: time, on: .inline)
    }
    var path = "plain"
    switch place {
    case .suspendedQueue: client.suspend()
    case .middleware: client.middleware = { _, _ in after(wait, scheduler: time, on: .inline) }
    case .barrier:
      let barrier = PipelineBarrier()
      client.interceptors = [barrier]
      barrier.hold(while: after(wait, scheduler: time, on: .inline))
    case .heldByRefresh:
      client.interceptors = [refresh]
      client.request(.put("rejected")).fail(on: .inline) { _ in }
      await time.advance(by: .milliseconds(1_200))
    case .rejected:
      client.interceptors = [refresh]
      path = "rejected"
    case .retryDelay: path = "busy"
    case .inFlight: await time.advance(by: .seconds(1))
    }
    let call = client.request(.put("\(raw: path)"))
    await time.advance(by: .milliseconds(1_500) - time.now)
    return call
  }

  @Test(arguments: Place.allCases, Change.allCases)
  func aRequestEndsWithTheSessionInWhichItWasMade(_ place: Place, _ change: Change) async throws {
    let server = server()
    let client = client(server) { $0.retry = .delayed(.seconds(2), limit: 2) }
    defer { withExtendedLifetime(client) {} }
    let call = await request(at: place, by: client)
    let count = server.journal.entries.count
    change.apply(to: client)
    client.resume()
    await time.run()
    if case .renewal = change {
      // A retry has the credentials that the client had when the request was made.
      #expect(try await call.value.status == (place == .retryDelay ? 503 : 200))
      return
    }
    #expect(await code(call) == .sessionEnded)
    #expect(server.journal.entries.count == count)
    if place == .inFlight { #expect(jar.cookies(for: .of("https://shop.example/")).isEmpty) }
    // The next user is not affected.
    client.middleware = nil
    let next = client.request(.put("plain"))
    await time.run()
    #expect(try await next.value.status == 200)
  }

  /// An app that keeps a renewal token, as in the guide "Refreshing tokens".
  private final class Shop: Sendable {
    let client: Networking<Request>
    let kept = Mutex<String?>("A")

    init(_ client: Networking<Request>) {
      self.client = client
      client.interceptors = [
        RefreshInterceptor(holdsRequests: true) { [unowned self] _ -> Promise<Void> in
          renew(kept.withLock { $0 } ?? "nobody")
        }
      ]
    }

    func renew(_ token: String) -> Promise<Void> {
      client.request(Request.post("token/\(token)", .notIntercepted)).toString()
        .map(on: .inline) { [unowned self] token in
          guard client.authenticate(bearerToken: token) else { return }
          kept.withLock { $0 = token }
        }
    }

    func signOut() {
      kept.withLock { $0 = nil }
      client.authenticate(authorizationHeader: nil)
    }
  }

  @Test func aRefreshOfAnEndedSessionSignsNobodyIn() async throws {
    let server = MockTransport(scheduler: time) {
      Route(.post, "/token/{user}") { request in
        .text("\(request.path["user"])-2").delayed(by: .seconds(2))
      }
      Route(nil, "/notes") { request in
        let field = request.headers["Authorization"] ?? ""
        return .text(field, status: field.hasSuffix("-2") ? 200 : 401)
      }
    }
    let shop = Shop(client(server))
    let early = shop.client.request(.put("notes"))
    await time.advance(by: .seconds(1))
    shop.signOut()
    #expect(shop.kept.withLock { $0 } == nil)
    shop.kept.withLock { $0 = "B" }
    shop.client.authenticate(bearerToken: "B-1")
    // It does not wait for the refresh of the user before, and is not refreshed by it.
    let late = shop.client.request(.put("notes")).toString()
    await time.advance(by: .milliseconds(1_500))
    #expect(await code(early) == .sessionEnded)
    #expect(shop.kept.withLock { $0 } == "B")
    await time.run()
    #expect(try await late.value == "Bearer B-2")
    #expect(shop.kept.withLock { $0 } == "B-2")
    let sent = server.journal.entries.map { $0.request.headers["Authorization"] }
    #expect(
      sent == ["Bearer A-1", "Bearer A-1", "Bearer B-1", "Bearer B-1", "Bearer B-2"])
  }

  @Test func codeThatARenewalHasStartedDoesNotRenewAfterIt() async throws {
    let client = client(server())
    let login = Promise<Void>.pending(on: .inline)
    client.renewCredentials { () -> Promise<Void> in
      login.promise.done(on: .inline) { client.authenticate(bearerToken: "B") }
      return .fulfilled(())
    }
    let call = client.request(.put("plain"))
    await time.advance(by: .milliseconds(500))
    login.resolver.fulfill()
    await time.run()
    #expect(await code(call) == .sessionEnded)
  }

  @Test func anOperatorDoesNotRepeatARequestForTheNextUser() async throws {
    let server = server()
    let client = client(server)
    let attempts = Counter()
    let call = retry(.immediate(limit: 3), scheduler: time, on: .inline) { _ in
      attempts.add()
      return client.request(.put("plain"))
    }
    await time.advance(by: .milliseconds(500))
    Change.signOutAndOtherUser.apply(to: client)
    await time.run()
    #expect(await code(call) == .sessionEnded && attempts.value == 1)
    #expect(server.journal.entries.count == 1)
  }

  @Test func aFailureAfterTheEndIsNotStoredForTheNextUser() async throws {
    let server = MockTransport(scheduler: time) {
      Route(nil, "/notes", Mock.failure(.notConnectedToInternet).delayed(by: .seconds(1)))
    }
    let client = client(server)
    let early = client.request(Request.put("notes", .storedOffline))
    await time.advance(by: .milliseconds(500))
    Change.otherUser.apply(to: client)
    let late = client.request(Request.put("notes", .storedOffline))
    await time.run()
    #expect(await code(early) == .sessionEnded)
    #expect(await late.result.failure(as: NetworkError.self)?.isStoredOffline == true)
    #expect(try client.offlineStore.count == 1)
  }

  @Test(arguments: [Change.signOut, .otherUser, .signOutAndOtherUser])
  func aReplayEndsWithItsSession(_ change: Change) async throws {
    let isOnline = Atomic(false)
    let server = MockTransport(scheduler: time) {
      Route(nil, "/notes/{id}") { _ in
        isOnline.load(ordering: .relaxed)
          ? Mock.status(201).delayed(by: .seconds(1)) : .failure(.notConnectedToInternet)
      }
    }
    let client = client(server)
    for id in 0..<3 {
      let call = client.request(Request.put("notes/\(id)", .storedOffline))
      await time.run()
      #expect(await code(call) == .notConnectedToInternet)
    }
    isOnline.store(true, ordering: .relaxed)
    let replay = client.replay()
    await time.advance(by: .milliseconds(1_500))
    change.apply(to: client)
    let next = client.replay()
    await time.run()
    let (report, later) = try await when(replay, next).value
    // The response that was on its way counts, so that the request is not sent twice.
    #expect(report.delivered.count == 2 && report.kept.count == 1)
    #expect((report.kept.first?.error as? NetworkError)?.code == .sessionEnded)
    #expect(later.delivered.isEmpty && later.kept.count == 1)
    let replayed = server.journal.entries.dropFirst(3).map { $0.request.headers["Authorization"] }
    #expect(replayed == ["Bearer A-1", "Bearer A-1"])
  }

  @Test(arguments: [Change.otherUser, .renewal])
  func eventsArriveInTheSessionOfTheFirstConnectionOnly(_ change: Change) async throws {
    let body = "data: a\n\n"
    let transport = FakeTransport { _ in
      .response(200, ["Content-Type": "text/event-stream"], body)
    }
    let client = client(transport)
    let result = await time.result {
      var count = 0
      for try await _ in client.events(of: .get("events")) {
        count += 1
        if count == 2 { break }
        change.apply(to: client)
      }
    }
    let isRenewal = if case .renewal = change { true } else { false }
    #expect((result.failure(as: NetworkError.self)?.code == .sessionEnded) == !isRenewal)
    #expect(transport.requests.count == (isRenewal ? 2 : 1))
  }

  @Test(arguments: [Change.signOut, .otherUser, .renewal])
  func linesAreThoseOfOneUser(_ change: Change) async throws {
    let transport = FakeTransport { _ in .response(200, [:], "a\nb\n") }
    let client = client(transport)
    let lines = Mutex<[String]>([])
    let result = await time.result {
      for try await line in client.lines(of: .get("log")) {
        lines.withLock { $0.append(line) }
        change.apply(to: client)
      }
    }
    let isRenewal = if case .renewal = change { true } else { false }
    #expect((result.failure(as: NetworkError.self)?.code == .sessionEnded) == !isRenewal)
    #expect(lines.withLock { $0 } == (isRenewal ? ["a", "b"] : ["a"]))
  }

  @Test func pagesAreThoseOfOneUser() async throws {
    let transport = FakeTransport { _ in .response(200, ["Link": "<?page=2>; rel=next"], "1") }
    let client = client(transport)
    var codes: [NetworkError.Code?] = []
    var count = 0
    do {
      for try await _ in client.pages(of: .get("items"), next: .link) {
        count += 1
        Change.signOutAndOtherUser.apply(to: client)
      }
    } catch { codes.append((error as? NetworkError)?.code) }
    #expect(count == 1 && codes == [.sessionEnded] && transport.requests.count == 1)
  }

  @Test func aTransferIsNotContinuedByTheNextUser() async throws {
    let folder = TemporaryFolder()
    let server = MockTransport(scheduler: time) {
      Route(.get, "/film") { _ in
        .data(.pattern(10_000)).header("ETag", "\"one\"")
          .interrupted(by: .reset, at: .body(afterBytes: 5_000))
      }
    }
    let client = client(server) { $0.retry = .delayed(.seconds(9), limit: 2) }
    let transfer = client.transfer(.get("film"), to: folder.url("film"))
    await time.advance(by: .seconds(4))
    let count = server.journal.entries.count
    Change.signOutAndOtherUser.apply(to: client)
    await time.run()
    let result = await Promise { try await transfer.value }.result
    #expect(result.failure(as: NetworkError.self)?.code == .sessionEnded)
    #expect(count == 1 && server.journal.entries.count == 1)
  }

  /// The number of stories.
  private static let stories = TestSize.of(150, full: 100_000)

  @Test func noRequestOfOneUserHasTheCredentialsOfAnother() async {
    var (faults, sent, ended) = ([String](), 0, 0)
    for seed in 0..<UInt64(Self.stories) where faults.isEmpty {
      let story = await SessionStory(seed: seed, usesStore: seed % 50 == 0).run()
      faults += story.faults.map { "story \(seed): \($0)" }
      sent += story.sent
      ended += story.ended
    }
    #expect(faults == [])
    #expect(sent > Self.stories && ended > Self.stories / 2)
  }
}

extension TestScheduler {
  /// Runs an operation like `run`, and returns its result.
  fileprivate func result<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    do { return .success(try await run(operation)) } catch { return .failure(error) }
  }
}
