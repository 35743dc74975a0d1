import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct ReachabilityStageTests {
  private let network = MockReachability(.unreachable)
  private let reachability: NetworkReachability
  private let time = TestScheduler()
  private let transport = FakeTransport { _ in .response(200) }

  init() {
    reachability = NetworkReachability(monitor: network)
  }

  private func send(
    _ policy: ReachabilityPolicy, _ url: String = "https://a.example/x?token=s"
  ) throws -> NetworkPromise {
    let stage = ReachabilityStage(reachability: reachability, policy: policy, scheduler: time)
    let request = HTTPRequest(url: try #require(URL(string: url)))
    return Pipeline([stage]).send(Exchange(request, over: transport))
  }

  @Test(arguments: [NetworkReachability.Status.unknown, .over("eth0")])
  func aRequestIsSentImmediatelyUnlessTheNetworkIsUnreachable(
    _ status: NetworkReachability.Status
  ) async throws {
    network.status = status
    #expect(try await send(.fail).value.status == 200)
  }

  @Test func theFailPolicyFailsImmediatelyWithoutANetwork() async throws {
    let error = try await send(.fail).result.failure(as: NetworkError.self)
    #expect(error?.code == .notConnectedToInternet && error?.attempts == 0)
    #expect(error?.description == "GET https://a.example/x?token=***: there is no network")
    #expect(transport.requests.isEmpty)
  }

  @Test func aWaitingRequestContinuesWhenTheNetworkReturns() async throws {
    let promise = try send(.wait(atMost: .seconds(30)))
    await time.advance(by: .seconds(29))
    #expect(promise.isPending && transport.requests.isEmpty)
    network.status = .over("eth0")
    #expect(try await promise.value.status == 200)
    #expect(time.scheduledCount == 0 && reachability.state.waiterCount == 0)
  }

  @Test func aWaitOutlivesItsStageAndRetainsTheMonitor() async throws {
    let network = MockReachability(.unreachable)
    let request = HTTPRequest(url: .of("https://a.example/x"))
    var pipeline: Pipeline? = Pipeline([
      ReachabilityStage(
        reachability: NetworkReachability(monitor: network),
        policy: .wait(atMost: .seconds(30)), scheduler: time)
    ])
    let promise = try #require(pipeline?.send(Exchange(request, over: transport)))
    pipeline = nil
    network.status = .over("eth0")
    #expect(try await promise.value.status == 200)
    #expect(network.observerCount == 0)
  }

  @Test func aWaitEndsAtItsLimit() async throws {
    let promise = try send(.wait(atMost: .seconds(30)))
    await time.advance(by: .seconds(30))
    let error = await promise.result.failure(as: NetworkError.self)
    #expect(error?.code == .notConnectedToInternet)
    #expect(error?.reason == "it did not become reachable within 30.0 seconds")
    #expect(transport.requests.isEmpty && reachability.state.waiterCount == 0)
  }

  @Test func cancellingAWaitingRequestReleasesEverything() throws {
    let promise = try send(.wait(atMost: .seconds(30)))
    #expect(reachability.state.waiterCount == 1 && time.scheduledCount == 1)
    promise.validate().toData().cancel()
    #expect(reachability.state.waiterCount == 0 && time.scheduledCount == 0)
    network.status = .over("eth0")
    #expect(transport.requests.isEmpty)
  }

  @Test func cancellingAContinuedRequestCancelsItsExchange() async throws {
    let transport = FakeTransport { _ in [] }
    let stage = ReachabilityStage(
      reachability: reachability, policy: .wait(atMost: .seconds(30)), scheduler: time)
    let request = HTTPRequest(url: .of("https://a.example/x"))
    let promise = Pipeline([stage]).send(Exchange(request, over: transport))
    network.status = .over("eth0")
    promise.cancel()
    #expect(transport.requests.count == 1 && transport.cancelled == 1)
  }

  @Test func aRequestToALocalServerDoesNotWait() async throws {
    #expect(try await send(.fail, "http://localhost:8080/x").value.status == 200)
  }

  @Test(arguments: [
    "http://localhost", "http://LOCALHOST:80", "http://api.localhost", "http://localhost./",
    "http://127.0.0.1", "http://127.1", "http://2130706433", "http://127.255.255.255",
    "http://0.0.0.0",
    "http://10.1.2.3", "http://172.16.0.1", "http://172.31.255.1", "http://192.168.1.1",
    "http://169.254.1.1", "http://100.64.0.1", "http://[::1]:8080/", "http://[::]",
    "http://[fe80::1]", "http://[fe80::1%25eth0]", "http://[fd00::1]", "http://[::ffff:10.0.0.1]",
    "http://printer", "http://printer.local", "http://db.internal", "http://nas.home.arpa",
  ])
  func loopbackAndPrivateServersAreLocal(_ url: String) throws {
    #expect(ReachabilityStage.isLocal(try #require(URL(string: url))))
  }

  @Test(arguments: [
    "http://a.example", "http://localhost.example", "http://notlocal.example", "http://8.8.8.8",
    "http://172.15.0.1", "http://172.32.0.1", "http://192.169.0.1", "http://100.128.0.1",
    "http://126.0.0.1", "http://128.0.0.1", "http://1.0.0.1",
    "http://[2001:db8::1]", "http://[::ffff:8.8.8.8]", "http://[::2]", "http://10.example",
    "http://[2001:db8::ff:a00:1]", "http://[2001:db8::ffff:a00:1]", "http://[::ff:a00:1]",
    "http://[::ff00:a00:1]", "http://[::a00:1]",
  ])
  func otherServersAreNotLocal(_ url: String) throws {
    #expect(!ReachabilityStage.isLocal(try #require(URL(string: url))))
  }
}
