import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct NetworkReachabilityTests {
  typealias Status = NetworkReachability.Status

  @Test func theStatusIsThatOfTheMonitor() {
    let network = MockReachability(.unreachable)
    let reachability = NetworkReachability(monitor: network)
    #expect(reachability.status == .unreachable && !reachability.status.isReachable)
    network.status = .over("eth0")
    #expect(reachability.status == .over("eth0") && reachability.status.isReachable)
  }

  @Test func whenReachableIsFulfilledImmediatelyIfReachable() {
    let reachability = NetworkReachability(monitor: MockReachability(.over("eth0")))
    #expect(!reachability.whenReachable().isPending)
    #expect(reachability.state.waiterCount == 0)
  }

  @Test(arguments: [Status.unknown, .unreachable])
  func whenReachableWaitsForTheNetwork(_ status: Status) {
    let network = MockReachability(status)
    let reachability = NetworkReachability(monitor: network)
    let log = Log<Int>()
    for number in 0..<3 {
      _ = reachability.whenReachable().done(on: .inline) { log.append(number) }
    }
    network.status = status == .unknown ? .unreachable : .unknown
    #expect(log.entries == [])
    network.status = .over("eth0")
    #expect(log.entries == [0, 1, 2])
    #expect(reachability.state.waiterCount == 0)
  }

  @Test func cancellationReleasesAWait() {
    let reachability = NetworkReachability(monitor: MockReachability(.unreachable))
    let promise = reachability.whenReachable()
    #expect(reachability.state.waiterCount == 1)
    promise.map { 1 }.cancel()
    #expect(promise.isCancelled && reachability.state.waiterCount == 0)
  }

  @Test func releaseEndsTheMonitorAndItsWaits() async {
    let network = MockReachability(.unreachable)
    var reachability: NetworkReachability? = NetworkReachability(monitor: network)
    let promise = reachability?.whenReachable()
    let changes = reachability?.changes
    #expect(network.observerCount == 1)
    reachability = nil
    #expect(network.observerCount == 0)
    #expect(promise?.isCancelled == true)
    var iterator = changes?.makeAsyncIterator()
    #expect(await iterator?.next() == nil)
  }

  @Test func aHandlerCanReleaseTheLastReference() {
    let network = MockReachability(.unreachable)
    let holder = Log<NetworkReachability>()
    var reachability: NetworkReachability? = NetworkReachability(monitor: network)
    let wait = reachability?.whenReachable()
    weak let released = reachability
    if let reachability { holder.append(reachability) }
    reachability = nil
    wait?.done(on: .inline) { network.status = .unreachable }
    network.status = .over("eth0")
    #expect(released?.status == .unreachable)
  }

  @Test func theFirstElementIsTheCurrentStatusAndOthersFollow() async {
    let network = MockReachability(.unreachable)
    let reachability = NetworkReachability(monitor: network)
    var iterator = reachability.changes.makeAsyncIterator()
    #expect(await iterator.next() == .unreachable)
    async let next = Self.next(after: iterator)
    network.status = .over("wlan0")
    #expect(await next == .over("wlan0"))
  }

  private static func next(after iterator: sending NetworkReachability.Changes.Iterator) async
    -> Status?
  {
    var iterator = iterator
    return await iterator.next()
  }

  @Test func aSlowConsumerReceivesTheLatestStatus() async {
    let network = MockReachability(.unknown)
    let reachability = NetworkReachability(monitor: network)
    var slow = reachability.changes.makeAsyncIterator()
    #expect(await slow.next() == .unknown)
    network.status = .unreachable
    network.status = .over("eth0")
    network.status = .over("wlan0")
    #expect(await slow.next() == .over("wlan0"))
    // A loss and a return are reported, although the status is the same as before.
    network.status = .unreachable
    network.status = .over("wlan0")
    #expect(await slow.next() == .over("wlan0"))
  }

  @Test func consumersAreIndependentAndEqualStatusesAreNotReported() async {
    let network = MockReachability(.unreachable)
    var reachability: NetworkReachability? = NetworkReachability(monitor: network)
    let logs = (0..<3).map { _ in Log<Status>() }
    let consumers = logs.map { log in
      let changes = reachability?.changes
      return Task {
        guard let changes else { return }
        for await status in changes { log.append(status) }
      }
    }
    for log in logs { #expect(await log.entries(1) == [.unreachable]) }
    network.status = .unreachable
    network.status = .over("eth0")
    for log in logs { #expect(await log.entries(2) == [.unreachable, .over("eth0")]) }
    reachability = nil
    for consumer in consumers { await consumer.value }
    for log in logs { #expect(log.entries.count == 2) }
  }

  @Test func aCancelledTaskEndsItsSequence() async {
    let reachability = NetworkReachability(monitor: MockReachability(.unreachable))
    let log = Log<Status>()
    let consumer = Task { [changes = reachability.changes] in
      for await status in changes { log.append(status) }
    }
    _ = await log.entries(1)
    consumer.cancel()
    await consumer.value
    #expect(reachability.state.waiterCount == 0)
  }

  @Test(
    arguments: [
      ("wlan0", .wifi), ("wlp2s0", .wifi), ("wwan0", .cellular), ("rmnet0", .cellular),
      ("eth0", .wired), ("enp0s3", .wired), ("tun0", .other), ("", .other),
    ] as [(String, NetworkReachability.Interface.Kind)])
  func theNameDeterminesTheKindOfAnInterface(
    _ name: String, _ kind: NetworkReachability.Interface.Kind
  ) {
    #expect(NetworkReachability.Interface(name: name).kind == kind)
  }
}

extension NetworkReachability.Status {
  /// Returns a reachable status with interfaces of these names.
  static func over(_ names: String...) -> Self {
    let interfaces = names.map { NetworkReachability.Interface(name: $0) }
    return .reachable(
      via: .init(interfaces: interfaces, isExpensive: interfaces.first?.kind == .cellular))
  }
}
