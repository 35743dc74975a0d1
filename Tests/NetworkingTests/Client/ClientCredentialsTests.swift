import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
import NetworkingInterceptors
import NetworkingTracing

/// The credentials of a client: the origin that they are bound to, and requests without them.
@Suite(.gated)
struct ClientCredentialsTests {
  private let transport = FakeTransport { request in
    .response(request.url.path == "/denied" ? 401 : 200)
  }

  private func client() -> Networking<Request> {
    let client = Networking<Request>(transport: transport, configuration: .plain)
    client.callbackContext = .inline
    return client
  }

  private var fields: [String?] { transport.requests.map { $0.headers["Authorization"] } }

  @Test func credentialsSetBeforeTheBaseURLHoldForTheFirstOneOnly() async throws {
    let client = client()
    client.authenticate(bearerToken: "t")
    client.baseURL = nil
    client.baseURL = .of("https://a.example/")
    _ = try await client.request(.get("x")).value
    _ = try await client.request(.get("https://b.example/x")).value
    client.baseURL = .of("https://b.example/")
    _ = try await client.request(.get("x")).value
    client.baseURL = .of("https://a.example/")
    _ = try await client.request(.get("x")).value
    #expect(fields == ["Bearer t", nil, nil, "Bearer t"])
  }

  /// An endpoint of the server of the task.
  private enum SwitchedAPI: RequestConvertible {
    case item
    @TaskLocal static var server: URL?
    static var baseURL: URL? { server }
    var request: Request { .get("x") }
  }

  @Test func credentialsWaitForAComputedBaseURL() async throws {
    let client = Networking<SwitchedAPI>(transport: transport, configuration: .plain)
    client.callbackContext = .inline
    client.authenticate(username: "ada", password: "x")
    try await SwitchedAPI.$server.withValue(.of("https://a.example/")) {
      #expect(try client.curlCommand(for: .item).contains("-H 'Authorization: ***'"))
      _ = try await client.request(.item).value
    }
    try await SwitchedAPI.$server.withValue(.of("https://b.example/")) {
      _ = try await client.request(.item).value
    }
    #expect(fields == ["Basic YWRhOng=", nil])
  }

  @Test func laterCredentialsReplaceThoseThatWait() async throws {
    let client = client()
    client.authenticate(bearerToken: "old")
    client.authenticate(bearerToken: "new")
    client.baseURL = .of("https://a.example/")
    _ = try await client.request(.get("x")).value
    client.authenticate(authorizationHeader: nil)
    _ = try await client.request(.get("x")).value
    #expect(fields == ["Bearer new", nil])
    let other = self.client()
    other.authenticate(bearerToken: "old")
    other.authenticate(authorizationHeader: nil)
    _ = try await other.request(.get("https://a.example/x")).value
    #expect(fields == ["Bearer new", nil, nil])
  }

  @Test func aRequestFailsWhileItsCredentialsHaveNoOrigin() async throws {
    let client = client()
    client.authenticate(bearerToken: "s3cret")
    let request = Request.get("https://a.example/x")
    let error = await client.request(request).result.failure(as: NetworkError.self)
    #expect(error?.code == .credentialsWithoutBaseURL)
    #expect(
      error?.description == "GET https://a.example/x: the client has credentials but no base URL: "
        + "declare a static baseURL, set that of the client, or make the request .withoutCredentials"
    )
    #expect(transport.requests.isEmpty)
    _ = try await client.request(request, .withoutCredentials).value
    _ = try await client.request(request, .headers(["Authorization": "own"])).value
    #expect(fields == [nil, "own"])
    // A relative path has no base URL either, which is the more helpful error.
    let relative = await client.request(.get("x")).result.failure(as: NetworkError.self)
    #expect(relative?.code == .invalidURL)
  }

  private static let absolute = Request.get("https://a.example/x")

  @Test func aMiddlewareThatAuthenticatesWithoutABaseURLRejectsTheRequest() async throws {
    let client = client()
    client.middleware = { _, client in
      client.authenticate(bearerToken: "t")
      return .fulfilled(())
    }
    let error = await client.request(Self.absolute).result.failure(as: NetworkError.self)
    #expect(error?.code == .credentialsWithoutBaseURL && transport.requests.isEmpty)
    _ = try await client.request(Self.absolute, .withoutCredentials).value
    client.middleware = { _, client in
      client.baseURL = .of("https://a.example/")
      return .fulfilled(())
    }
    _ = try await client.request(Self.absolute).value
    #expect(fields == [nil, "Bearer t"])
  }

  @Test func aRefreshThatAuthenticatesWithoutABaseURLRejectsTheRequest() async {
    let client = client()
    client.interceptors = [
      RefreshInterceptor(on: [401]) { [unowned client] _ -> Promise<Void> in
        client.authenticate(bearerToken: "t")
        return .fulfilled(())
      }
    ]
    let denied = Request.get("https://a.example/denied")
    let error = await client.request(denied).result.failure(as: NetworkError.self)
    #expect(error?.code == .credentialsWithoutBaseURL && fields == [nil])
  }

  @Test func aResendAfterAuthenticatingWithoutABaseURLRejectsTheRequest() async {
    let client = client()
    client.interceptors = [
      ResponseInterceptor { [unowned client] _, _ in
        client.authenticate(bearerToken: "t")
        return .resend(after: .fulfilled(()))
      }
    ]
    let error = await client.request(Self.absolute).result.failure(as: NetworkError.self)
    #expect(error?.code == .credentialsWithoutBaseURL && fields == [nil])
  }

  @Test func aRequestHeldWhileTheClientAuthenticatesWithoutABaseURLIsRejected() async {
    let client = client()
    let barrier = PipelineBarrier()
    client.interceptors = [barrier]
    let work = Promise<Void>.pending(on: .inline)
    barrier.hold(while: work.promise)
    let held = client.request(Self.absolute)
    client.authenticate(bearerToken: "t")
    work.resolver.fulfill()
    let error = await held.result.failure(as: NetworkError.self)
    #expect(error?.code == .credentialsWithoutBaseURL && transport.requests.isEmpty)
  }

  @Test func aRequestWithoutCredentialsHasNone() async throws {
    let client = client()
    client.baseURL = .of("https://a.example/")
    client.authenticate(bearerToken: "t")
    let login = Request.post("login", .withoutCredentials)
    _ = try await client.request(login).value
    _ = try await client.request(.get("x")).value
    _ = try await client.request(login, .headers(["Authorization": "own"])).value
    #expect(fields == [nil, "Bearer t", "own"])
    #expect(transport.requests.map(\.sendsCredentials) == [false, true, false])
    #expect(try !client.curlCommand(for: login).contains("Authorization"))
  }

  @Test func aClientThatSendsCredentialsOnDemandSendsThemWithRequestsThatHaveThem() async throws {
    var configuration = NetworkingConfiguration.plain
    configuration.sendsCredentials = false
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = .of("https://a.example/")
    client.authenticate(bearerToken: "t")
    let profile = Request.get("profile", .withCredentials)
    _ = try await client.request(.get("news")).value
    _ = try await client.request(profile).value
    _ = try await client.request(profile, .withoutCredentials).value
    #expect(fields == [nil, "Bearer t", nil])
    #expect(transport.requests.map(\.sendsCredentials) == [false, true, false])
    #expect(try client.curlCommand(for: profile).contains("Authorization"))
    #expect(try !client.curlCommand(for: .get("news")).contains("Authorization"))
  }

  @Test func aRefreshOnDemandIsForRequestsThatHaveTheCredentials() async throws {
    var configuration = NetworkingConfiguration.plain
    configuration.sendsCredentials = false
    let client = Networking<Request>(
      transport: FakeTransport { _ in .response(401) }, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = .of("https://a.example/")
    let refreshes = Counter()
    client.interceptors = [
      RefreshInterceptor { _ -> Promise<Void> in
        refreshes.add()
        return .fulfilled(())
      }
    ]
    #expect(try await client.request(.get("news")).value.status == 401 && refreshes.value == 0)
    _ = try await client.request(.get("profile", .withCredentials)).value
    #expect(refreshes.value == 1)
  }

  @Test func aHookThatMakesANewRequestDoesNotRestoreTheCredentials() async throws {
    let client = client()
    client.baseURL = .of("https://a.example/")
    client.authenticate(bearerToken: "t")
    client.preProcessRequest = { HTTPRequest(method: $0.method, url: $0.url) }
    _ = try await client.request(.get("x", .withoutCredentials)).value
    #expect(fields == [nil])
    #expect(transport.requests[0].sendsCredentials == false)
  }

  @Test func aHookThatMakesANewRequestWithAnAttributeKeepsTheOthers() async throws {
    let client = client()
    client.baseURL = .of("https://a.example/")
    client.authenticate(bearerToken: "t")
    client.preProcessRequest = { request in
      var new = HTTPRequest(method: request.method, url: request.url)
      new.attributes[TenantKey.self] = "hook"
      return new
    }
    let login = Request.get("x", .withoutCredentials, .attribute(TenantKey.self, "caller"))
    _ = try await client.request(login).value
    #expect(fields == [nil] && transport.requests[0].sendsCredentials == false)
    #expect(transport.requests[0].attributes[TenantKey.self] == "hook")
    #expect(try !client.curlCommand(for: login).contains("Authorization"))
  }

  @Test func aHookCannotAddTheCredentialsToARequestWithoutThem() async throws {
    let client = client()
    client.baseURL = .of("https://a.example/")
    client.authenticate(bearerToken: "t")
    client.preProcessRequest = { request in
      var request = request
      request.sendsCredentials = true
      return request
    }
    let login = Request.get("x", .withoutCredentials)
    _ = try await client.request(login).value
    #expect(fields == [nil])
    #expect(try !client.curlCommand(for: login).contains("Authorization"))
  }

  private struct NewRequestInterceptor: Interceptor {
    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      var changed = exchange
      changed.request = HTTPRequest(method: exchange.request.method, url: exchange.request.url)
      return next(changed)
    }
  }

  private struct NewRequestPlugin: NetworkPlugin {
    let seen = Log<Bool>()

    func prepare(_ request: HTTPRequest) throws -> HTTPRequest {
      HTTPRequest(method: request.method, url: request.url)
    }

    func willSend(_ request: HTTPRequest) {
      seen.append(request.sendsCredentials)
    }
  }

  /// Sends a login without credentials through an interceptor and a signing adapter.
  private func expectUnsignedLogin(after interceptor: any Interceptor) async throws {
    let decoder = JSONDecoder()
    var configuration = NetworkingConfiguration.plain
    configuration.decoder = decoder
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = .of("https://a.example/")
    client.interceptors = [
      interceptor,
      RequestAdapter { request in
        guard request.sendsCredentials else { return request }
        var request = request
        request.headers["X-Signature"] = "1"
        return request
      },
    ]
    let response = try await client.request(.post("login", .withoutCredentials)).value
    #expect(response.decoder === decoder)
    _ = try await client.request(.get("x")).value
    #expect(transport.requests.map { $0.headers["X-Signature"] } == [nil, "1"])
  }

  @Test func anAdapterThatMakesANewRequestKeepsTheDecoderAndTheOptOut() async throws {
    try await expectUnsignedLogin(
      after: RequestAdapter { HTTPRequest(method: $0.method, url: $0.url) })
  }

  @Test func anInterceptorThatMakesANewRequestKeepsTheDecoderAndTheOptOut() async throws {
    try await expectUnsignedLogin(after: NewRequestInterceptor())
  }

  @Test func aPluginThatMakesANewRequestKeepsTheDecoderAndTheOptOut() async throws {
    let plugin = NewRequestPlugin()
    try await expectUnsignedLogin(after: plugin)
    #expect(plugin.seen.entries == [false, true])
  }

  @Test func aHookCanWithholdTheCredentials() async throws {
    let client = client()
    client.baseURL = .of("https://a.example/")
    client.authenticate(bearerToken: "t")
    client.preProcessRequest = { request in
      var request = request
      request.sendsCredentials = false
      return request
    }
    _ = try await client.request(.get("x")).value
    #expect(fields == [nil])
  }

  @Test func aRejectedRequestWithoutCredentialsStartsNoRefresh() async throws {
    let client = client()
    client.baseURL = .of("https://a.example/")
    client.authenticate(bearerToken: "t")
    let refreshes = Counter()
    client.interceptors.append(
      RefreshInterceptor(on: [401]) { _ -> Promise<Void> in
        refreshes.add()
        return .fulfilled(())
      })
    #expect(
      try await client.request(.get("denied", .withoutCredentials)).value.status == 401)
    #expect(refreshes.value == 0)
    #expect(try await client.request(.get("denied")).value.status == 401)
    #expect(refreshes.value == 1)
    #expect(fields == [nil, "Bearer t", "Bearer t"])
  }

  @Test func requestsWithDifferentCredentialsAreNotIdentical() throws {
    let credentials = Origin(.of("https://a.example/")).map {
      Credentials(scheme: .fixed("Bearer t"), origin: $0)
    }
    func key(_ credentials: Credentials?) -> SharingKey? {
      SharingKey(
        Exchange(
          HTTPRequest(url: .of("https://a.example/x")), credentials: credentials,
          of: Call(
            .get("x"), settings: .init(ClientSettings()),
            over: SelectedTransport(transport: transport))))
    }
    #expect(try #require(key(credentials)) != #require(key(nil)))
    #expect(try #require(key(credentials)) == #require(key(credentials)))
  }

  /// Adds a token to the hops of requests with credentials.
  private struct TokenInterceptor: Interceptor {
    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      guard exchange.sendsCredentials else { return next(exchange) }
      var exchange = exchange
      exchange.request.headers["Authorization"] = "own"
      return next(exchange)
    }
  }

  @Test func requestsWithAndWithoutCredentialsShareNoExchange() {
    // The exchanges stay open, so that identical requests share one.
    let transport = FakeTransport { _ in [] }
    var configuration = NetworkingConfiguration.plain
    configuration.sharesRequests = true
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example/")
    client.interceptors[.hop] = [TokenInterceptor()]
    let request = Request.get("x")
    let requests = [
      request.with(.withoutCredentials), request, request.with(.withoutCredentials), request,
    ]
    let calls = requests.map { client.request($0) }
    #expect(transport.requests.map { $0.headers["Authorization"] } == [nil, "own"])
    for call in calls { call.cancel() }
    #expect(transport.cancelled == 2)
  }
}
