import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking

/// Automatic replay when the network becomes reachable.
@Suite(.gated)
struct AutomaticReplayTests {
  private let time = TestScheduler()
  private let server = SwitchableServer()
  private let results = Log<String>()

  private func client(_ network: MockReachability) -> Networking<NotesAPI> {
    var configuration = NetworkingConfiguration.offline(network, time)
    configuration.replaysWhenReachable = true
    let client = Networking<NotesAPI>(transport: server.transport, configuration: configuration)
    client.onAutomaticReplay { [results] result in
      let report = try? result.get()
      results.append("\(report?.delivered.count ?? -1) delivered, \(report?.kept.count ?? -1) kept")
    }
    return client
  }

  /// Stores a request and takes the lease of the store, as a replay by another process does.
  private func storeRequestAndLock(_ client: Networking<NotesAPI>) async throws -> FileLease {
    _ = client.request(.add("a"))
    await time.run()
    return try #require(
      try FileLease(taking: client.offlineStore.folder.path + "/replay.lock"))
  }

  @Test func storedRequestsAreReplayedWheneverTheNetworkReturns() async throws {
    let network = MockReachability(.unreachable)
    let client = client(network)
    _ = client.request(.add("a"))
    _ = client.request(.put(1))
    await time.run()
    #expect(try client.offlineStore.count == 2)

    network.status = .over("wlan0")
    await time.run()
    #expect(results.entries == ["0 delivered, 2 kept"])

    network.status = .unreachable
    await time.run()
    server.behavior = .responds(200)
    network.status = .over("wlan0")
    await time.run()
    #expect(results.entries == ["0 delivered, 2 kept", "2 delivered, 0 kept"])
    #expect(try client.offlineStore.count == 0)
  }

  @MainActor
  @Test func theHandlerRunsOnTheActorOfItsCodeUntilItIsRemoved() async throws {
    let network = MockReachability(.unreachable)
    let client = client(network)
    client.callbackContext = .inline
    let log = MainActorLog<Int>()
    client.onAutomaticReplay { result in log.append((try? result.get().delivered.count) ?? -1) }
    _ = client.request(.add("a"))
    await time.run()
    server.behavior = .responds(200)
    network.status = .over("wlan0")
    await time.run()
    #expect(log.entries == [1] && log.isOfMainQueue && results.entries.isEmpty)

    client.onAutomaticReplay(nil)
    network.status = .unreachable
    network.status = .over("wlan0")
    await time.run()
    #expect(log.entries == [1])
  }

  @Test func anUnchangedNetworkTriggersNoReplay() async throws {
    let network = MockReachability(.unknown)
    let client = client(network)
    _ = client.request(.add("a"))
    await time.run()
    network.status = .over("wlan0")
    network.status = .over("eth0")
    await time.run()
    #expect(results.entries == [])
    #expect(try client.offlineStore.count == 1)
  }

  @Test func aRequestStoredAfterTheReplayTriggersAnother() async throws {
    let network = MockReachability(.unreachable)
    let client = client(network)
    server.behavior = .stalls
    _ = client.request(NotesAPI.add("a"), .timeout(.seconds(5)))
    await time.advance(by: .seconds(1))
    network.status = .over("wlan0")
    await time.advance(by: .seconds(1))
    #expect(results.entries == ["0 delivered, 0 kept"])
    server.behavior = .responds(200)
    await time.advance(by: .seconds(3))
    #expect(results.entries == ["0 delivered, 0 kept", "1 delivered, 0 kept"])
  }

  @Test func aBusyStoreIsReplayedLater() async throws {
    let network = MockReachability(.unreachable)
    let client = client(network)
    let lock = try await storeRequestAndLock(client)
    server.behavior = .responds(200)
    network.status = .over("wlan0")
    await time.advance(by: .seconds(60))
    #expect(results.entries == [])
    lock.release()
    await time.advance(by: .seconds(10))
    #expect(results.entries == ["1 delivered, 0 kept"])
    #expect(try client.offlineStore.count == 0)
    await time.run()
    #expect(results.entries.count == 1)
  }

  @Test func aBusyStoreIsNotPolledWithoutANetwork() async throws {
    let network = MockReachability(.unreachable)
    let client = client(network)
    let lock = try await storeRequestAndLock(client)
    network.status = .over("wlan0")
    await time.advance(by: .seconds(1))
    network.status = .unreachable
    // `run` returns, so the client does not poll.
    await time.run()
    lock.release()
    server.behavior = .responds(200)
    network.status = .over("wlan0")
    await time.run()
    #expect(results.entries == ["1 delivered, 0 kept"])
  }

  @Test func aReleasedClientReplaysNothing() async throws {
    let network = MockReachability(.unreachable)
    var client: Networking<NotesAPI>? = client(network)
    #expect(network.observerCount == 1)
    _ = client
    client = nil
    #expect(network.observerCount == 0)
    network.status = .over("wlan0")
    await time.run()
    #expect(results.entries == [])
  }

  // MARK: The machine

  private typealias Machine = AutomaticReplayMachine

  @Test func replaysAreSerialAndChangesTriggerAnother() {
    var machine = Machine(.init(number: 1, status: .unreachable))
    #expect(machine.reachabilityChanged(.init(number: 2, status: .over("a"))) == .replay)
    #expect(machine.reachabilityChanged(.init(number: 3, status: .unreachable)) == nil)
    #expect(machine.reachabilityChanged(.init(number: 4, status: .over("a"))) == nil)
    #expect(machine.entryStored(since: 3) == nil)
    #expect(machine.replayEnded() == .replay)
    #expect(machine.replayEnded() == nil)
    #expect(machine.entryStored(since: 4) == nil)
    #expect(machine.entryStored(since: 3) == .replay)
    #expect(machine.reachabilityChanged(.init(number: 5, status: .unreachable)) == nil)
    #expect(machine.replayEnded() == nil)
  }

  @Test func aMissedChangeCountsAsALossOfTheNetwork() {
    var machine = Machine(.init(number: 1, status: .over("a")))
    #expect(machine.reachabilityChanged(.init(number: 2, status: .over("b"))) == nil)
    #expect(machine.reachabilityChanged(.init(number: 4, status: .over("b"))) == .replay)
  }
}
