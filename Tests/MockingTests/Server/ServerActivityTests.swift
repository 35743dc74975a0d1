import Foundation
import TestSupport
import Testing

@testable import Mocking

struct JournalMachineTests {
  @Test func aRequestIsNotDeliveredToACancelledWaiter() throws {
    var machine = JournalMachine(limits: MockServerLimits())
    let (gone, goneResolver) = Promise<ReceivedRequest>.pending()
    let (_, resolver) = Promise<ReceivedRequest>.pending()
    _ = machine.take(goneResolver)
    _ = machine.take(resolver)
    gone.cancel()
    let sent = HTTPRequest(method: .get, url: try #require(URL(string: "http://a/")))
    let request = try sent.received(sent.receivedPath, number: 0, at: .zero)
    let (waiter, _) = machine.record(request)
    #expect(waiter === resolver)
  }

  @Test func onlyTheLatestClosedConnectionsAreRecorded() async throws {
    var limits = MockServerLimits()
    limits.recordedRequests = 2
    let journal = Journal(limits: limits)
    func close(_ index: Int) {
      journal.closed(
        ClosedConnection(
          index: index, completedExchanges: index, closedBy: .client, wasInsideExchange: false))
    }
    for index in 0..<5 { #expect(journal.opened() == index) }
    for index in [3, 0, 1] { close(index) }
    #expect(journal.read { $0.openConnections } == 2)
    #expect(journal.read { $0.connectionCount } == 5)
    await #expect(throws: MockServerError.forgotten(connection: 3)) {
      try await journal.closing(of: 3).value
    }
    #expect(try await journal.closing(of: 0).value.index == 0)
    #expect(try await journal.closing(of: 1).value.index == 1)
    let (open, later) = (journal.closing(of: 4), journal.closing(of: 9))
    close(4)
    #expect(try await open.value.index == 4)
    journal.stop()
    await #expect(throws: MockServerError.stopped) { try await later.value }
  }
}
