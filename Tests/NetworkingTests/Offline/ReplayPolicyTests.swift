import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The results that remove an entry from the offline store, and those that do not.
@Suite(.gated)
struct ReplayPolicyTests {
  /// The outcome of the only entry of a replay.
  private enum Fate: Equatable, CustomStringConvertible {
    case delivered
    case failed(NetworkError.Code?)
    case kept(NetworkError.Code?)

    var description: String {
      switch self {
      case .delivered: "delivered"
      case .failed(let code): "failed with \(code as Any)"
      case .kept(let code): "kept with \(code as Any)"
      }
    }
  }

  private let temporary = TemporaryStore()
  private let replies = Replies()

  /// The events of the transport, which a test replaces.
  private final class Replies: Sendable {
    private let log = Log<FakeTransport.Handler>()

    var handler: FakeTransport.Handler {
      log.entries.last ?? { _ in [.failure(TransportFailure(code: .notConnectedToInternet))] }
    }

    func set(_ handler: @escaping FakeTransport.Handler) { log.append(handler) }
  }

  private func client(
    _ base: URL = .of("https://api.example.com/v1/"), replay: ReplayPolicy = .standard
  ) throws -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = .store(try temporary.open())
    configuration.replay = replay
    let transport = FakeTransport { [replies] in replies.handler($0) }
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = base
    client.callbackContext = .inline
    return client
  }

  /// Stores a request while there is no network.
  private func store(
    _ request: Request = .post("notes", parameters: ["text": "milk"]),
    with client: Networking<Request>
  ) async throws {
    replies.set { _ in [.failure(TransportFailure(code: .notConnectedToInternet))] }
    let error = await client.request(request, .storedOffline).result
      .failure(as: NetworkError.self)
    try #require(error?.isStoredOffline == true)
  }

  /// Replays the only entry, and checks that it is in the store exactly if it is reported as kept.
  private func replay(_ client: Networking<Request>) async throws -> Fate {
    let report = try await client.replay().value
    let isKept = try client.offlineStore.count == 1
    #expect(isKept == !report.kept.isEmpty)
    if let kept = report.kept.first { return .kept((kept.error as? NetworkError)?.code) }
    if let failed = report.failed.first { return .failed((failed.error as? NetworkError)?.code) }
    #expect(report.delivered.count == 1)
    return .delivered
  }

  // MARK: Codes

  /// An interceptor that fails each request that is intercepted.
  private struct Failing: Interceptor {
    let error: any Error

    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      exchange.isIntercepted ? .rejected(error) : next(exchange)
    }
  }

  /// The places in which another error than that of the request can come up in a replay.
  private static let places:
    [(name: String, prepare: @Sendable (Networking<Request>, any Error) -> Void)] = [
      ("middleware", { client, error in client.middleware = { _, _ in .rejected(error) } }),
      ("preProcessRequest", { client, error in client.preProcessRequest = { _ in throw error } }),
      ("interceptor", { client, error in client.interceptors = [Failing(error: error)] }),
      ("hop interceptor", { client, error in client.interceptors[.hop] = [Failing(error: error)] }),
      (
        "refresh",
        { client, error in
          client.interceptors = [RefreshInterceptor { _ in Promise<Void>.rejected(error) }]
        }
      ),
    ]

  @Test(arguments: ErrorCodeGuideTests.codes)
  func noErrorOfAHookOrARefreshRemovesAnEntry(_ code: NetworkError.Code) async throws {
    let client = try client()
    try await store(with: client)
    replies.set { _ in .response(401) }
    let token = NetworkError.RequestSummary(method: .post, url: "https://login.example.com/token")
    for place in Self.places {
      for request in [nil, token] {
        place.prepare(client, NetworkError(code, request: request))
        let fate = try await replay(client)
        #expect(fate == .kept(code), "\(place.name): \(fate)")
        client.middleware = nil
        client.preProcessRequest = nil
        client.interceptors.removeAll()
      }
    }
    replies.set { _ in .response(201) }
    #expect(try await replay(client) == .delivered)
  }

  /// A status is the only error of a request that can be encoded that removes it.
  @Test(arguments: ErrorCodeGuideTests.codes)
  func anErrorOfTheRequestItselfRemovesItOnlyIfItIsAFinalStatus(
    _ code: NetworkError.Code
  ) async throws {
    let client = try client()
    try await store(with: client)
    replies.set { _ in [.failure(TransportFailure(code: code))] }
    let fate = try await replay(client)
    if case .unacceptableStatus(404) = code {
      #expect(fate == .failed(code))
    } else {
      #expect(fate == .kept(code))
    }
  }

  /// The middleware fails before such a request is encoded, so it is stored.
  @Test(arguments: [
    (Request(HTTPMethod(rawValue: "NO TOKEN"), "notes"), NetworkError.Code.invalidMethod),
    (Request.post("notes", headers: ["Host": "b.example.com"]), .invalidHeader),
    (.post("notes", parameters: ["a": [1]], contentType: .custom("text/plain")), .encodingFailed),
  ])
  func aRequestThatCanNeverBeEncodedIsRemoved(
    _ request: Request, _ code: NetworkError.Code
  ) async throws {
    let client = try client()
    client.middleware = { _, _ in .rejected(NetworkError(.notConnectedToInternet)) }
    try await store(request, with: client)
    #expect(try await replay(client) == .kept(.notConnectedToInternet))
    client.middleware = nil
    #expect(try await replay(client) == .failed(code))
  }

  // MARK: Statuses

  /// All statuses that remove an entry whose request is a POST.
  private static let finalStatuses: Set<Int> = Set(200...299).union([
    400, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 422, 428,
  ])

  @Test func onlyTheseStatusesAreFinal() throws {
    let entry = try temporary.open().add(.post("https://a.test/"))
    for status in 100...999 {
      let outcome = ReplayPolicy.standard.outcome(of: entry, .success(.of(status)))
      let isFinal = Self.finalStatuses.contains(status)
      switch outcome {
      case .delivered: #expect(isFinal && status < 300, "\(status)")
      case .failed: #expect(isFinal && status >= 400, "\(status)")
      case .kept: #expect(!isFinal, "\(status)")
      case .expired, .quarantined, .removed: Issue.record("\(status)")
      }
    }
  }

  @Test(arguments: [HTTPMethod.get, .head, .put])
  func notModifiedIsFinalForAConditionalRequest(_ method: HTTPMethod) throws {
    let entry = try temporary.open().add(Request(method, "https://a.test/"))
    let outcome = ReplayPolicy.standard.outcome(of: entry, .success(.of(304)))
    if case .delivered = outcome { #expect(method != .put) } else { #expect(method == .put) }
  }

  @Test func aRejectionForNowIsNotFinal() async throws {
    let client = try client()
    try await store(with: client)
    replies.set { _ in .response(413, ["Retry-After": "3600"]) }
    #expect(try await replay(client) == .kept(.unacceptableStatus(413)))
    replies.set { _ in .response(413) }
    #expect(try await replay(client) == .failed(.unacceptableStatus(413)))
  }

  @Test(arguments: [
    (Response.Source.network, true), (.cache, true), (.revalidated, true),
    (.stale(.allowed), true), (.stale(.revalidating), true), (.stale(.error), false),
    (.stale(.offline), false),
  ])
  func aStaleResponseInPlaceOfAFailureIsNotFinal(
    _ source: Response.Source, _ isFinal: Bool
  ) throws {
    let entry = try temporary.open().add(.get("https://a.test/"))
    let response = Response(
      HTTPResponseHead(status: 200), .memory(Data()),
      to: HTTPRequest(url: .of("https://a.test/")), from: .init(source: source))
    let outcome = ReplayPolicy.standard.outcome(of: entry, .success(response))
    if case .delivered = outcome { #expect(isFinal) } else { #expect(!isFinal) }
  }

  // MARK: Redirects

  /// A redirect of a POST to `/v1/notes`, and the response of its target.
  struct Redirected: Sendable, CustomTestStringConvertible {
    var base: URL = .of("https://api.example.com/v1/")
    var status: Int
    var location: String
    var target = 200
    var kept: NetworkError.Code?

    var testDescription: String { "\(base), \(status) to \(location), \(target)" }
  }

  @Test(arguments: [
    Redirected(status: 301, location: "/login", kept: .redirectRefused),
    Redirected(status: 302, location: "/login", kept: .redirectRefused),
    Redirected(status: 302, location: "/v1/notes/", kept: .redirectRefused),
    Redirected(status: 303, location: "/login", kept: .redirectRefused),
    Redirected(status: 307, location: "/login", kept: .redirectRefused),
    Redirected(status: 307, location: "https://b.test/v1/notes", kept: .redirectRefused),
    Redirected(status: 308, location: "https://b.test/v1/notes", kept: .redirectRefused),
    Redirected(status: 302, location: "http://b.test/login", kept: .redirectRefused),
    Redirected(status: 302, location: "/login", target: 404, kept: .redirectRefused),
    Redirected(status: 302, location: "/login", target: 503, kept: .redirectRefused),
    Redirected(status: 307, location: "/v1/notes", kept: .tooManyRedirects),
    Redirected(status: 307, location: "/v1/notes/", target: 503, kept: .unacceptableStatus(503)),
    Redirected(status: 307, location: "/v1/notes/"),
    Redirected(status: 307, location: "/v1/notes?page=2"),
    Redirected(status: 308, location: "/v2/notes"),
    Redirected(
      base: .of("http://api.example.com/v1/"), status: 307,
      location: "https://api.example.com/v1/notes"),
    Redirected(
      base: .of("http://api.example.com/v1/"), status: 307,
      location: "https://portal.example.com/v1/notes", kept: .redirectRefused),
  ])
  func theResponseOfAnotherResourceIsNotFinal(_ redirected: Redirected) async throws {
    let client = try client(redirected.base)
    try await store(with: client)
    let first = redirected.base.appending(path: "notes")
    replies.set { request in
      request.url == first
        ? .response(redirected.status, ["Location": redirected.location])
        : .response(redirected.target)
    }
    #expect(try await replay(client) == redirected.kept.map { .kept($0) } ?? .delivered)
  }

  /// An app finds the page in the error, to show it or to detect a portal.
  @Test func theErrorOfAKeptEntryContainsTheResponse() async throws {
    let client = try client()
    try await store(with: client)
    replies.set { request in
      request.url.path == "/login"
        ? .response(200, ["Content-Type": "text/html"], "<html>sign in</html>")
        : .response(302, ["Location": "/login"])
    }
    let report = try await client.replay().value
    let error = try #require(report.kept.first?.error as? NetworkError)
    let first = "POST https://api.example.com/v1/notes"
    #expect(error.reason == "\(first) was redirected to another resource")
    #expect(error.request?.url == "https://api.example.com/login")
    #expect(error.response?.status == 200)
    #expect(error.body == Data("<html>sign in</html>".utf8))
  }

  // MARK: Refreshes

  private struct Token: Decodable, Sendable { var access: String }

  /// A captive portal responds to the request of the refresh.
  @Test(arguments: [
    [TransportEvent].response(200, ["Content-Type": "text/html"], "<html>portal</html>"),
    .response(200, [:], #"{"error":"maintenance"}"#), .response(200), .response(400),
    .response(302, ["Location": "http://portal.example.com/"]), .response(503), .response(511),
    [.failure(TransportFailure(code: .tlsUntrusted))],
  ])
  func aResponseOfAPortalToTheRefreshKeepsTheEntry(_ portal: [TransportEvent]) async throws {
    let client = try client()
    client.authenticate(bearerToken: "old")
    client.interceptors = [
      RefreshInterceptor { [unowned client] _ in
        client.request(.post("token", .notIntercepted)).validate().decode(Token.self)
          .tap { client.authenticate(bearerToken: $0.access) }
      }
    ]
    try await store(with: client)
    let notes: FakeTransport.Handler = { request in
      request.headers["Authorization"] == "Bearer new" ? .response(201) : .response(401)
    }
    replies.set { request in
      request.url.path == "/v1/token" ? portal : notes(request)
    }
    guard case .kept = try await replay(client) else {
      Issue.record("the entry has left the store")
      return
    }
    replies.set { request in
      request.url.path == "/v1/token" ? .response(200, [:], #"{"access":"new"}"#) : notes(request)
    }
    #expect(try await replay(client) == .delivered)
  }

  // MARK: The closure of an app

  @Test func theClosureMayKeepTheLoginPageOfAPortal() async throws {
    let client = try client(
      replay: .deciding { _, result, proposed in
        guard case .success(let response) = result else { return proposed }
        return response.contentType?.subtype == "html" ? .keep : proposed
      })
    try await store(with: client)
    replies.set { _ in .response(200, ["Content-Type": "text/html"], "<html>portal</html>") }
    let report = try await client.replay().value
    let error = try #require(report.kept.first?.error as? NetworkError)
    #expect(error.code == .unacceptableStatus(200))
    #expect(error.reason == "the replay policy keeps the request")
    replies.set { _ in .response(201) }
    #expect(try await replay(client) == .delivered)
  }

  @Test(arguments: [(201, true), (302, false), (403, false), (503, false)])
  func theClosureGetsTheProposalAndTheResult(_ status: Int, _ isFinal: Bool) async throws {
    let log = Log<(status: Int?, proposed: ReplayPolicy.Decision, attempts: Int)>()
    let client = try client(
      replay: .deciding { entry, result, proposed in
        log.append(((try? result.get())?.status, proposed, entry.attempts))
        return entry.attempts == 1 ? .remove : .keep
      })
    try await store(with: client)
    replies.set { _ in .response(status) }
    #expect(try await replay(client) == .kept(.unacceptableStatus(status)))
    let removed: Fate = status < 400 ? .delivered : .failed(.unacceptableStatus(status))
    #expect(try await replay(client) == removed)
    let proposal: ReplayPolicy.Decision = isFinal ? .remove : .keep
    #expect(log.entries.map(\.status) == [status, status])
    #expect(log.entries.map(\.proposed) == [proposal, proposal])
    #expect(log.entries.map(\.attempts) == [0, 1])
  }

  @Test func theClosureMayGiveUpAfterAnError() async throws {
    let client = try client(replay: .deciding { _, _, _ in .remove })
    try await store(with: client)
    replies.set { _ in [.failure(TransportFailure(code: .tlsUntrusted))] }
    #expect(try await replay(client) == .failed(.tlsUntrusted))
  }

  // MARK: Order

  @Test func theEntriesOfAKeyKeepTheirOrderWhenOneStays() async throws {
    let client = try client()
    for number in 1...3 { try await store(.put("notes/\(number)"), with: client) }
    let sent = Log<String>()
    replies.set { request in
      sent.append(request.url.lastPathComponent)
      return .response(request.url.lastPathComponent == "2" ? 403 : 204)
    }
    let report = try await client.replay().value
    #expect(sent.entries == ["1", "2"])
    #expect(report.delivered.map(\.number) == [1])
    #expect(report.kept.map(\.entry.number) == [2, 3])
    let codes = report.kept.map { ($0.error as? NetworkError)?.code }
    #expect(codes == [.unacceptableStatus(403), nil])
    replies.set { request in
      sent.append(request.url.lastPathComponent)
      return .response(204)
    }
    #expect(try await client.replay().value.delivered.map(\.number) == [2, 3])
    #expect(sent.entries == ["1", "2", "2", "3"])
  }
}
