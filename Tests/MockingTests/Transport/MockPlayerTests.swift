import CatenaSystem
import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct PlaybackMachineTests {
  private func machine(
    _ mock: Mock, idle: Duration? = nil
  ) -> PlaybackMachine {
    let steps = ResponseScript(mock).steps.map { step -> PlaybackMachine.Step in
      switch step {
      case .wait(let moment): .wait(until: moment)
      case .send(let segment): .bytes(segment)
      case .stream(let cursor): .stream(cursor)
      case .relay: preconditionFailure("the mock has no forwarded response")
      case .end(let ending): .end(ending)
      }
    }
    return PlaybackMachine(
      steps, for: HTTPRequest(url: URL(fileURLWithPath: "/"), idleTimeout: idle))
  }

  /// Runs the machine until it is idle and returns its actions as text.
  private func play(_ machine: inout PlaybackMachine) -> [String] {
    guard machine.begin() else { return ["already playing or over"] }
    var actions: [String] = []
    while true {
      switch machine.next() {
      case .deliver(let event): actions.append(name(event))
      case .finish(let event): return actions + [name(event)]
      case .generate(let range, let make): machine.generated(make(range), of: range)
      case .wait(let moment): return actions + ["wait \(moment)"]
      case .idle: return actions + ["idle"]
      }
    }
  }

  private func name(_ event: TransportEvent) -> String {
    switch event {
    case .connected, .servedLocally: "connected"
    case .sent(let bytes, _): "sent \(bytes)"
    case .head(let head): "\(head.status)"
    case .body(let data): String(decoding: data, as: UTF8.self)
    case .trailers(let trailers): "trailers \(trailers.count)"
    case .end(let metrics): "end \(metrics.total)"
    case .failure(let failure): "\(failure.code)"
    }
  }

  @Test func eachDelayIsScheduledOnce() {
    var machine = machine(.text("abc").delayed(by: .seconds(3)).bodyDelayed(by: .seconds(2)))
    #expect(play(&machine) == ["wait 3.0 seconds"])
    #expect(play(&machine) == ["idle"])
    machine.reached(.seconds(3))
    #expect(play(&machine) == ["200", "wait 5.0 seconds"])
    machine.reached(.seconds(5))
    #expect(play(&machine) == ["abc", "end 5.0 seconds"])
    #expect(play(&machine) == ["already playing or over"])
  }

  @Test func playbackIsExclusive() {
    var machine = machine(.text("a").dribbled(pieces: 1, over: .zero))
    let begins = [machine.begin(), machine.begin()]
    #expect(begins == [true, false])
    guard case .deliver = machine.next() else { return #expect(Bool(false), "expected the head") }
    // Called from the receiver.
    machine.cancel()
    #expect(play(&machine) == ["already playing or over"])
    guard case .finish(let event) = machine.next() else {
      return #expect(Bool(false), "expected the end")
    }
    #expect(name(event) == "cancelled")
  }

  @Test func noEventIsDeliveredDuringSuspension() {
    var machine = machine(.chunks([Data("a".utf8), Data("b".utf8)]))
    _ = machine.begin()
    guard case .deliver = machine.next() else { return #expect(Bool(false), "expected the head") }
    machine.suspend()
    guard case .idle = machine.next() else {
      return #expect(Bool(false), "the machine is not idle")
    }
    #expect(play(&machine) == ["idle"])
    machine.resume(at: .seconds(1))
    #expect(play(&machine).last == "end 1.0 seconds")
  }

  @Test func anExchangeWithoutBytesWaitsForTheIdleTimeout() {
    var late = machine(.text("a").delayed(by: .seconds(3)), idle: .seconds(2))
    #expect(play(&late) == ["wait 2.0 seconds"])
    late.reached(.seconds(2))
    #expect(play(&late) == ["timedOut(.idle)"])

    var soon = machine(.text("a").delayed(by: .seconds(2)), idle: .seconds(2))
    #expect(play(&soon) == ["wait 2.0 seconds"])
    soon.reached(.seconds(2))
    #expect(play(&soon) == ["200", "a", "end 2.0 seconds"])

    var stalled = machine(.text("abc").interrupted(by: .stall, at: .body(afterBytes: 1)))
    #expect(play(&stalled) == ["200", "a", "idle"])
    stalled.cancel()
    #expect(play(&stalled) == ["cancelled"])
  }

  @Test func timeInSuspensionDoesNotCountAsIdleTime() {
    var machine = machine(.text("a").delayed(by: .seconds(9)), idle: .seconds(2))
    #expect(play(&machine) == ["wait 2.0 seconds"])
    machine.suspend()
    machine.reached(.seconds(2))
    #expect(play(&machine) == ["idle"])
    machine.resume(at: .seconds(8))
    #expect(play(&machine) == ["wait 9.0 seconds"])
  }

  @Test func aLargeBodyIsGeneratedInPieces() {
    var machine = machine(.bytes(200_000))
    _ = machine.begin()
    var sizes: [Int] = []
    loop: while true {
      switch machine.next() {
      case .deliver(.body(let data)): sizes.append(data.count)
      case .generate(let range, let make): machine.generated(make(range), of: range)
      case .deliver: break
      case .finish, .wait, .idle: break loop
      }
    }
    #expect(sizes == [65_536, 65_536, 65_536, 3_392])
  }
}

@Suite(.gated)
struct MockExchangeTests {
  /// A scheduler whose short delays fire before `schedule` returns, like a timer on a faster
  /// thread.
  private final class EarlyTimerScheduler: Scheduler {
    let time = TestScheduler()
    private let skippedTime = Mutex(Duration.zero)

    var now: Duration { time.now + skippedTime.withLock { $0 } }

    func schedule(
      after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledAction {
      guard delay < .milliseconds(10) else { return time.schedule(after: delay, action) }
      skippedTime.withLock { $0 += delay }
      action()
      return ScheduledAction {}
    }
  }

  @Test func aTimerThatFiresBeforeItIsStoredDoesNotCancelTheNext() async throws {
    let scheduler = EarlyTimerScheduler()
    let transport = MockTransport(scheduler: scheduler) {
      Route(
        .get, "/",
        .text("ab").delayed(by: .milliseconds(1)).bodyDelayed(by: MockDelay.seconds(1)))
    }
    let isOver = Mutex(false)
    let url = try #require(URL(string: "http://a/"))
    let handle = transport.start(HTTPRequest(method: .get, url: url)) { event in
      if case .end = event { isOver.withLock { $0 = true } }
    }
    await scheduler.time.advance(by: .seconds(2))
    #expect(isOver.withLock { $0 })
    handle.cancel()
  }
}
