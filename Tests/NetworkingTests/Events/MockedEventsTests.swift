import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The exact events of mocked calls in virtual time, with their order and times.
@Suite(.gated)
struct MockedEventsTests {
  private let fixture = EventFixture()

  @Test func aSimpleCallReportsAllPhases() async throws {
    let client = fixture.client {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    let call = client.request(.get("boards"))
    await fixture.time.run()
    _ = try await call.value
    let events = fixture.monitor.events
    #expect(
      events.timedKinds == EventFixture.begun + EventFixture.hop("1.1", 200, bytes: 5, to: 2)
        + ["1.1 2.0 finished with 200"])
    #expect(
      events.map { $0.request?.description } == ["GET boards", "GET boards"]
        + Array(repeating: "GET https://api.example.com/boards", count: 6))
    #expect(Set(events.map(\.call)).count == 1)
    #expect(
      events.map(\.description).last
        == "\(events[0].call) GET https://api.example.com/boards: finished with 200")
  }

  @Test func theDatesOfEventsMatchTheirTimes() async throws {
    let client = fixture.client {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(45)))
    }
    _ = client.request(.get("boards"))
    await fixture.time.run()
    let (first, last) = (fixture.monitor.events.first, fixture.monitor.events.last)
    let (start, end) = (try #require(first?.date), try #require(last?.date))
    #expect(abs(end.timeIntervalSince(start) - 45) < 0.001)
  }

  @Test func aRetriedCallReportsEachAttempt() async throws {
    let client = fixture.client {
      $0.retry = .exponential(initial: .seconds(1), jitter: .none, limit: 3)
    } routes: {
      Route(.get, "/boards", .sequence(.status(503), .failure(.connectionLost), .json([])))
    }
    let call = client.request(.get("boards"))
    await fixture.time.run()
    _ = try await call.value
    #expect(
      fixture.monitor.events.timedKinds == EventFixture.begun + EventFixture.hop("1.1", 503) + [
        "1.1 0.0 retrying in 1.0 seconds (attempt 2): the status 503 is not acceptable",
        "2.1 1.0 sending", "2.1 1.0 served by mock", "2.1 1.0 request sent",
        "2.1 1.0 retrying in 2.0 seconds (attempt 3): the connection was lost: mocked",
      ] + EventFixture.hop("3.1", 200, bytes: 2, from: 3) + ["3.1 3.0 finished with 200"])
  }

  @Test func aCallWhoseRetriesFailIsAFailure() async throws {
    let client = fixture.client {
      $0.retry = .immediate(limit: 1)
    } routes: {
      Route(.get, "/boards", .failure(.cannotConnect))
    }
    _ = client.request(.get("boards")).fail { _ in }
    await fixture.time.run()
    let last = try #require(fixture.monitor.events.last)
    #expect(last.attempt == 2)
    guard case .failed(let failure) = last.kind else { return #expect(Bool(false), "\(last)") }
    #expect(failure.code == .cannotConnect)
    #expect(
      failure.description
        == "no connection could be made: mocked, after 2 attempts (no connection could be made; "
        + "no connection could be made)")
  }

  @Test func aRedirectedCallReportsEachHop() async throws {
    let client = fixture.client {
      Route(.post, "/old", .redirect(to: "/new?token=secret", status: 303))
      Route(.get, "/new", .text("there"))
    }
    let call = client.request(.post("old", parameters: ["a": 1]))
    await fixture.time.run()
    _ = try await call.value
    #expect(
      fixture.monitor.events.timedKinds == EventFixture.begun + [
        "1.1 0.0 sending 7 bytes", "1.1 0.0 served by mock", "1.1 0.0 request sent, 7 bytes",
        "1.1 0.0 head 303", "1.1 0.0 body of 0 bytes",
        "1.1 0.0 redirected to https://api.example.com/new?token=***",
      ] + EventFixture.hop("1.2", 200, bytes: 5) + ["1.2 0.0 finished with 200"])
    #expect(
      fixture.monitor.events.last?.request?.description
        == "GET https://api.example.com/new?token=***")
  }

  @Test func aLargeBodyReportsItsProgress() async throws {
    let client = fixture.client {
      Route(.put, "/boards", Mock.bytes(1 << 20).throttled(bytesPerSecond: 1 << 19))
    }
    let call = client.request(.upload(data: Data(count: 300_000), to: "boards", method: .put))
    await fixture.time.run()
    _ = try await call.value
    let progress = fixture.monitor.events.compactMap { event -> TransferProgress? in
      if case .progress(let progress) = event.kind { progress } else { nil }
    }
    let steps = zip(progress, progress.dropFirst()).map { $1.received.bytes - $0.received.bytes }
    #expect(!progress.isEmpty && progress.count <= 20)
    #expect(progress.allSatisfy { $0.received.total == 1 << 20 || $0.received.total == nil })
    #expect(steps.allSatisfy { $0 >= 0 })
    #expect(progress.last?.sent.bytes == 300_000 || progress.last?.received.bytes == 0)
    #expect(
      fixture.monitor.events.kinds.suffix(2) == ["body of 1048576 bytes", "finished with 200"])
  }

  @Test func eventsHaveTheMetricsOfTheResponse() async throws {
    let client = fixture.client {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    let call = client.request(.get("boards"))
    await fixture.time.run()
    let metrics = try await call.value.metrics
    #expect(metrics.firstByte == .seconds(2) && metrics.bytesReceived == 5)
    #expect(fixture.monitor.events.last?.kind == .finished(status: 200, metrics: metrics))
  }

  @Test(arguments: [RequestMode.sync, .limited(2)])
  func aCallWaitsInTheQueueBetweenQueuedAndStarted(_ mode: RequestMode) async throws {
    let client = fixture.client(mode: mode) {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    for _ in 0..<3 { _ = client.request(.get("boards")) }
    await fixture.time.run()
    let last = try #require(fixture.monitor.events.byCall.last)
    let start: Double = if case .sync = mode { 4 } else { 2 }
    #expect(
      last.timedKinds == ["0.0 0.0 queued", "0.0 \(start) started"]
        + EventFixture.hop("1.1", 200, bytes: 5, from: start, to: start + 2)
        + ["1.1 \(start + 2) finished with 200"])
  }

  @Test func theSameCallsHaveTheSameEvents() async throws {
    func eventsByCall() async -> [[String]] {
      let fixture = EventFixture()
      let client = fixture.client(mode: .limited(3)) {
        $0.retry = .exponential(initial: .seconds(1), jitter: .none, limit: 2)
      } routes: {
        Route(.get, "/a", .sequence(.status(503), .redirect(to: "/b")))
        Route(.get, "/b", Mock.text("b").delayed(by: .milliseconds(1_500)))
      }
      for index in 0..<20 { _ = client.request(.get(index.isMultiple(of: 2) ? "a" : "b")) }
      await fixture.time.run()
      return fixture.monitor.events.byCall.map(\.timedKinds)
    }
    let first = await eventsByCall()
    #expect(first.count == 20)
    for _ in 0..<5 { #expect(await eventsByCall() == first) }
  }
}
