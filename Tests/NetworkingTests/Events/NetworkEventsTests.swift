import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The events of a client as an asynchronous sequence.
@Suite(.gated)
struct NetworkEventsTests {
  private func client() -> Networking<Request> {
    let client = Networking<Request>(
      transport: MockTransport { Route(nil, "/{rest*}", .text("hello")) }, configuration: .plain)
    client.baseURL = URL(string: "https://api.example.com/")
    client.callbackContext = .inline
    return client
  }

  @Test func theSequenceHasAllEventsSinceItsCreation() async throws {
    let client = client()
    _ = try await client.request(.get("before")).value
    let events = client.events
    _ = try await client.request(.get("boards")).value
    var kinds: [String] = []
    for await event in events {
      kinds.append(event.kind.description)
      if event.isFinal { break }
    }
    #expect(
      kinds == [
        "queued", "started", "sending", "served by mock", "request sent", "head 200",
        "body of 5 bytes", "finished with 200",
      ])
  }

  @Test func theSequenceEndsWhenTheClientIsReleased() async throws {
    var client: Networking<Request>? = client()
    let events = try #require(client?.events)
    let call = try #require(client?.request(.get("boards")))
    client = nil
    _ = try await call.value
    var count = 0
    for await _ in events { count += 1 }
    #expect(count == 8)
  }

  @Test func aWaitingReaderEndsWhenTheClientIsReleased() async throws {
    let hasEvent = Log<Void>()
    func read() -> Task<Int, Never> {
      let networking = client()
      let events = networking.events
      _ = networking.request(.get("boards"))
      return Task {
        var count = 0
        for await event in events {
          count += 1
          if event.isFinal { hasEvent.append(()) }
        }
        return count
      }
    }
    let reading = read()
    _ = await hasEvent.entries(1)
    #expect(await reading.value == 8)
  }

  @Test func cancellingTheTaskEndsTheSequence() async throws {
    let client = client()
    let events = client.events
    let begun = Log<Void>()
    let reading = Task {
      begun.append(())
      var count = 0
      for await _ in events { count += 1 }
      return count
    }
    _ = await begun.entries(1)
    reading.cancel()
    #expect(await reading.value == 0)
    // The other sequences continue.
    _ = client.request(.get("boards"))
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next()?.kind == .queued)
  }

  @Test func eventsBeyondTheBufferAreDroppedAndCounted() async throws {
    let client = client()
    let events = client.events(bufferingNewest: 5)
    for _ in 0..<3 { _ = try await client.request(.get("boards")).value }
    #expect(events.droppedCount == 19)
    var iterator = events.makeAsyncIterator()
    var kinds: [String] = []
    for _ in 0..<5 {
      guard let event = await iterator.next() else { break }
      kinds.append(event.kind.description)
    }
    #expect(
      kinds == [
        "served by mock", "request sent", "head 200", "body of 5 bytes", "finished with 200",
      ])
    #expect(events.droppedCount == 19)
  }

  @Test func eachSequenceHasAllEvents() async throws {
    let client = client()
    let sequences = (0..<5).map { _ in client.events }
    let readings = sequences.map { events in
      Task {
        var kinds: [String] = []
        for await event in events {
          kinds.append(event.kind.description)
          if kinds.count == 80 { break }
        }
        return kinds
      }
    }
    for _ in 0..<10 { _ = try await client.request(.get("boards")).value }
    let all = await readings[0].value
    for reading in readings { #expect(await reading.value == all) }
    #expect(all.filter { $0 == "finished with 200" }.count == 10)
  }

  @Test func severalReadersOfOneShareItsEvents() async throws {
    let client = client()
    let events = client.events
    let seen = Log<NetworkEvent>()
    let readings = (0..<4).map { _ in
      Task { for await event in events { seen.append(event) } }
    }
    for _ in 0..<100 { _ = client.request(.get("boards")) }
    #expect(await seen.entries(800).byCall.count == 100)
    for reading in readings { reading.cancel() }
    #expect(seen.entries.count == 800)
  }

  @Test func aReleasedSequenceReceivesNoEvents() async throws {
    let transport = FakeTransport { _ in .response(200) }
    let client = Networking<Request>(transport: transport, configuration: .plain)
    client.callbackContext = .inline
    func take() async throws {
      let events = client.events
      _ = try await client.request(.get("https://api.example.com/")).value
      withExtendedLifetime(events) {}
    }
    try await take()
    _ = try await client.request(.get("https://api.example.com/")).value
    #expect(transport.requests.map(\.options.reportsConnection) == [true, false])
  }
}
