import Foundation
import TestSupport
import Testing

@testable import Mocking

@Suite(.timeLimit(.minutes(10)))
struct TakeRequestTests {
  private func received(_ path: String, body: Data = Data()) throws -> Mocking.ReceivedRequest {
    let sent = HTTPRequest(
      method: .post, url: try #require(URL(string: "http://a\(path)")), body: .data(body))
    return try sent.received(sent.receivedPath, number: 0, at: .zero)
  }

  private func offer(_ path: String, body: Data = Data(), to journal: RequestJournal) throws {
    let request = try received(path, body: body)
    journal.offer(request, of: journal.record(.received(request)))
  }

  private func isPending(_ promise: Promise<Mocking.ReceivedRequest>) -> Bool {
    if case .pending = promise.state { true } else { false }
  }

  @Test func aRequestIsNotTakenByACancelledPromise() throws {
    var queue = TakeQueue()
    let (gone, goneResolver) = Promise<Mocking.ReceivedRequest>.pending()
    let (_, resolver) = Promise<Mocking.ReceivedRequest>.pending()
    _ = queue.wait(goneResolver)
    _ = queue.wait(resolver)
    gone.cancel()
    let (waiter, dropped) = queue.offer(0)
    #expect(waiter === resolver)
    #expect(dropped.count == 1 && dropped[0] === goneResolver)
    #expect(queue.next() == nil)
  }

  @Test func aRecordedRequestCannotBeTakenBeforeItIsOffered() async throws {
    let journal = RequestJournal(limits: JournalLimits())
    let request = try received("/a")
    let reporter = journal.record(.received(request))
    let taken = journal.takeRequest()
    #expect(journal.count == 1)
    #expect(isPending(taken))
    journal.offer(request, of: reporter)
    #expect(try await taken.value == request)
  }

  @Test func discardedRequestsAreSkipped() async throws {
    let journal = RequestJournal(limits: JournalLimits(requests: 2))
    for path in ["/1", "/2", "/3"] { try offer(path, to: journal) }
    #expect(try await journal.takeRequest().value.target == "/2")
    #expect(try await journal.takeRequest().value.target == "/3")
    #expect(isPending(journal.takeRequest()))
  }

  @Test func aWaiterGetsTheWholeBodyEvenIfTheJournalDoesNotKeepIt() async throws {
    let journal = RequestJournal(limits: JournalLimits(bodyBytes: 3))
    let taken = journal.takeRequest()
    try offer("/a", body: Data("1234".utf8), to: journal)
    try offer("/b", body: Data("5678".utf8), to: journal)
    #expect(try await taken.value.text == "1234")
    let late = try await journal.takeRequest().value
    #expect(late.text.isEmpty)
    #expect(late.bodyByteCount == 4)
  }

  @Test func aResetDiscardsRequestsThatAreNotTakenAndKeepsTheWaiters() async throws {
    let journal = RequestJournal(limits: JournalLimits())
    let request = try received("/early")
    let early = journal.record(.received(request))
    try offer("/untaken", to: journal)
    journal.reset()
    let taken = journal.takeRequest()
    journal.offer(request, of: early)
    #expect(isPending(taken))
    try offer("/a", to: journal)
    #expect(try await taken.value.target == "/a")
    #expect(journal.requests.map(\.target) == ["/a"])
  }

  @Test func afterAStopOnlyAvailableRequestsAreTaken() async throws {
    let journal = RequestJournal(limits: JournalLimits())
    let waiting = journal.takeRequest()
    journal.stopTaking()
    await #expect(throws: MockServerError.stopped) { try await waiting.value }
    try offer("/a", to: journal)
    #expect(try await journal.takeRequest().value.target == "/a")
    await #expect(throws: MockServerError.stopped) { try await journal.takeRequest().value }
  }

  @Test func theReceivedRequestsOfAServerAreThoseOfItsJournal() async throws {
    let server = try MockServer { Route(.get, "/{name}", .status(204)) }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    for path in ["/a", "/b"] {
      try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await server.takeRequest().value
    }
    #expect(server.receivedRequests.map(\.target) == ["/a", "/b"])
    #expect(server.journal.entries.map(\.request) == server.receivedRequests)
    #expect(server.requestCount == 2)
    server.journal.reset()
    #expect(server.receivedRequests.isEmpty)
    #expect(server.requestCount == 0)
  }
}
