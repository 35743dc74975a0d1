import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingStreams

/// The method `next()` of the iterators, which apps for systems before macOS 15 and iOS 18 call.
@Suite(.gated)
struct IteratorsTests {
  private func client(_ type: String, _ body: String) -> Networking<Request> {
    let head = HTTPResponseHead(status: 200, headers: ["Content-Type": type])
    let client = Networking<Request>(
      transport: FakeTransport { _ in
        [.head(head), .body(Data(body.utf8)), .end(TransportMetrics())]
      }, configuration: .plain)
    client.baseURL = URL.of("https://api.example.com")
    return client
  }

  /// Reads all elements with the method of the protocol that has no isolation.
  private func elements<S: AsyncSequence>(_ sequence: S) async throws -> [S.Element] {
    var iterator = sequence.makeAsyncIterator()
    var elements: [S.Element] = []
    while let element = try await iterator.next() { elements.append(element) }
    return elements
  }

  @Test func linesAreRead() async throws {
    let lines = client("text/plain", "a\nb\n").lines(of: .get("log"))
    #expect(try await elements(lines) == ["a", "b"])
  }

  @Test func valuesAreDecoded() async throws {
    let values = client("application/x-ndjson", "1\n2\n").jsonLines(of: .get("log"), as: Int.self)
    #expect(try await elements(values) == [1, 2])
  }

  @Test func serverSentEventsAreRead() async throws {
    let client = client("text/event-stream", "data: a\n\ndata: b\n\n")
    let events = client.events(of: .get("prices"), .retry(.never))
    var iterator = events.makeAsyncIterator()
    func next(_ iterator: inout some AsyncIteratorProtocol) async throws -> String? {
      (try await iterator.next() as? ServerSentEvent)?.data
    }
    #expect(try await next(&iterator) == "a")
    #expect(try await next(&iterator) == "b")
  }

  @Test func eventsOfAClientAreRead() async throws {
    var client: Networking<Request>? = client("text/plain", "a")
    let events = try #require(client?.events)
    let call = try #require(client?.request(.get("boards")))
    client = nil
    _ = try await call.value
    #expect(try await elements(events).last?.isFinal == true)
  }
}
