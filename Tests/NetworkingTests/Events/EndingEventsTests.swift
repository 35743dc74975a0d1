import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// Each call has exactly one end event, and no event after it.
@Suite(.gated)
struct EndingEventsTests {
  private let fixture = EventFixture()

  @Test func aCallCancelledInTheQueueNeverStarts() async throws {
    let client = fixture.client(mode: .sync) {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    _ = client.request(.get("boards"))
    let waiting = client.request(.get("boards"))
    await fixture.time.advance(by: .seconds(1))
    waiting.cancel()
    waiting.cancel()
    await fixture.time.run()
    #expect(
      fixture.monitor.events.byCall.last?.timedKinds == ["0.0 0.0 queued", "0.0 1.0 cancelled"])
  }

  @Test func cancellationEndsARunningCall() async throws {
    let client = fixture.client {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    let call = client.request(.get("boards"))
    await fixture.time.advance(by: .seconds(1))
    call.cancel()
    await fixture.time.run()
    let begun: [String] = EventFixture.begun + EventFixture.hop("1.1", 200).prefix(3)
    #expect(fixture.monitor.events.timedKinds == begun + ["1.1 1.0 cancelled"])
  }

  @Test func cancellingAllEndsEachCallOnce() async throws {
    let client = fixture.client(mode: .limited(2)) {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    for _ in 0..<10 { _ = client.request(.get("boards")) }
    await fixture.time.advance(by: .seconds(1))
    client.cancelAllRequests()
    await fixture.time.run()
    let calls = fixture.monitor.events.byCall
    #expect(calls.count == 10)
    #expect(calls.allSatisfy { $0.kinds.last == "cancelled" && $0.filter(\.isFinal).count == 1 })
  }

  @Test func cancellingTheLastConsumerIsACancellation() async throws {
    let client = fixture.client {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    let text = client.request(.get("boards")).validate().toString()
    await fixture.time.advance(by: .seconds(1))
    text.cancel()
    await fixture.time.run()
    #expect(fixture.monitor.events.kinds.last == "cancelled")
  }

  @Test func aRequestRejectedByTheMiddlewareFailsBeforeAnyAttempt() async throws {
    let client = fixture.client()
    client.middleware = { _, _ in .rejected(TestError("closed")) }
    _ = client.request(.get("boards")).fail { _ in }
    await fixture.time.run()
    #expect(
      fixture.monitor.events.timedKinds == EventFixture.begun + [
        "0.0 0.0 failed: TestError(closed)"
      ])
  }

  @Test func anInvalidRequestFailsBeforeAnyAttempt() async throws {
    let client = fixture.client()
    _ = client.request(.get("boards", headers: ["X": "a\r\n"])).fail { _ in }
    await fixture.time.run()
    #expect(fixture.monitor.events.count == 3)
    guard case .failed(let failure)? = fixture.monitor.events.last?.kind else {
      return #expect(Bool(false), "\(fixture.monitor.events)")
    }
    #expect(failure.code == .invalidHeader)
  }

  private enum ThrowingEndpoint: RequestConvertible {
    case board
    static let baseURL: URL? = nil
    var request: Request { get throws { throw TestError("no request") } }
  }

  @Test func aThrowingEndpointHasOnlyAFailureEvent() async throws {
    let monitor = RecordingMonitor()
    let client = Networking<ThrowingEndpoint>(transport: MockTransport(routes: []))
    client.addMonitor(monitor)
    _ = client.request(.board).fail { _ in }
    let events = await monitor.events(ofCalls: 1)
    #expect(events.kinds == ["failed: TestError(no request)"])
    #expect(events.first?.request == nil)
  }

  @Test func theCallTimeoutIsAFailure() async throws {
    let client = fixture.client {
      $0.callTimeout = .seconds(3)
    } routes: {
      Route(.get, "/boards", Mock.text("late").delayed(by: .seconds(5)))
    }
    _ = client.request(.get("boards")).fail { _ in }
    await fixture.time.run()
    let begun: [String] = EventFixture.begun + EventFixture.hop("1.1", 200).prefix(3)
    #expect(fixture.monitor.events.timedKinds == begun + ["1.1 3.0 failed: the call timed out"])
  }

  @Test func anAttemptThatTimedOutHasNoMoreEvents() async throws {
    // The transport ignores cancellation, so its response arrives during the next attempt.
    let transport = UncancellableTransport(after: .seconds(5), scheduler: fixture.time)
    let client = fixture.client(over: transport) {
      $0.attemptTimeout = .seconds(2)
      $0.retry = .delayed(.seconds(2), limit: 1)
    }
    _ = client.request(.get("boards")).fail { _ in }
    await fixture.time.run()
    #expect(
      fixture.monitor.events.timedKinds == EventFixture.begun + [
        "1.1 0.0 sending",
        "1.1 2.0 retrying in 2.0 seconds (attempt 2): the attempt timed out",
        "2.1 4.0 sending",
        "2.1 6.0 failed: the attempt timed out, after 2 attempts "
          + "(the attempt timed out; 2 s later the attempt timed out)",
      ])
  }

  /// A transport that responds after a delay and ignores cancellation.
  private struct UncancellableTransport: Transport {
    let after: Duration
    let scheduler: any Scheduler

    init(after: Duration, scheduler: any Scheduler) {
      self.after = after
      self.scheduler = scheduler
    }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportHandle {
      _ = scheduler.schedule(after: after) {
        for event in [TransportEvent].response(200, [:], "late") { receive(event) }
      }
      return Handle()
    }

    private struct Handle: TransportHandle {
      func cancel() {}
      func suspend() {}
      func resume() {}
    }
  }
}
