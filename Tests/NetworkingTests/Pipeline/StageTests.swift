import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct StageTests {
  private static let url = URL.of("https://a.example/x")

  @Test func stagesRunOutermostFirstAndResponsesReturnThroughThem() async throws {
    let log = Log<String>()
    struct Named: Interceptor {
      let name: String
      let log: Log<String>

      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        log.append("\(name) out")
        return next(exchange).always(on: .inline) { _ in log.append("\(name) in") }
      }
    }
    let transport = FakeTransport { _ in
      log.append("sent")
      return .response(200)
    }
    let pipeline = Pipeline([Named(name: "a", log: log), Named(name: "b", log: log)])
    _ = try await pipeline.send(Exchange(HTTPRequest(url: Self.url), over: transport)).value
    #expect(log.entries == ["a out", "b out", "sent", "b in", "a in"])
  }

  @Test func aChangedCopyOfAnExchangeLeavesTheOriginal() async throws {
    /// Sends a changed copy, the original again, and the copy again.
    struct Doubling: Interceptor {
      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        var copy = exchange
        copy.request.headers["X-Copy"] = "1"
        return next(copy).then { _ in next(exchange) }.then { [copy] _ in next(copy) }
      }
    }
    let transport = FakeTransport { _ in .response(200) }
    let original = Exchange(
      HTTPRequest(url: Self.url, headers: ["X-Original": "1"]), over: transport)
    _ = try await Pipeline([Doubling()]).send(original).value
    #expect(transport.requests.map { $0.headers["X-Copy"] } == ["1", nil, "1"])
    #expect(transport.requests.allSatisfy { $0.headers["X-Original"] == "1" })
    #expect(!original.request.headers.contains("X-Copy"))
  }

  @Test func aDeadlineEndsTheExchangeAndIsIdentified() async {
    let time = TestScheduler()
    let transport = FakeTransport { _ in [] }
    let stage = DeadlineStage(phase: .call, scheduler: time) { _ in .seconds(5) }
    let promise = Pipeline([stage]).send(Exchange(HTTPRequest(url: Self.url), over: transport))
    await time.advance(by: .seconds(4))
    #expect(promise.isPending && transport.cancelled == 0)
    await time.advance(by: .seconds(1))
    #expect(await promise.result.failure(as: NetworkError.self)?.code == .timedOut(.call))
    #expect(transport.cancelled == 1)
  }

  @Test func aTimeoutOfAnInnerStageIsNotTheDeadline() async {
    struct Impatient: Interceptor {
      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        .rejected(PromiseError.timedOut)
      }
    }
    let stage = DeadlineStage(phase: .call, scheduler: TestScheduler()) { _ in .seconds(60) }
    let transport = FakeTransport { _ in .response(200) }
    let promise = Pipeline([stage, Impatient()])
      .send(Exchange(HTTPRequest(url: Self.url), over: transport))
    #expect(await promise.result.failure() == PromiseError.timedOut)
  }

  @Test func cancellingThePromiseCancelsTheExchange() async {
    let transport = FakeTransport { _ in [] }
    let pipeline = Pipeline([RedirectStage(policy: .follow())])
    let promise = pipeline.send(Exchange(HTTPRequest(url: Self.url), over: transport))
    promise.validate().toData().then { _ in }.cancel()
    #expect(transport.cancelled == 1)
  }

  @Test(arguments: [
    ("https://a.example/x", true), ("https://a.example:443/y", true),
    ("https://b.example/x", false),
    ("http://a.example/x", false), ("https://a.example:444/x", false),
  ])
  func credentialsAreSentOnlyToTheirOrigin(_ url: String, _ sent: Bool) async throws {
    let transport = FakeTransport { _ in .response(200) }
    let origin = try #require(Origin(Self.url))
    let target = try #require(URL(string: url))
    let exchange = Exchange(
      HTTPRequest(url: target), credentials: .init(scheme: .fixed("Bearer t"), origin: origin),
      over: transport)
    _ = try await Pipeline([AuthorizationStage()]).send(exchange).value
    #expect(transport.requests[0].headers["Authorization"] == (sent ? "Bearer t" : nil))
  }

  @Test func theAuthorizationOfTheRequestIsKept() async throws {
    let transport = FakeTransport { _ in .response(200) }
    let origin = try #require(Origin(Self.url))
    let request = HTTPRequest(url: Self.url, headers: ["authorization": "own"])
    let exchange = Exchange(
      request, credentials: .init(scheme: .fixed("Bearer t"), origin: origin), over: transport)
    _ = try await Pipeline([AuthorizationStage()]).send(exchange).value
    #expect(transport.requests[0].headers.values(for: "Authorization") == ["own"])
  }

  @Test func cookiesAreStoredAndSentOnEveryHop() async throws {
    let transport = FakeTransport { request in
      switch request.url.path {
      case "/login":
        .response(
          302,
          [
            "Location": "/home", "Set-Cookie": "a=1; Path=/",
            "Set-cookie": "b=2; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT",
          ])
      default: .response(200)
      }
    }
    let pipeline = Pipeline([RedirectStage(policy: .follow()), CookieStage(jar: CookieJar())])
    let request = HTTPRequest(url: .of("https://a.example/login"))
    _ = try await pipeline.send(Exchange(request, over: transport)).value
    let sent = transport.requests.map { request in
      Set((request.headers["Cookie"] ?? "").split(separator: "; ").map(String.init))
    }
    #expect(sent == [[], ["a=1", "b=2"]])
  }

  @Test func aRedirectDoesNotForwardCookies() async throws {
    let transport = FakeTransport { request in
      switch request.url.path {
      case "/p/in": .response(200, ["Set-Cookie": "a=1; Path=/", "set-cookie": "p=9; Path=/p"])
      case "/p/x": .response(302, ["Location": "/y", "Set-Cookie": "b=2; Path=/"])
      default: .response(200)
      }
    }
    let pipeline = Pipeline([RedirectStage(policy: .follow()), CookieStage(jar: CookieJar())])
    for url in [URL.of("https://a.example/p/in"), .of("https://a.example/p/x")] {
      _ = try await pipeline.send(Exchange(HTTPRequest(url: url), over: transport)).value
    }
    let last = try #require(transport.requests.last)
    #expect(last.url.path == "/y")
    #expect(
      Set((last.headers["Cookie"] ?? "").split(separator: "; ").map(String.init)) == ["a=1", "b=2"])
  }

  @Test func aTransportFailureBecomesAnErrorWithItsCode() async {
    let transport = FakeTransport { _ in [.failure(TransportFailure(code: .dnsFailed))] }
    let result = await transport.perform(HTTPRequest(url: Self.url)).result
    #expect(result.failure(as: NetworkError.self)?.code == .dnsFailed)
  }

  @Test func anEndWithoutAHeadIsMalformed() async {
    let transport = FakeTransport { _ in [.end(TransportMetrics())] }
    let result = await transport.perform(HTTPRequest(url: Self.url)).result
    #expect(result.failure(as: NetworkError.self)?.code == .malformedResponse)
  }
}
