import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2
@testable import NetworkingStreams
@testable import NetworkingTransfers

/// Temporary failures of all kinds of work, in virtual time: one rule for the repetitions, their delays
/// and the code at the end.
@Suite(.gated)
struct TemporaryFailureTests {
  /// A server that always fails in the same way.
  enum Failure: String, CaseIterable, Sendable {
    case s500, s502, s503, seconds, fraction, date, hour, s429, s408
    case refused, lost, idle, stalledBody, s404

    /// The start of virtual time.
    static let start = Date(timeIntervalSince1970: 784_111_777)

    var events: [TransportEvent] {
      switch self {
      case .s500: .response(500)
      case .s502: .response(502)
      case .s503: .response(503)
      case .seconds: .response(503, ["Retry-After": "12"])
      case .fraction: .response(503, ["Retry-After": "1.5"])
      // 30 seconds after the start.
      case .date: .response(503, ["Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT"])
      case .hour: .response(503, ["Retry-After": "3600"])
      case .s429: .response(429, ["Retry-After": "3"])
      case .s408: .response(408)
      case .refused: [.failure(TransportFailure(code: .cannotConnect))]
      case .lost: [.failure(TransportFailure(code: .connectionLost))]
      case .idle: [.failure(TransportFailure(code: .timedOut(.idle)))]
      case .stalledBody:
        [
          .head(HTTPResponseHead(status: 503, headers: ["Content-Length": "9"])),
          .body(Data("busy".utf8)),
        ]
      case .s404: .response(404)
      }
    }
  }

  /// A kind of work, which a policy with delays of 1 and 2 seconds repeats twice.
  enum Work: String, CaseIterable, Sendable {
    case request, token, device, download, upload, events
  }

  /// The times of the requests that fail, in seconds, and the code at the end.
  private static let table: [(failure: Failure, cells: [Work: String])] = [
    (.s500, same("0 1 3", 500, device: "5 15 35", events: "1 3")),
    (
      .s502,
      // The server behind the gateway may have used up the refresh token.
      same("0 1 3", 502, device: "5 15 35", events: "1 3")
        .merging([.token: "0 temporarilyUnavailable"]) { $1 }
    ),
    (.s503, same("0 1 3", 503, device: "5 15 35", events: "1 3")),
    (.seconds, same("0 12 24", 503, device: "5 17 37", events: "1 13")),
    (.fraction, same("0 1.5 3.5", 503, device: "5 15 35", events: "1 3")),
    (.date, same("0 30 32", 503, device: "5 30 50", events: "1 30")),
    // Nobody waits for an hour.
    (.hour, same("0", 503, device: "5", events: "1")),
    (.s429, same("0 3 6", 429, device: "5 15 35", events: "1 4")),
    (.s408, same("0 1 3", 408, device: "5 15 35", events: "1 3")),
    (.refused, same("0 1 3", "cannotConnect", device: "5 15 35", events: "1 3")),
    (
      .lost,
      // The server may have used up the refresh token.
      same("0 1 3", "connectionLost", device: "5 15 35", events: "1 3")
        .merging([.token: "0 connectionLost"]) { $1 }
    ),
    (
      .idle,
      same("0 1 3", "timedOut(.idle)", device: "5 15 35", events: "1 3")
        .merging([.token: "0 timedOut(.idle)"]) { $1 }
    ),
    (
      .stalledBody,
      // The body of the last attempt belongs to the caller, who waits for it.
      same("0 1.25 3.5", 503, device: "5 15.25 35.5", events: "1 3.25")
        .merging(
          [.request, .download, .upload].map { ($0, "0 1.25 3.5 timedOut(.attempt)") }
        ) { $1 }
    ),
    (
      .s404,
      [
        .request: "0 404", .token: "0 malformedResponse", .device: "5 malformedResponse",
        .download: "0 404", .upload: "0 0 0 404", .events: "1 unacceptableStatus(404)",
      ]
    ),
  ]

  /// The cells of a status, which ends token requests with a code that an app can act on.
  private static func same(
    _ times: String, _ status: Int, device: String, events: String
  ) -> [Work: String] {
    [
      .request: "\(times) \(status)", .token: "\(times) temporarilyUnavailable",
      .device: "\(device) temporarilyUnavailable", .download: "\(times) \(status)",
      .upload: "\(times) \(status)", .events: "\(events) unacceptableStatus(\(status))",
    ]
  }

  private static func same(
    _ times: String, _ code: String, device: String, events: String
  ) -> [Work: String] {
    [
      .request: "\(times) \(code)", .token: "\(times) \(code)", .device: "\(device) \(code)",
      .download: "\(times) \(code)", .upload: "\(times) \(code)", .events: "\(events) \(code)",
    ]
  }

  @Test(arguments: Work.allCases)
  func eachKindOfWorkRepeatsTheSameFailuresAfterTheSameDelays(_ work: Work) async throws {
    #expect(Set(Self.table.map(\.failure)) == Set(Failure.allCases))
    for (failure, cells) in Self.table {
      let cell = try await FailingWork(failure).cell(of: work)
      #expect(cell == cells[work], "\(failure)")
    }
  }

  @Test func thePolicyAndTheCodeHaveTheSameStatuses() {
    let statuses = (100...599).filter { NetworkError.Code.unacceptableStatus($0).isTemporary }
    #expect(statuses == [408, 429, 500, 502, 503, 504])
    #expect(RetryPolicy.immediate(limit: 1).statuses == Set(statuses))
  }

  @Test func fiftyRequestsWaitForARefreshThatSucceedsLater() async throws {
    let work = FailingWork(.s503, times: 2)
    let session = work.session()
    let tokens = (0..<50).map { _ in session.token() }
    await work.time.run()
    #expect(tokens.allSatisfy { $0.fulfilledValue?.accessToken == "new" })
    #expect(work.seconds == "0 1 3")
  }

  @Test func theStoredTokenOutlastsAServerThatIsDown() async throws {
    let work = FailingWork(.seconds)
    let session = work.session()
    let token = session.token()
    await work.time.run()
    let error = token.currentError as? OAuth2Error
    #expect(error?.code == .temporarilyUnavailable && error?.status == 503)
    #expect(error?.retryAfter == .seconds(12))
    #expect(try session.store.token(for: TokenKey(for: session.client))?.refreshToken == "once")
  }

  @Test func noRefreshIsRepeatedAfterASignOut() async throws {
    let work = FailingWork(.s503)
    let session = work.session()
    let token = session.token()
    await work.time.advance(by: .milliseconds(500))
    let signedOut = session.signOut(revoking: false)
    await work.time.run()
    #expect(signedOut.fulfilledValue != nil && token.currentError != nil)
    #expect(work.seconds == "0")
  }

  @Test func aSignOutDoesNotWaitForARepetition() async throws {
    let work = FailingWork(.seconds)
    let session = work.session()
    let token = session.token()
    await work.time.advance(by: .milliseconds(500))
    let signedOut = session.signOut(revoking: false)
    await work.time.advance(by: .seconds(3))
    #expect(signedOut.fulfilledValue != nil && token.currentError != nil)
    #expect(try session.store.token(for: TokenKey(for: session.client)) == nil)
  }

  @Test(arguments: [
    (503, #"{"error":"Service Unavailable"}"#, OAuth2Error.Code.temporarilyUnavailable),
    (400, #"{"error":"temporarily_unavailable"}"#, .temporarilyUnavailable),
    (400, #"{"error":"server_error"}"#, .temporarilyUnavailable),
    (429, #"{"error":"slow_down"}"#, .server("slow_down")),
    (500, #"{"error":"invalid_grant"}"#, .server("invalid_grant")),
    (501, "", .malformedResponse),
  ])
  func aDecisionOfTheServerIsNotTemporary(
    _ status: Int, _ body: String, _ code: OAuth2Error.Code
  ) async throws {
    let work = FailingWork(events: .response(status, [:], body))
    let token = OAuth2Grant.refreshToken("once").token(
      for: work.oauth2, transport: work.transport, configuration: work.configuration)
    await work.time.run()
    #expect((token.currentError as? OAuth2Error)?.code == code)
    #expect(work.seconds == (code == .temporarilyUnavailable ? "0 1 3" : "0"))
  }

  @Test func bytesThatTheServerDoesNotHaveAreNoProgressOfAnUpload() async throws {
    let sent = Log<String>()
    // Each connection is lost one byte later, and the ninth one is not.
    let work = FailingWork { request in
      guard request.method == .patch else { return nil }
      sent.append("PATCH")
      let count = Int64(sent.entries.count)
      return count == 9
        ? .response(204, ["Upload-Offset": "10"])
        : [.sent(bytes: count, total: 10), .failure(TransportFailure(code: .connectionLost))]
    }
    let transfer = try work.upload()
    await work.time.run()
    let error = await transfer.response.result.failure(as: NetworkError.self)
    #expect(error?.code == .connectionLost && error?.history.count == 3)
    #expect(sent.entries.count == 3 && transfer.currentProgress.bytes == 0)
  }

  @Test(arguments: [
    (Failure.s503, false, 3), (.refused, false, 3), (.lost, false, 1), (.lost, true, 3),
  ])
  func theCreationOfAnUploadIsRepeatedIfTheServerHasNotMadeIt(
    _ failure: Failure, hasKey: Bool, _ count: Int
  ) async throws {
    let keys = Log<String?>()
    let work = FailingWork { request in
      guard request.method == .post else { return nil }
      keys.append(request.headers[HTTPHeaders.idempotencyKeyName])
      return failure.events
    }
    let made = Counter()
    let policy = RetryPolicy.immediate(limit: 2)
    let transfer = try work.upload(
      retry: hasKey ? policy.withIdempotencyKey { "key \(made.add())" } : policy)
    await work.time.run()
    _ = await transfer.response.result
    #expect(keys.entries == Array(repeating: hasKey ? "key 1" : nil, count: count))
  }

  /// The rest of the body arrives after the time in which that of a repeated request is discarded.
  @Test(
    arguments: [
      ("Retry-After", 429, ["Retry-After": "3600"]), ("no retries", 503, [:]),
      ("no budget", 503, [:]), ("a policy that declines", 503, [:]),
      ("a redirect that is not followed", 302, ["Location": "/to"]),
      ("not modified", 304, ["Location": "/to"]), ("fixed credentials", 401, [:]),
      ("another challenge", 401, ["WWW-Authenticate": "Basic realm=a"]), ("a success", 200, [:]),
    ] as [(String, Int, HTTPHeaders)])
  func theBodyOfAFinalResponseIsComplete(
    _ reason: String, _ status: Int, _ headers: HTTPHeaders
  ) async throws {
    let time = TestScheduler()
    let transport = SlowTransport(
      time: time, head: HTTPResponseHead(status: status, headers: headers))
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    configuration.retry = reason == "no retries" ? .never : .immediate(limit: 3)
    if reason == "a policy that declines" {
      configuration.retry = RetryPolicy(.custom { _, _ in nil })
    }
    if reason == "no budget" { configuration.retryBudget = RetryBudget(capacity: 0) }
    configuration.redirects = .deciding { _, _ in nil }
    if reason == "not modified" { configuration.redirects = .follow() }
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example/")
    if reason == "another challenge" {
      client.authenticate(username: "a", password: "b", scheme: .digest)
    } else {
      client.authenticate(bearerToken: "a")
    }
    let promise = client.request(.get("https://a.example/"))
    await time.run()
    #expect(promise.fulfilledValue?.status == status)
    #expect(promise.fulfilledValue?.data == Data("first, last".utf8))
  }

  @Test func aConflictOfAnUploadIsFinalIfTheServerWantsALongWait() async throws {
    let work = FailingWork { request in
      request.method == .patch ? .response(409, ["Retry-After": "86400"]) : nil
    }
    let transfer = try work.upload(retry: .never)
    await work.time.run()
    #expect(try await transfer.response.value.status == 409)
    #expect(work.time.now < .seconds(86_400))
  }

  @Test func aRedirectIsFollowedThoughItsBodyStalls() async throws {
    let time = TestScheduler()
    let times = Log<Duration>()
    let head = HTTPResponseHead(status: 302, headers: ["Location": "/to", "Content-Length": "9"])
    let transport = FakeTransport(needsNetwork: false) { request in
      times.append(time.now)
      return request.url.path == "/to" ? .response(200) : [.head(head), .body(Data("x".utf8))]
    }
    for policy in [RedirectPolicy.follow(), .refuse] {
      var configuration = NetworkingConfiguration.plain
      configuration.scheduler = time
      configuration.redirects = policy
      configuration.attemptTimeout = .seconds(20)
      let client = Networking<Request>(transport: transport, configuration: configuration)
      let promise = client.request(.get("https://a.example/from"))
      await time.run()
      // The body of a redirect that is not followed is delivered.
      let isRefused = policy.decide == nil
      #expect(promise.fulfilledValue?.status == (isRefused ? nil : 200))
    }
    #expect(times.entries == [.zero, .milliseconds(250), .milliseconds(250)])
    #expect(transport.cancelled == 2 && time.scheduledCount == 0)
  }
}

/// A transport whose bodies are complete after 300 ms.
private struct SlowTransport: Transport {
  let time: TestScheduler
  let head: HTTPResponseHead

  var needsNetwork: Bool { false }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    receive(.head(head))
    receive(.body(Data("first, ".utf8)))
    _ = time.schedule(after: .milliseconds(300)) {
      receive(.body(Data("last".utf8)))
      receive(.end(TransportMetrics()))
    }
    return FinishedHandle()
  }
}

/// One work over a transport whose server fails, in virtual time.
private struct FailingWork {
  let time = TestScheduler()
  let transport: FakeTransport
  /// The times of the requests that have failed, or succeeded in place of a failure.
  let sent = Log<Duration>()
  let oauth2: OAuth2Client = {
    var client = OAuth2Client(id: "app", tokenURL: .of("https://login.example/token"))
    client.deviceAuthorizationURL = .of("https://login.example/device")
    return client
  }()
  private let folder = TemporaryFolder()

  init(_ failure: TemporaryFailureTests.Failure, times limit: Int = .max) {
    self.init(events: failure.events, times: limit)
  }

  init(events: [TransportEvent], times limit: Int = .max) {
    let count = Counter()
    transport = FakeTransport(needsNetwork: false) { [sent, time] request in
      if let response = Self.success(request, count) { return response }
      sent.append(time.now)
      guard sent.entries.count > limit else { return events }
      return .response(200, [:], #"{"access_token":"new","token_type":"Bearer"}"#)
    }
  }

  /// The closure returns the response to a request, or `nil` for the usual one.
  init(_ respond: @escaping @Sendable (HTTPRequest) -> [TransportEvent]?) {
    transport = FakeTransport(needsNetwork: false) { request in
      respond(request) ?? Self.success(request, Counter()) ?? .response(404)
    }
  }

  /// Returns the response to a request that does not fail.
  private static func success(_ request: HTTPRequest, _ count: Counter) -> [TransportEvent]? {
    switch (request.method, request.url.path) {
    case (.post, "/files"): .response(201, ["Location": "/files/1"])
    case (.head, "/files/1"): .response(200, ["Upload-Offset": "0"])
    case (.post, "/device"):
      .response(
        200, [:],
        """
        {"device_code":"d","user_code":"u","verification_uri":"https://login.example/go",
        "expires_in":60,"interval":5}
        """)
    case (.get, "/events") where count.add() == 1:
      .response(200, ["Content-Type": "text/event-stream"], "data: a\n\n")
    default: nil
    }
  }

  var configuration: NetworkingConfiguration {
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    configuration.wallClock = { [time] in
      TemporaryFailureTests.Failure.start.addingTimeInterval(time.now / .seconds(1))
    }
    configuration.attemptTimeout = .seconds(20)
    configuration.retry = .exponential(initial: .seconds(1), jitter: .none, limit: 2)
    return configuration
  }

  private func client(retry: RetryPolicy? = nil) -> Networking<Request> {
    var configuration = configuration
    configuration.retry = retry ?? configuration.retry
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example/")
    client.callbackContext = .inline
    return client
  }

  /// Returns a session with a token that has expired.
  func session() -> OAuth2Session {
    let store = MemoryTokenStore.memory
    let start = TemporaryFailureTests.Failure.start
    let token = OAuth2Token(
      accessToken: "old", refreshToken: "once", issued: start - 7_200, expires: start - 3_600)
    store.setToken(token, for: TokenKey(for: oauth2))
    return OAuth2Session(
      oauth2, store: store, transport: transport, configuration: configuration)
  }

  /// The times in seconds.
  var seconds: String {
    sent.entries.map { time in
      let seconds = time / .seconds(1)
      return Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    }.joined(separator: " ")
  }

  /// Performs the work, and returns the times of its requests and its end.
  func cell(of work: TemporaryFailureTests.Work) async throws -> String {
    let end =
      switch work {
      case .request: await self.end(of: client().request(.get("x")).map { "\($0.status)" })
      case .token: await self.end(of: session().token().map { _ in "a token" })
      case .device:
        await self.end(
          of: OAuth2Grant.device { _ in }
            .token(for: oauth2, transport: transport, configuration: configuration)
            .map { _ in "a token" })
      case .download:
        await self.end(
          of: client().transfer(.get("x"), to: folder.url("film"), resumable: false)
            .response.map { "\($0.status)" })
      case .upload: await self.end(of: try upload().response.map { "\($0.status)" })
      case .events: await self.end(of: eventCount())
      }
    return "\(seconds) \(end)"
  }

  /// Starts an upload of 10 bytes by tus.
  func upload(retry: RetryPolicy? = nil) throws -> Transfer {
    try client(retry: retry).transfer(
      folder.file("film", Data("0123456789".utf8)), to: .post("files"), by: .tus())
  }

  private func eventCount() -> Promise<String> {
    var events = client(retry: .never).events(of: .get("events"))
    events.options.reconnection = EventReconnection(delay: .seconds(1), jitter: .none, limit: 2)
    return Promise.fulfilled(events).on(time.context(for: .inline)).then { events in
      var count = 0
      for try await _ in events { count += 1 }
      return "\(count) events"
    }
  }

  private func end(of promise: Promise<String>) async -> String {
    await time.run()
    switch await promise.result {
    case .success(let text): return text
    case .failure(let error as NetworkError): return "\(error.code)"
    case .failure(let error as OAuth2Error): return "\(error.code)"
    case .failure(let error): return "\(error)"
    }
  }
}
