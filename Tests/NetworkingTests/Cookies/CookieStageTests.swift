import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The stage that sends and stores cookies, and the sharing of requests with cookies.
@Suite(.gated)
struct CookieStageTests {
  private let jar = CookieJar()

  /// Sends a request whose response sets cookies, and returns the request's `Cookie` field.
  @discardableResult
  private func send(_ url: StaticString, setting values: String...) async throws -> String? {
    let transport = FakeTransport { _ in
      .response(200, HTTPHeaders(values.map { .init(name: "Set-Cookie", value: $0) }))
    }
    _ = try await Pipeline([CookieStage(jar: jar)])
      .send(Exchange(HTTPRequest(url: .of(url)), over: transport)).value
    return transport.requests.first?.headers["Cookie"]
  }

  @Test(arguments: [
    "😀😀😀=1", "a=1; 😀😀😀=1", "e\u{301}\u{301}\u{301}=1", "a=1; \u{301}\u{301}", "=", ";=;=", "=;a=1",
    "a=1; Expires=\u{301}; Max-Age=😀; Domain=😀; Path=😀",
    "a=1; Domain=.........; Expires=99999999999999999999:99:99 9 9 9",
  ])
  func noFieldOfAServerEndsTheProcess(_ value: String) async throws {
    try await send("https://shop.example/", setting: value, "last=1")
    #expect(try await send("https://shop.example/")?.hasSuffix("last=1") == true)
  }

  @Test func aServerReceivesAndDeletesNoCookieOfAnotherSite() async throws {
    let cookie = "sid=1; Domain=shop.example; Path=/"
    try await send("https://shop.example/", setting: cookie)
    for domain in ["shop.example", "shop.example; Domain=evil.test"] {
      try await send("https://evil.test/", setting: "sid=; Domain=\(domain); Path=/; Max-Age=0")
      #expect(try await send("https://shop.example/") == "sid=1")
    }
    try await send("https://shop.example/", setting: "sid=; Domain=shop.example; Path=/; Max-Age=0")
    #expect(try await send("https://shop.example/") == nil)
  }

  @Test func aSecureCookieOfAFileIsNotSentOverHTTP() async throws {
    let folder = TemporaryFolder()
    for round in 0..<2 {
      let jar = try CookieJar(file: folder.url("cookies.json"))
      if round == 0 {
        jar.set(parsing: "a=1; Secure; Path=/; Max-Age=1000", from: .of("https://shop.example/"))
      }
      #expect(jar.field(for: .of("https://shop.example/")) == "a=1")
      #expect(jar.field(for: .of("http://shop.example/")) == nil)
      try await jar.synchronize().value
    }
  }

  @Test func thousandsOfFieldsStoreABoundedNumberOfCookies() async throws {
    let headers = HTTPHeaders(
      (0..<50_000).map { .init(name: "Set-Cookie", value: "c\($0)=1") })
    jar.store(headers, from: .of("https://shop.example/"))
    #expect(jar.cookies.map(\.name) == (150..<200).map { "c\($0)" })
  }

  @Test func aRequestOfAnotherUserDoesNotShareTheExchangeOfTheFirst() async throws {
    let gate = GatedTransport()
    let stages: [any Interceptor] = [
      SharingStage(sharesAll: true, cookies: CookieStage(jar: jar)), CookieStage(jar: jar),
    ]
    let pipeline = Pipeline(stages)
    func send() -> NetworkPromise {
      pipeline.send(Exchange(HTTPRequest(url: .of("https://a.example/me")), over: gate))
    }
    try jar.set(Cookie("user", "ada", domain: "a.example"))
    let first = [send(), send()]
    #expect(gate.tokens.count == 1)
    try jar.set(Cookie("user", "bob", domain: "a.example"))
    let second = send()
    #expect(gate.tokens.count == 2)
    jar.removeAll()
    let third = send()
    #expect(gate.tokens.count == 3)
    for _ in 0..<3 { gate.respond(200) }
    for promise in first + [second, third] { #expect(try await promise.value.status == 200) }
  }

  @Test(arguments: [false, true])
  func cookiesExpireByTheClockOfTheJarOrElseOfTheClient(_ hasClock: Bool) async throws {
    let time = TestScheduler()
    let noon = Date(timeIntervalSince1970: 784_123_200)
    let clock: @Sendable () -> Date = { noon.addingTimeInterval(time.now / .seconds(1)) }
    let transport = FakeTransport { request in
      let isFirst = request.url.path == "/login"
      return .response(
        200, isFirst ? ["Set-Cookie": "a=1; Expires=Sun, 06 Nov 1994 12:00:10 GMT"] : [:])
    }
    var configuration = NetworkingConfiguration()
    configuration.scheduler = time
    if !hasClock { configuration.wallClock = clock }
    configuration.cookies = .jar(hasClock ? CookieJar(wallClock: clock) : jar)
    let client = Networking<Request>(transport: transport, configuration: configuration)
    for path in ["login", "before", "before", "after"] {
      let response = client.request(.get("https://a.example/\(path)"))
      await time.advance(by: .seconds(path == "before" ? 5 : 0))
      _ = try await response.value
    }
    #expect(transport.requests.map { $0.headers["Cookie"] } == [nil, "a=1", "a=1", nil])
  }

  @Test func theJarOfAnEphemeralClientHasTheClockOfTheClient() throws {
    let time = Counter()
    var configuration = NetworkingConfiguration()
    configuration.wallClock = { Date(timeIntervalSince1970: Double(time.value)) }
    let client = Networking<Request>(
      sessionConfiguration: .ephemeral, configuration: configuration)
    let jar = try #require(client.cookieJar)
    jar.set(parsing: "a=1; Max-Age=10", from: .of("https://a.example/"))
    #expect(jar.cookies.first?.expires == Date(timeIntervalSince1970: 10))
    time.add(10)
    #expect(jar.cookies.isEmpty)
  }

  @Test func aCookieThatExpiresEndsTheSharing() throws {
    let time = Counter()
    let stage = CookieStage(jar: jar) { Date(timeIntervalSince1970: Double(time.value)) }
    let url = URL.of("https://a.example/me")
    jar.store(
      ["Set-Cookie": "user=ada; Max-Age=10"], from: url, at: Date(timeIntervalSince1970: 0))
    func key() -> SharingKey? {
      SharingKey(Exchange(HTTPRequest(url: url), over: FakeTransport { _ in [] }), cookies: stage)
    }
    let first = key()
    #expect(key() == first)
    time.add(10)
    #expect(key() != first)
  }
}
