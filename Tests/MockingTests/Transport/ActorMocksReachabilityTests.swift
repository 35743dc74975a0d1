import Mocking
import TestGate
import TestSupport
import Testing

/// Requests whose mocks are selected on an actor, while the network is unreachable.
@Suite(.gated)
struct ActorMocksReachabilityTests {
  private let network = FakeTransport { _ in .response(299) }

  private func provider(
    scheduler: any Scheduler = .live, _ mock: Mock?
  ) -> MockProvider<NameAPI> {
    MockProvider(scheduler: scheduler) { @MainActor _ in mock }
  }

  private func configuration(
    _ policy: ReachabilityPolicy, _ status: MockReachability
  ) -> NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.reachability = NetworkReachability(monitor: status)
    configuration.whenUnreachable = policy
    return configuration
  }

  @Test(arguments: [false, true])
  func onlyRequestsWithoutAMockNeedTheNetwork(_ isRequestOnTheActor: Bool) async {
    let configuration = configuration(.fail, MockReachability(.unreachable))
    for mock in [Mock.status(201), nil] {
      let networking = Networking(
        mockProvider: provider(mock), transport: network,
        configuration: configuration)
      let response =
        isRequestOnTheActor
        ? await MainActor.run { networking.request(.name) } : networking.request(.name)
      let result = await response.result
      if mock == nil {
        #expect(result.failure(as: NetworkError.self)?.code == .notConnectedToInternet)
      } else {
        #expect((try? result.get())?.status == 201)
      }
    }
    #expect(network.requests.isEmpty)
  }

  @Test func aRequestWithoutAMockWaitsForTheNetwork() async {
    let (time, status) = (TestScheduler(), MockReachability(.unreachable))
    let networking = Networking(
      mockProvider: provider(scheduler: time, nil), transport: network,
      configuration: configuration(.wait(atMost: .seconds(30)), status))
    networking.callbackContext = .inline
    let response = networking.request(.name)
    await time.advance(by: .seconds(29))
    #expect(response.isPending && network.requests.isEmpty)
    status.status = .reachable()
    await time.advance(by: .zero)
    #expect((try? await response.value)?.status == 299)
  }

  @Test func requestsThatAnotherMockHandlesNeedNoNetwork() async throws {
    let configuration = configuration(.fail, MockReachability(.unreachable))
    let silent = provider(nil)
    try await withMocks(silent, MockProvider<NameAPI>.text("next")) {
      let networking = Networking<NameAPI>(transport: network, configuration: configuration)
      let name = try await networking.request(.name).toString().value
      #expect(name == "next")
    }
    let networking = Networking(
      mockProvider: silent, transport: network, configuration: configuration)
    try await withMocks(MockProvider<NameAPI>.text("scope")) {
      let name = try await networking.request(.name).toString().value
      #expect(name == "scope")
    }
    #expect(network.requests.isEmpty)
  }
}
