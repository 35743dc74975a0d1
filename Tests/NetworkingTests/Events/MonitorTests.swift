import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The monitors of a client: delivery, order, and isolation from requests.
@Suite(.gated)
struct MonitorTests {
  private func client(
    mode: RequestMode = .async, _ monitors: [any NetworkMonitor] = []
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configuration.monitors = monitors
    let client = Networking<Request>(
      mode: mode,
      transport: MockTransport { Route(nil, "/{rest*}", .text("hello")) },
      configuration: configuration)
    client.baseURL = URL(string: "https://api.example.com/")
    client.callbackContext = .inline
    return client
  }

  private let whole = [
    "queued", "started", "sending", "served by mock", "request sent", "head 200",
    "body of 5 bytes", "finished with 200",
  ]

  @Test func eachMonitorReceivesAllEvents() async throws {
    let monitors = [RecordingMonitor(), RecordingMonitor()]
    let client = client(monitors)
    let closure = Log<NetworkEvent>()
    client.addMonitor { event in closure.append(event) }
    _ = try await client.request(.get("boards")).value
    for monitor in monitors { #expect(await monitor.events(ofCalls: 1).kinds == whole) }
    #expect(await closure.entries(8).kinds == whole)
  }

  @Test(arguments: [RequestMode.async, .limited(8), .sync])
  func theEventsOfAThousandConcurrentCallsAreOrderedWithOneEndEach(_ mode: RequestMode) async throws
  {
    let monitor = RecordingMonitor()
    let client = client(mode: mode, [monitor])
    await onThreads(4) { _ in
      for _ in 0..<250 { _ = client.request(.get("boards")) }
    }
    let calls = await monitor.events(ofCalls: 1_000).byCall
    #expect(calls.count == 1_000)
    for call in calls {
      #expect(call.kinds == whole)
      #expect(zip(call, call.dropFirst()).allSatisfy { $0.elapsed <= $1.elapsed })
    }
  }

  @Test func aThousandConcurrentlyCancelledCallsHaveOneEndEach() async throws {
    let monitor = RecordingMonitor()
    let client = client(mode: .limited(8), [monitor])
    let calls = Log<NetworkPromise>()
    await onThreads(4) { index in
      for _ in 0..<250 {
        let call = client.request(.get("boards"))
        if index.isMultiple(of: 2) { call.cancel() } else { calls.append(call) }
      }
    }
    for call in calls.entries { _ = await call.result }
    for call in await monitor.events(ofCalls: 1_000).byCall {
      #expect(call.count(where: \.isFinal) == 1 && call.last?.isFinal == true)
      #expect(call.kinds.dropLast().elementsEqual(whole.prefix(call.count - 1)))
    }
  }

  @Test func aSlowMonitorDelaysNoRequest() async throws {
    let gate = DispatchSemaphore(value: 0)
    let slow = Log<NetworkEvent>()
    let client = client()
    client.addMonitor { event in
      gate.wait()
      slow.append(event)
    }
    let quick = RecordingMonitor()
    client.addMonitor(quick)
    for _ in 0..<100 { _ = try await client.request(.get("boards")).value }
    #expect(await quick.events(ofCalls: 100).count == 800)
    #expect(slow.entries.isEmpty)
    for _ in 0..<800 { gate.signal() }
    #expect(await slow.entries(800).byCall.map(\.kinds) == Array(repeating: whole, count: 100))
  }

  @Test func eventsAreDeliveredToAMonitorSerially() async throws {
    let running = Counter()
    let client = client()
    let seen = Log<Int>()
    client.addMonitor { _ in
      seen.append(running.add())
      running.add(-1)
    }
    await onThreads(4) { _ in
      for _ in 0..<100 { _ = client.request(.get("boards")) }
    }
    #expect(await seen.entries(3_200).allSatisfy { $0 == 1 })
  }

  @Test func aMonitorMayMakeRequestsThatItObserves() async throws {
    let (client, seen) = (client(), Log<NetworkEvent>())
    client.addMonitor { [weak client] event in
      if event.isFinal, seen.entries.count < 72 { _ = client?.request(.get("next")) }
      seen.append(event)
    }
    _ = client.request(.get("boards"))
    #expect(await seen.entries(80).byCall.map(\.kinds) == Array(repeating: whole, count: 10))
  }

  @Test func flushWaitsUntilSlowMonitorsAndLogsHaveAllEvents() async throws {
    let (slow, log) = (Log<NetworkEvent>(), Log<NetworkLogEntry>())
    var configuration = NetworkingConfiguration.plain
    configuration.logging = LoggingConfiguration(.info, to: ClosureLogger { log.append($0) })
    let client = Networking<Request>(
      transport: MockTransport { Route(nil, "/{rest*}", .text("hello")) },
      configuration: configuration)
    client.baseURL = URL(string: "https://api.example.com/")
    client.callbackContext = .inline
    let gate = DispatchSemaphore(value: 0)
    client.addMonitor { event in
      gate.wait()
      slow.append(event)
    }
    for round in 1...20 {
      _ = try await client.request(.get("boards")).value
      for _ in 0..<8 { gate.signal() }
      await client.flush()
      #expect(slow.entries.count == 8 * round && log.entries.count == 2 * round)
    }
  }

  @Test func eventsBeforeATurnOfTheReceiverNeedOnlyThatTurn() async {
    let (turns, seen) = (Counter(), Log<NetworkEvent>())
    let serial = DispatchQueue(label: "receiver")
    let context = ExecutionContext.custom { job in
      turns.add()
      serial.async(execute: job)
    }
    let queue = EventQueue(on: context, scheduler: LiveScheduler.system) { seen.append($0.event) }
    for _ in 0..<1_000 { _ = queue.add(.init(event: NetworkEvent(.queued))) }
    for _ in 0..<10 { queue.deliver() }
    _ = await seen.entries(1_000)
    #expect(turns.value == 1)
  }

  @Test func aRemovedMonitorReceivesNoEvents() async throws {
    let (removed, kept) = (RecordingMonitor(), RecordingMonitor())
    let client = client([kept])
    let registration = client.addMonitor(removed)
    _ = try await client.request(.get("boards")).value
    _ = await removed.events(ofCalls: 1)
    registration.remove()
    registration.remove()
    _ = try await client.request(.get("boards")).value
    #expect(await kept.events(ofCalls: 2).count == 16)
    #expect(removed.events.count == 8)
  }

  @Test func aMonitorRemovedDuringACallReceivesNoMoreEvents() async throws {
    let gate = DispatchSemaphore(value: 0)
    let (entered, seen) = (Log<Void>(), Counter())
    let client = client()
    let registration = client.addMonitor { _ in
      seen.add()
      entered.append(())
      gate.wait()
    }
    _ = try await client.request(.get("boards")).value
    _ = await entered.entries(1)
    registration.remove()
    let kept = RecordingMonitor()
    client.addMonitor(kept)
    gate.signal()
    _ = try await client.request(.get("boards")).value
    _ = await kept.events(ofCalls: 1)
    #expect(seen.value == 1)
  }

  @Test func aMonitorIsReleasedOnRemovalOrWithItsClient() async throws {
    let live = InstanceCounter()
    func monitor() -> @Sendable (NetworkEvent) -> Void {
      let token = live.token()
      return { _ in withExtendedLifetime(token) {} }
    }
    let quick = RecordingMonitor()
    do {
      let client = client([quick])
      let registration = client.addMonitor(monitor())
      client.addMonitor(monitor())
      _ = try await client.request(.get("boards")).value
      #expect(live.liveCount == 2)
      registration.remove()
      #expect(live.liveCount == 1)
    }
    _ = await quick.events(ofCalls: 1)
    // The end of the monitor queue's last delivery cannot be awaited.
    while live.liveCount > 0 { await Task.yield() }
  }

  @Test func aMonitorReceivesOnlyCallsStartedAfterItWasAdded() async throws {
    let transport = FakeTransport { request in
      request.url.path == "/late" ? [] : .response(200)
    }
    let client = Networking<Request>(transport: transport, configuration: .plain)
    client.callbackContext = .inline
    let first = RecordingMonitor()
    client.addMonitor(first)
    let early = client.request(.get("https://api.example.com/late"))
    _ = await first.events(3)
    let second = RecordingMonitor()
    client.addMonitor(second)
    early.cancel()
    _ = try await client.request(.get("https://api.example.com/")).value
    #expect(await second.events(ofCalls: 1).byCall.count == 1)
    #expect(
      await first.events(ofCalls: 2).byCall.map(\.kinds.last) == [
        "cancelled", "finished with 200",
      ])
    #expect(second.events.byCall.count == 1)
  }

  @Test func aCallOutlivesItsClientWithItsMonitors() async throws {
    let time = TestScheduler()
    let monitor = RecordingMonitor()
    func begin() {
      var configuration = NetworkingConfiguration.plain
      configuration.scheduler = time
      configuration.monitors = [monitor]
      let client = Networking<Request>(
        transport: MockTransport(scheduler: time) {
          Route(nil, "/{rest*}", Mock.text("hello").delayed(by: .seconds(1)))
        }, configuration: configuration)
      _ = client.request(.get("https://api.example.com/boards"))
    }
    begin()
    await time.run()
    #expect(await monitor.events(ofCalls: 1).kinds == whole)
  }
}
