import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct ConnectionTrackerTests {
  @Test func onlyTheLatestClosedConnectionsAreKept() async throws {
    let tracker = ConnectionTracker(closedLimit: 2)
    func close(_ index: Int) {
      tracker.closed(
        ClosedConnection(
          index: index, completedExchanges: index, closedBy: .client, wasInsideExchange: false))
    }
    for index in 0..<5 { #expect(tracker.opened() == index) }
    for index in [3, 0, 1] { close(index) }
    #expect(tracker.read { $0.openCount } == 2)
    #expect(tracker.read { $0.connectionCount } == 5)
    await #expect(throws: MockServerError.forgotten(connection: 3)) {
      try await tracker.closing(of: 3).value
    }
    #expect(try await tracker.closing(of: 0).value.index == 0)
    #expect(try await tracker.closing(of: 1).value.index == 1)
    let (open, later) = (tracker.closing(of: 4), tracker.closing(of: 9))
    close(4)
    #expect(try await open.value.index == 4)
    tracker.stop()
    await #expect(throws: MockServerError.stopped) { try await later.value }
  }

  @Test func aClosedConnectionFulfillsAllPromisesThatAreNotCancelled() async throws {
    let tracker = ConnectionTracker(closedLimit: 2)
    let waiting = (0..<3).map { _ in tracker.closing(of: 0) }
    waiting[1].cancel()
    let index = tracker.opened()
    let closed = ClosedConnection(
      index: index, completedExchanges: 1, closedBy: .server, wasInsideExchange: true)
    tracker.closed(closed)
    #expect(try await waiting[0].value == closed)
    #expect(try await waiting[2].value == closed)
    await #expect(throws: (any Error).self) { try await waiting[1].value }
  }

  @Test func thePeakOfConcurrentRequestsIsCountedSinceTheLastReset() {
    let tracker = ConnectionTracker(closedLimit: 1)
    for _ in 0..<3 { tracker.requestStarted() }
    tracker.requestEnded()
    #expect(tracker.read { $0.concurrentRequests } == 2)
    #expect(tracker.read { $0.peakConcurrentRequests } == 3)
    tracker.resetPeakConcurrentRequests()
    #expect(tracker.read { $0.peakConcurrentRequests } == 2)
  }
}
