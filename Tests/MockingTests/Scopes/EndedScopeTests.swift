import Foundation
import Mocking
import TestSupport
import Testing

/// What is left of a scope when it is over makes no call to the network unawares.
@Suite(.timeLimit(.minutes(10)))
struct EndedScopeTests {
  private enum API: RequestConvertible {
    case name

    static let baseURL: URL? = URL(string: "https://api.example.com/")
    var request: Request { .get("name") }
  }

  private enum OtherAPI: RequestConvertible {
    case name

    static let baseURL: URL? = URL(string: "https://other.example.com/")
    var request: Request { .get("name") }
  }

  private let network = FakeTransport { _ in .response(299) }

  private func named(_ name: String) -> MockProvider<API> {
    MockProvider { _ in .text(name) }
  }

  @Test func aClientThatOutlivesItsScopeFailsAndNamesIt() async throws {
    let line: UInt = #line + 1
    let client = await withMocks(named("a")) { Networking<API>(transport: network) }
    let error = await client.request(.name).result.failure(as: NetworkError.self)
    #expect(error?.code == .mockFailed)
    let reason =
      "the withMocks at MockingTests/EndedScopeTests.swift:\(line), in which this client was made or "
      + "this request was started, has ended, so there is no mock for endpoints of the type API"
    #expect(error?.description.contains(reason) == true)
    #expect(network.requests.isEmpty)
  }

  @Test func aClientMadeBeforeHasItsOwnTransportAgain() async throws {
    let client = Networking<API>(transport: network)
    let name = try await withMocks(named("a")) { try await client.request(.name).toString().value }
    #expect(name == "a")
    #expect(try await client.request(.name).value.status == 299)
  }

  @Test func aTaskThatOutlivesItsScopeFailsWithAnyClient() async throws {
    let client = Networking<API>(transport: network)
    let (gate, open) = Promise<Void>.pending()
    let task = await withMocks(named("a")) {
      Task {
        try await gate.value
        // One made now belongs to the scope all the same.
        let made = Networking<API>(transport: network)
        return (await client.request(.name).result, await made.request(.name).result)
      }
    }
    open.fulfill(())
    let (first, second) = try await task.value
    #expect(first.failure(as: NetworkError.self)?.code == .mockFailed)
    #expect(second.failure(as: NetworkError.self)?.code == .mockFailed)
    #expect(network.requests.isEmpty)
  }

  @Test func theScopeOutsideAnswersWhileItIsNotOver() async throws {
    let client = try await withMocks(named("outer")) {
      let client = await withMocks(named("inner")) { Networking<API>(transport: network) }
      let name = try await client.request(.name).toString().value
      #expect(name == "outer")
      return client
    }
    #expect(await client.request(.name).result.failure(as: NetworkError.self) != nil)
    #expect(network.requests.isEmpty)
  }

  @Test func anotherScopeAnswersTheClientOfOneThatIsOver() async throws {
    let client = await withMocks(named("a")) { Networking<API>(transport: network) }
    let name = try await withMocks(named("b")) { try await client.request(.name).toString().value }
    #expect(name == "b")
  }

  @Test func whatWasToPassPassesAndNothingElse() async throws {
    let clients = await withMocks(named("a"), unmatched: .pass) {
      (Networking<API>(transport: network), Networking<OtherAPI>(transport: network))
    }
    #expect(await clients.0.request(.name).result.failure(as: NetworkError.self) != nil)
    #expect(try await clients.1.request(.name).value.status == 299)
    #expect(network.requests.map(\.url.host) == ["other.example.com"])
  }

  @Test func whatASurroundingScopeWasForDoesNotPass() async throws {
    let other = MockProvider<OtherAPI> { _ in .text("other") }
    let client = await withMocks(named("a")) {
      await withMocks(other, unmatched: .pass) { Networking<API>(transport: network) }
    }
    #expect(await client.request(.name).result.failure(as: NetworkError.self) != nil)
    #expect(network.requests.isEmpty)
  }

  @Test func aClientMadeByWhatOutlivesAScopeTakesRealTime() async throws {
    let time = TestScheduler()
    let (gate, open) = Promise<Void>.pending()
    let provider = MockProvider<API>(scheduler: time) { _ in .text("a") }
    let task = await withMocks(provider) {
      Task {
        try await gate.value
        let own = MockProvider<API> { _ in .text("own").delayed(by: .milliseconds(1)) }
        return try await Networking<API>(mockProvider: own).request(.name).toString().value
      }
    }
    open.fulfill(())
    #expect(try await task.value == "own")
  }
}
