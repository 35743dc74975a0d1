import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct TakeRequestTests {
  private func received(_ path: String, body: Data = Data()) throws -> Mocking.ReceivedRequest {
    let sent = HTTPRequest(
      method: .post, url: try #require(URL(string: "http://a\(path)")), body: .data(body))
    return try sent.received(sent.receivedPath, number: 0, at: .zero)
  }

  private func offer(_ path: String, body: Data = Data(), to journal: RequestJournal) throws {
    let request = try received(path, body: body)
    journal.offer(journal.record(.received(request)), whole: request)
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
    let (waiter, dropped) = queue.offer(0, oldest: 0)
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
    journal.offer(reporter, whole: request)
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
    journal.offer(early, whole: request)
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

  @Test func requestsThatAreOfferedOutOfOrderAreAllTaken() {
    var queue = TakeQueue()
    for number in [1, 0, 2, 4] { _ = queue.offer(number, oldest: 0) }
    #expect((0..<5).map { _ in queue.next() } == [1, 0, 2, 4, nil])
  }

  @Test func theRequestsThatAJournalHasDiscardedAreNotKeptForTakers() {
    var queue = TakeQueue()
    for number in 0..<10 { _ = queue.offer(number, oldest: max(0, number - 1)) }
    #expect((0..<3).map { _ in queue.next() } == [8, 9, nil])
  }

  @Test func aTestWaitsForTheRequestOfATaskBeforeItAdvancesTheTime() async throws {
    try await withVirtualTime { scheduler in
      let provider = MockProvider<NameAPI>(delay: .seconds(5)) { _ in .text("Kite") }
      let networking = Networking<NameAPI>(mockProvider: provider)
      let loading = Task {
        let name = try await networking.request(.name).toString().value
        return (name, scheduler.elapsed)
      }
      #expect(try await provider.takeRequest().value.target == "/name")
      await scheduler.advance(by: .seconds(5))
      let (name, elapsed) = try await loading.value
      #expect(name == "Kite" && elapsed == .seconds(5))
    }
  }

  @Test func theRequestsOfATransportAreTakenInTheirOrder() async throws {
    let transport = MockTransport {
      Route(.get, "/name", .text("Kite"))
      Route(.get, "/later") { _ in
        await Task.yield()
        return .text("later")
      }
    }
    let client = Networking<Request>(transport: transport)
    let paths = ["/name", "/missing", "/later"]
    let first = transport.takeRequest()
    for path in paths {
      _ = await client.request(.get(RequestPath(raw: "https://example.com" + path))).result
    }
    #expect(transport.requestCount == paths.count)
    var taken = [try await first.value.target]
    for _ in 1..<paths.count { taken.append(try await transport.takeRequest().value.target) }
    #expect(taken == paths)
    #expect(isPending(transport.takeRequest()))
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
