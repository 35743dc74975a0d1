import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

/// The requests of a client while the network is unreachable.
@Suite(.gated)
struct ClientReachabilityTests {
  private let time = TestScheduler()
  private let network = MockReachability(.unreachable)
  private let server = SwitchableServer(.responds(200))

  private func configuration(
    _ policy: ReachabilityPolicy?
  ) -> NetworkingConfiguration {
    var configuration = NetworkingConfiguration.offline(network, time)
    configuration.whenUnreachable = policy
    return configuration
  }

  private func client(_ policy: ReachabilityPolicy?) -> Networking<NotesAPI> {
    Networking(transport: server.transport, configuration: configuration(policy))
  }

  @Test func requestsAreSentByDefault() async throws {
    #expect(try await client(nil).request(.list).value.status == 200)
  }

  @Test func theFailPolicyFailsImmediatelyAndStoresOfflineRequests() async throws {
    let client = client(.fail)
    for (endpoint, isStoredOffline) in [(NotesAPI.list, false), (.add("a"), true)] {
      let error = await client.request(endpoint).result.failure(as: NetworkError.self)
      #expect(error?.code == .notConnectedToInternet && error?.isStoredOffline == isStoredOffline)
    }
    #expect(server.requests.isEmpty)
    network.status = .over("eth0")
    #expect(try await client.replay().value.delivered.count == 1)
  }

  @Test func theWaitPolicyFailsAtItsLimitAndStoresOfflineRequests() async throws {
    let client = client(.wait(atMost: .seconds(30)))
    let early = client.request(.list)
    await time.advance(by: .seconds(29))
    let late = client.request(.add("a"))
    await time.advance(by: .zero)
    #expect(early.isPending && server.requests.isEmpty)
    await time.advance(by: .seconds(1))
    #expect((early.rejectionError as? NetworkError)?.code == .notConnectedToInternet)
    network.status = .over("eth0")
    await time.advance(by: .zero)
    #expect(try await late.value.status == 200)
  }

  @Test func anUnreachableNetworkIsNotRetriedAndNotAnAttempt() async throws {
    var configuration = configuration(.fail)
    configuration.retry = .delayed(.seconds(1), limit: 3)
    configuration.retryBudget = RetryBudget(capacity: 1, refund: 0)
    let client = Networking<NotesAPI>(transport: server.transport, configuration: configuration)
    let refused = client.request(.list)
    await time.advance(by: .zero)
    let error = refused.rejectionError as? NetworkError
    #expect(error?.code == .notConnectedToInternet && error?.attempts == 0)
    #expect(error?.history.isEmpty == true)
    // The failed request took nothing from the retry budget, so this one is retried without a
    // network.
    network.status = .over("eth0")
    server.behavior = .fails(.connectionLost)
    let lost = client.request(.list)
    await time.advance(by: .zero)
    network.status = .unreachable
    await time.advance(by: .seconds(1))
    let late = lost.rejectionError as? NetworkError
    #expect(late?.code == .notConnectedToInternet && late?.attempts == 1)
    #expect(server.requests.count == 1)
  }

  @Test func theWaitHappensOnceAndNotForEachRetry() async throws {
    var configuration = configuration(.wait(atMost: .seconds(30)))
    configuration.retry = .delayed(.seconds(1), limit: 3)
    let client = Networking<NotesAPI>(transport: server.transport, configuration: configuration)
    let call = client.request(.list)
    await time.advance(by: .seconds(30))
    let error = call.rejectionError as? NetworkError
    #expect(error?.code == .notConnectedToInternet && error?.attempts == 0)
    #expect(time.scheduledCount == 0 && server.requests.isEmpty)
  }

  @Test func aRedirectWithoutANetworkIsAnAttemptAndNotRetried() async throws {
    let network = network
    let transport = FakeTransport { _ in
      network.status = .unreachable
      return .response(302, ["Location": "/elsewhere"])
    }
    network.status = .over("eth0")
    var configuration = configuration(.fail)
    configuration.retry = .delayed(.seconds(1), limit: 3)
    let call = Networking<NotesAPI>(transport: transport, configuration: configuration)
      .request(.list)
    await time.advance(by: .zero)
    let error = call.rejectionError as? NetworkError
    #expect(error?.code == .notConnectedToInternet && error?.attempts == 1)
    #expect(transport.requests.count == 1)
  }

  @Test func anUnreachableNetworkDoesNotOpenTheCircuit() async throws {
    let client = client(.fail)
    client.interceptors.append(CircuitBreaker(threshold: 1), at: .origin)
    _ = await client.request(.list).result
    network.status = .over("eth0")
    #expect(try await client.request(.list).value.status == 200)
  }

  @Test func mockedAndLocalRequestsNeedNoNetwork() async throws {
    let mocked = Networking(
      mockProvider: MockProvider<NotesAPI>(scheduler: time) { _ in .status(201) },
      configuration: configuration(.fail))
    #expect(try await mocked.request(.list).value.status == 201)
    let routed = Networking<NotesAPI>(
      transport: MockTransport { Route(.get, "/v1/notes") { _ in .status(202) } },
      configuration: configuration(.fail))
    #expect(try await routed.request(.list).value.status == 202)
    let local = client(.fail)
    local.baseURL = URL.of("http://127.0.0.1:8080/")
    #expect(try await local.request(.list).value.status == 200)
  }
}
