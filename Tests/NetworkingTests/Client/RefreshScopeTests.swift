import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// Requests that belong to a refresh, because they are made in its closure, tasks or handlers.
@Suite(.gated)
struct RefreshScopeTests {
  private let scheduler = TestScheduler()
  /// Rejects `/x` with an old token.
  private let transport = FakeTransport { request in
    let isAccepted =
      request.url.path != "/x" || request.headers["Authorization"] == "Bearer new"
    return .response(isAccepted ? 200 : 401)
  }

  private var paths: [String] { transport.requests.map(\.url.path) }

  private func client(
    _ mode: RequestMode = .async, over transport: FakeTransport? = nil
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = scheduler
    let client = Networking<Request>(
      mode: mode, transport: transport ?? self.transport, configuration: configuration)
    client.baseURL = .of("https://a.example")
    client.authenticate(bearerToken: "old")
    return client
  }

  /// Refreshes the token with two requests, of which the second one is made in a handler and is
  /// intercepted.
  private static func refresh(_ client: Networking<Request>) -> NetworkPromise {
    client.request(Request.get("nonce", .notIntercepted))
      .then { _ in client.request(.post("token")) }
      .tap { _ in client.authenticate(bearerToken: "new") }
  }

  @Test(arguments: [RequestMode.sync, .async], [false, true])
  func aRequestMadeInAHandlerWaitsForNothing(mode: RequestMode, isAsync: Bool) async {
    let client = client(mode)
    client.interceptors = [
      isAsync
        ? RefreshInterceptor(holdsRequests: true) { _ in _ = try await Self.refresh(client).value }
        : RefreshInterceptor(holdsRequests: true) { _ in Self.refresh(client) }
    ]
    let call = client.request(.get("x"))
    await scheduler.advance(by: .zero)
    #expect(call.fulfilledValue?.status == 200)
    #expect(paths == ["/x", "/nonce", "/token", "/x"])
    client.interceptors = []
  }

  @Test(arguments: [false, true])
  func aRejectedRequestMadeInAHandlerFailsWithAHint(isAsync: Bool) async {
    let transport = FakeTransport { .response($0.url.path == "/nonce" ? 200 : 401) }
    let client = client(over: transport)
    client.interceptors = [
      isAsync
        ? RefreshInterceptor { _ in _ = try await Self.refresh(client).value }
        : RefreshInterceptor { _ in Self.refresh(client) }
    ]
    let errors = Log<String>()
    client.request(.get("x")).fail(on: .inline) { errors.append("\($0)") }
    await scheduler.advance(by: .zero)
    #expect(
      errors.entries == [
        "POST https://a.example/token: the status 401 is not acceptable: the request is part of "
          + "the token refresh that it would wait for; make it .notIntercepted"
      ])
    #expect(transport.requests.map(\.url.path) == ["/x", "/nonce", "/token"])
    client.interceptors = []
  }

  @Test func aHandlerThatRunsAfterTheRefreshMakesOrdinaryRequests() async {
    let transport = FakeTransport { request in
      let isAccepted = request.url.path != "/x" || request.headers["Authorization"] == "Bearer 2"
      return .response(isAccepted ? 200 : 401)
    }
    let client = client(over: transport)
    let (gate, open) = Promise<Void>.pending()
    let (refreshes, late) = (Counter(), Log<NetworkPromise>())
    client.interceptors = [
      RefreshInterceptor { _ -> NetworkPromise in
        let number = refreshes.add()
        if number == 1 { gate.done { late.append(client.request(.get("x"))) } }
        return client.request(Request.post("token", .notIntercepted))
          .tap { _ in client.authenticate(bearerToken: "\(number)") }
      }
    ]
    // The token of the first refresh is not accepted.
    let call = client.request(.get("x"))
    await scheduler.advance(by: .zero)
    #expect(call.fulfilledValue?.status == 401 && refreshes.value == 1)
    open.fulfill(())
    let lateCall = await late.entries(1)[0]
    await scheduler.advance(by: .zero)
    #expect(lateCall.fulfilledValue?.status == 200 && refreshes.value == 2)
    client.interceptors = []
  }

  @Test func aRefreshCausedByAnotherRefreshBelongsToBoth() async {
    let inner = client(
      over: FakeTransport { request in
        .response(request.headers["Authorization"] == "Bearer new" ? 200 : 401)
      })
    let outer = client()
    inner.interceptors = [
      RefreshInterceptor { _ in
        outer.request(.get("secret")).tap { _ in inner.authenticate(bearerToken: "new") }
      }
    ]
    outer.interceptors = [
      RefreshInterceptor(holdsRequests: true) { _ in
        inner.request(.post("token")).tap { _ in outer.authenticate(bearerToken: "new") }
      }
    ]
    let call = outer.request(.get("x"))
    await scheduler.advance(by: .zero)
    #expect(call.fulfilledValue?.status == 200)
    #expect(paths == ["/x", "/secret", "/x"])
    outer.interceptors = []
    inner.interceptors = []
  }

  @Test func aRefreshUsesTheMocksOfItsRequest() async throws {
    let client = client()
    client.interceptors = [RefreshInterceptor { _ in Self.refresh(client) }]
    let backend = MockTransport(scheduler: scheduler) {
      Route(.get, "/x") { request in
        .status(request.headers["Authorization"] == "Bearer new" ? 204 : 401)
      }
      Route(.get, "/nonce", .status(200))
      Route(.post, "/token", .status(200))
    }
    let call = await withMocks(backend) {
      let call = client.request(.get("x"))
      await scheduler.advance(by: .zero)
      return call
    }
    #expect(call.fulfilledValue?.status == 204 && paths.isEmpty)
    client.interceptors = []
  }

  @Test func requestsInTheMocksOfARefreshBelongToTheRefresh() async {
    let client = client()
    let backend = MockTransport(scheduler: scheduler) {
      Route(.get, "/nonce", .status(200))
      Route(.post, "/token", .status(200))
    }
    client.interceptors = [
      RefreshInterceptor(holdsRequests: true) { _ in
        try await withMocks(backend) { _ = try await Self.refresh(client).value }
      }
    ]
    let call = client.request(.get("x"))
    await scheduler.advance(by: .zero)
    #expect(call.fulfilledValue?.status == 200 && paths == ["/x", "/x"])
    client.interceptors = []
  }
}
