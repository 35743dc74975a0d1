import Foundation
import Mocking
import Promises
import TestSupport
import Testing

@testable import Networking

/// Replays that nobody asks for.
@Suite(.timeLimit(.minutes(10)))
struct AutomaticReplayTests {
  private let time = TestScheduler()
  private let server = MoodyServer()
  private let results = Log<String>()

  private func client(_ network: MockReachability) -> Networking<NotesAPI> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = .temporary
    configuration.reachability = NetworkReachability(monitor: network)
    configuration.replaysWhenReachable = true
    configuration.scheduler = time
    let client = Networking<NotesAPI>(transport: server.transport, configuration: configuration)
    client.onAutomaticReplay = { [results] result in
      let report = try? result.get()
      results.append("\(report?.delivered.count ?? -1) delivered, \(report?.kept.count ?? -1) kept")
    }
    return client
  }

  @Test func whatIsKeptIsReplayedEachTimeTheNetworkComesBack() async throws {
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
    server.mood = .answers(200)
    network.status = .over("wlan0")
    await time.run()
    #expect(results.entries == ["0 delivered, 2 kept", "2 delivered, 0 kept"])
    #expect(try client.offlineStore.count == 0)
  }

  @Test func aNetworkThatWasThereHasNotComeBack() async throws {
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

  @Test func aRequestThatIsKeptTooLateForTheReplayHasOneOfItsOwn() async throws {
    let network = MockReachability(.unreachable)
    let client = client(network)
    server.mood = .isSilent
    _ = client.request(NotesAPI.add("a").timingOut(after: .seconds(5)))
    await time.advance(by: .seconds(1))
    network.status = .over("wlan0")
    await time.advance(by: .seconds(1))
    #expect(results.entries == ["0 delivered, 0 kept"])
    server.mood = .answers(200)
    await time.advance(by: .seconds(3))
    #expect(results.entries == ["0 delivered, 0 kept", "1 delivered, 0 kept"])
  }

  @Test func aStoreThatIsBusyIsReplayedWhenItIsNoLonger() async throws {
    let network = MockReachability(.unreachable)
    let client = client(network)
    _ = client.request(.add("a"))
    await time.run()
    let store = try client.offlineStore
    let other = try FileLock(waitingFor: store.folder.path + "/replay.lock")

    server.mood = .answers(200)
    network.status = .over("wlan0")
    await time.advance(by: .seconds(60))
    #expect(results.entries == [])
    _ = consume other
    await time.advance(by: .seconds(10))
    #expect(results.entries == ["1 delivered, 0 kept"])
    #expect(try store.count == 0)
    await time.run()
    #expect(results.entries.count == 1)
  }

  @Test func aStoreThatIsBusyIsLeftAloneWhileThereIsNoNetwork() async throws {
    let network = MockReachability(.unreachable)
    let client = client(network)
    _ = client.request(.add("a"))
    await time.run()
    let store = try client.offlineStore
    let other = try FileLock(waitingFor: store.folder.path + "/replay.lock")
    network.status = .over("wlan0")
    await time.advance(by: .seconds(1))
    network.status = .unreachable
    // To its end: nobody asks on and on.
    await time.run()
    _ = consume other
    server.mood = .answers(200)
    network.status = .over("wlan0")
    await time.run()
    #expect(results.entries == ["1 delivered, 0 kept"])
  }

  @Test func aClientThatHasGoneReplaysNothing() async throws {
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

  @Test func oneReplayAtATimeAndAnotherForWhatCameMeanwhile() {
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

  @Test func aChangeThatWasMissedMayHaveBeenTheNetworksGoing() {
    var machine = Machine(.init(number: 1, status: .over("a")))
    #expect(machine.reachabilityChanged(.init(number: 2, status: .over("b"))) == nil)
    #expect(machine.reachabilityChanged(.init(number: 4, status: .over("b"))) == .replay)
  }
}
