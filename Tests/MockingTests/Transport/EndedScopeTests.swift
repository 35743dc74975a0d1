import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

/// Clients and tasks that outlive their scope never use the network unintentionally.
@Suite(.gated)
struct EndedScopeTests {
  private let network = FakeTransport { _ in .response(299) }

  @Test func aClientThatOutlivesItsScopeFailsWithTheScopesName() async throws {
    let line: UInt = #line + 1
    let client = await withMocks(MockProvider<NameAPI>.text("a")) {
      Networking<NameAPI>(transport: network)
    }
    let error = await client.request(.name).result.failure(as: NetworkError.self)
    #expect(error?.code == .mockFailed)
    let reason =
      "the withMocks at MockingTests/EndedScopeTests.swift:\(line), in which this client was made or "
      + "this request was started, has ended, so there is no mock for NameAPI.name"
    #expect(error?.description.contains(reason) == true)
    #expect(network.requests.isEmpty)
  }

  @Test func aClientCreatedBeforeTheScopeUsesItsTransportAgain() async throws {
    let client = Networking<NameAPI>(transport: network)
    let name = try await withMocks(MockProvider<NameAPI>.text("a")) {
      try await client.request(.name).toString().value
    }
    #expect(name == "a")
    #expect(try await client.request(.name).value.status == 299)
  }

  @Test func aTaskThatOutlivesItsScopeFailsWithAnyClient() async throws {
    let client = Networking<NameAPI>(transport: network)
    let (gate, open) = Promise<Void>.pending()
    let task = await withMocks(MockProvider<NameAPI>.text("a")) {
      Task {
        try await gate.value
        // A client created now still belongs to the scope.
        let lateClient = Networking<NameAPI>(transport: network)
        return (await client.request(.name).result, await lateClient.request(.name).result)
      }
    }
    open.fulfill(())
    let (first, second) = try await task.value
    #expect(first.failure(as: NetworkError.self)?.code == .mockFailed)
    #expect(second.failure(as: NetworkError.self)?.code == .mockFailed)
    #expect(network.requests.isEmpty)
  }

  @Test func theOuterScopeRespondsUntilItEnds() async throws {
    let client = try await withMocks(MockProvider<NameAPI>.text("outer")) {
      let client = await withMocks(MockProvider<NameAPI>.text("inner")) {
        Networking<NameAPI>(transport: network)
      }
      let name = try await client.request(.name).toString().value
      #expect(name == "outer")
      return client
    }
    #expect(await client.request(.name).result.failure(as: NetworkError.self) != nil)
    #expect(network.requests.isEmpty)
  }

  @Test func aScopeThatEndsWhileItSelectsATransportDoesNotFailARequestOfAnOpenOuterScope()
    async throws
  {
    try await withMocks(MockProvider<NameAPI>.text("outer")) {
      let inner = await withMocks(MockProvider<NameAPI>.text("inner")) {
        TransportScope(NoTransports(), scheduler: .live).outer
      }
      let scope = try #require(inner)
      let transport = try #require(
        scope.transports.transport(for: NameAPI.name, in: scope, real: network))
      let record = await transport.perform(HTTPRequest(url: .of("https://a.test/name")))
      #expect(record.head?.status == 200)
    }
  }

  @Test func anotherScopeRespondsToTheClientOfAnEndedScope() async throws {
    let client = await withMocks(MockProvider<NameAPI>.text("a")) {
      Networking<NameAPI>(transport: network)
    }
    let name = try await withMocks(MockProvider<NameAPI>.text("b")) {
      try await client.request(.name).toString().value
    }
    #expect(name == "b")
  }

  @Test func onlyUnmatchedRequestsPassToTheNetwork() async throws {
    let clients = await withMocks(MockProvider<NameAPI>.text("a"), unmatched: .pass) {
      (Networking<NameAPI>(transport: network), Networking<OtherNameAPI>(transport: network))
    }
    #expect(await clients.0.request(.name).result.failure(as: NetworkError.self) != nil)
    #expect(try await clients.1.request(.name).value.status == 299)
    #expect(network.requests.map(\.url.host) == ["other.example.com"])
  }

  @Test func requestsOfAnOuterScopeDoNotPassToTheNetwork() async throws {
    let other = MockProvider<OtherNameAPI> { _ in .text("other") }
    let client = await withMocks(MockProvider<NameAPI>.text("a")) {
      await withMocks(other, unmatched: .pass) { Networking<NameAPI>(transport: network) }
    }
    #expect(await client.request(.name).result.failure(as: NetworkError.self) != nil)
    #expect(network.requests.isEmpty)
  }

  @Test func aClientCreatedAfterItsScopeEndedUsesRealTime() async throws {
    let time = TestScheduler()
    let (gate, open) = Promise<Void>.pending()
    let provider = MockProvider<NameAPI>(scheduler: time) { _ in .text("a") }
    let task = await withMocks(provider) {
      Task {
        try await gate.value
        let own = MockProvider<NameAPI> { _ in .text("own").delayed(by: .milliseconds(1)) }
        return try await Networking<NameAPI>(mockProvider: own).request(.name).toString().value
      }
    }
    open.fulfill(())
    #expect(try await task.value == "own")
  }
}

private struct NoTransports: ScopedTransports {
  func transport(
    for endpoint: any RequestConvertible, in scope: TransportScope, real: any Transport
  ) -> (any Transport)? { nil }
}
