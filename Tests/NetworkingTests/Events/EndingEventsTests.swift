import Foundation
import Mocking
import Networking
import Promises
import TestSupport
import Testing

/// The ends of calls: one for each, and nothing after it.
@Suite(.timeLimit(.minutes(5)))
struct EndingEventsTests {
  private let stand = EventStand()

  @Test func aCallThatIsCancelledWhileItWaitsNeverStarts() async throws {
    let client = stand.client(mode: .sync) {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    _ = client.request(.get("boards"))
    let waiting = client.request(.get("boards"))
    await stand.time.advance(by: .seconds(1))
    waiting.cancel()
    waiting.cancel()
    await stand.time.run()
    #expect(stand.monitor.events.byCall.last?.numbered == ["0.0 0.0 queued", "0.0 1.0 cancelled"])
  }

  @Test func cancellingBreaksACallOffWhereItIs() async throws {
    let client = stand.client {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    let call = client.request(.get("boards"))
    await stand.time.advance(by: .seconds(1))
    call.cancel()
    await stand.time.run()
    #expect(
      stand.monitor.events.numbered == EventStand.begun
        + EventStand.hop("1.1", 200).prefix(3) + ["1.1 1.0 cancelled"])
  }

  @Test func cancellingAllEndsEachCallOnce() async throws {
    let client = stand.client(mode: .limited(2)) {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    for _ in 0..<10 { _ = client.request(.get("boards")) }
    await stand.time.advance(by: .seconds(1))
    client.cancelAllRequests()
    await stand.time.run()
    let calls = stand.monitor.events.byCall
    #expect(calls.count == 10)
    #expect(calls.allSatisfy { $0.words.last == "cancelled" && $0.filter(\.isFinal).count == 1 })
  }

  @Test func theLastConsumersLeavingIsACancellation() async throws {
    let client = stand.client {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    let text = client.request(.get("boards")).validate().toString()
    await stand.time.advance(by: .seconds(1))
    text.cancel()
    await stand.time.run()
    #expect(stand.monitor.events.words.last == "cancelled")
  }

  @Test func whatTheMiddlewareRefusesFailsBeforeAnyAttempt() async throws {
    let client = stand.client()
    client.middleware = { _ in .rejected(TestError("closed")) }
    _ = client.request(.get("boards")).fail { _ in }
    await stand.time.run()
    #expect(
      stand.monitor.events.numbered == EventStand.begun + ["0.0 0.0 failed: TestError(closed)"])
  }

  @Test func whatCannotBeBuiltFailsBeforeAnyAttempt() async throws {
    let client = stand.client()
    _ = client.request(.get("boards", headers: ["X": "a\r\n"])).fail { _ in }
    await stand.time.run()
    #expect(stand.monitor.events.count == 3)
    guard case .failed(let failure)? = stand.monitor.events.last?.kind else {
      return #expect(Bool(false), "\(stand.monitor.events)")
    }
    #expect(failure.code == .invalidHeader)
  }

  private enum Thrower: RequestConvertible {
    case board
    static let baseURL: URL? = nil
    var request: Request { get throws { throw TestError("no request") } }
  }

  @Test func anEndpointThatThrowsHasItsFailureAlone() async throws {
    let monitor = RecordingMonitor()
    let client = Networking<Thrower>(transport: MockTransport(routes: []))
    client.addMonitor(monitor)
    _ = client.request(.board).fail { _ in }
    let events = await monitor.events(ofCalls: 1)
    #expect(events.words == ["failed: TestError(no request)"])
    #expect(events.first?.request == nil)
  }

  @Test func aDeadlineOfTheCallIsItsFailure() async throws {
    let client = stand.client {
      $0.callTimeout = .seconds(3)
    } routes: {
      Route(.get, "/boards", Mock.text("late").delayed(by: .seconds(5)))
    }
    _ = client.request(.get("boards")).fail { _ in }
    await stand.time.run()
    #expect(
      stand.monitor.events.numbered == EventStand.begun
        + EventStand.hop("1.1", 200).prefix(3)
        + ["1.1 3.0 failed: the call timed out"])
  }

  @Test func anAttemptThatTimedOutIsNotHeardOfAgain() async throws {
    // It answers when the next attempt is under way, as it does not care for being cancelled.
    let transport = DeafTransport(after: .seconds(5), scheduler: stand.time)
    let client = stand.client(over: transport) {
      $0.attemptTimeout = .seconds(2)
      $0.retry = .delayed(.seconds(2), limit: 1)
    }
    _ = client.request(.get("boards")).fail { _ in }
    await stand.time.run()
    #expect(
      stand.monitor.events.numbered == EventStand.begun + [
        "1.1 0.0 sending",
        "1.1 2.0 retrying in 2.0 seconds (attempt 2): the attempt timed out",
        "2.1 4.0 sending",
        "2.1 6.0 failed: the attempt timed out, after 2 attempts "
          + "(the attempt timed out, after 2.0 seconds the attempt timed out)",
      ])
  }

  /// Answers late, and whatever happens meanwhile.
  private struct DeafTransport: Transport {
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
