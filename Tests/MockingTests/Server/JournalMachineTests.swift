import Foundation
import TestSupport
import Testing

@testable import Mocking

struct JournalMachineTests {
  @Test func aRequestGoesToNoWaiterThatHasGone() throws {
    var machine = JournalMachine(limits: MockServerLimits())
    let (gone, goneResolver) = Promise<Mocking.ReceivedRequest>.pending()
    let (_, resolver) = Promise<Mocking.ReceivedRequest>.pending()
    _ = machine.take(goneResolver)
    _ = machine.take(resolver)
    gone.cancel()
    let sent = HTTPRequest(method: .get, url: try #require(URL(string: "http://a/")))
    let request = try sent.received(sent.receivedPath, number: 0, at: .zero)
    let (waiter, _) = machine.record(request)
    #expect(waiter === resolver)
  }
}
