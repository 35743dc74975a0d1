import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// The events of the admin API have an order, can be resumed, and never fill the memory.
@Suite(.gated)
struct AdminEventTests {
  private func names(_ data: Data) -> [String] {
    String(decoding: data, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("event: ") }.map { String($0.dropFirst(7)) }
  }

  /// Reads the bytes that are available.
  private func read(_ pipe: BodyPipe) -> Data {
    var bytes = Data()
    while case .data(let data) = pipe.next({}) { bytes += data }
    return bytes
  }

  @Test func eventsAreSentInOrderToAllReaders() throws {
    let events = AdminEvents(instance: "a1")
    let readers = [try #require(events.open(after: nil)), try #require(events.open(after: nil))]
    for name in ["one", "two", "three"] { events.publish(name, ["n": 1]) }
    for reader in readers {
      let text = read(reader)
      #expect(names(text) == ["one", "two", "three"])
      #expect(
        String(decoding: text, as: UTF8.self).hasPrefix("retry: 2000\n\nevent: one\nid: a1-1\n"))
    }
    events.sendComment()
    #expect(read(readers[0]) == Data(":\n\n".utf8))
  }

  @Test func eachChangeOfTheStubsIsAnEvent() throws {
    let admin = AdminFixture()
    let reader = try #require(admin.api.events.open(after: nil))
    let requests: [(HTTPMethod, String, String?)] = [
      (.post, "stubs", #"{"path": "/a", "id": "a"}"#),
      (.put, "stubs/a", #"{"path": "/b"}"#), (.delete, "stubs/a", nil),
    ]
    for (method, path, body) in requests {
      #expect(admin.send(method, path, body).status < 300)
      #expect(names(read(reader)) == ["stubs"], "\(method)")
    }
  }

  @Test func aReaderThatConnectsAgainReceivesTheLaterEvents() throws {
    let events = AdminEvents(instance: "a1")
    _ = events.events(after: nil)
    for number in 1...5 { events.publish("e\(number)") }
    #expect(names(events.events(after: "a1-3")) == ["e4", "e5"])
    #expect(names(events.events(after: "a1-5")) == [])
    #expect(names(events.events(after: nil)) == ["e1", "e2", "e3", "e4", "e5"])
    let reader = try #require(events.open(after: "a1-4"))
    events.publish("e6")
    #expect(names(read(reader)) == ["e5", "e6"])
  }

  @Test(arguments: ["b2-3", "a1-6", "a1--1", "a1-x", "", "a1", "-", "a1-99999999999999999999"])
  func anUnknownEventResetsTheReader(id: String) {
    let events = AdminEvents(instance: "a1")
    _ = events.events(after: nil)
    for number in 1...5 { events.publish("e\(number)") }
    let text = String(decoding: events.events(after: id), as: UTF8.self)
    #expect(text == "event: reset\nid: a1-5\ndata: {}\n\n")
  }

  @Test func onlyTheLatestEventsAreKept() {
    let events = AdminEvents(instance: "a1")
    _ = events.events(after: nil)
    for _ in 0..<5_000 { events.publish("e") }
    let kept = names(events.events(after: nil)).count
    #expect((AdminEvents.keptCount..<AdminEvents.keptCount * 2).contains(kept))
    #expect(names(events.events(after: "a1-1")) == ["reset"])
    #expect(names(events.events(after: "a1-4999")) == ["e"])
  }

  @Test func aSlowReaderIsDroppedAndTheOthersAreNot() throws {
    let events = AdminEvents(instance: "a1")
    let slow = try #require(events.open(after: nil))
    let fast = try #require(events.open(after: nil))
    let large = JSON.string(String(repeating: "a", count: 100_000))
    for _ in 0..<3 {
      events.publish("large", large)
      _ = read(fast)
    }
    #expect(events.readerCount == 2)
    events.publish("large", large)
    #expect(events.readerCount == 1)
    #expect(names(read(fast)) == ["large"])
    guard case .failed = slow.next({}) else {
      Issue.record("the slow reader is still connected")
      return
    }
  }

  @Test func theNumberOfReadersIsLimited() throws {
    let events = AdminEvents(instance: "a1")
    let readers = (0..<AdminEvents.maximumReaders).compactMap { _ in events.open(after: nil) }
    #expect(readers.count == AdminEvents.maximumReaders)
    #expect(events.open(after: nil) == nil)
    readers[3].cancel()
    #expect(events.readerCount == AdminEvents.maximumReaders - 1)
    #expect(events.open(after: nil) != nil)
    events.stop()
    #expect(events.readerCount == 0)
    #expect(events.open(after: nil) == nil)
  }

  @Test func changesAreEventsOnlyIfSomebodyFollows() async throws {
    let admin = AdminFixture()
    _ = admin.send(.post, "stubs", #"{"path": "/a"}"#)
    #expect(admin.send(.get, "events").text == "")
    _ = admin.send(.post, "stubs", #"{"path": "/b"}"#)
    _ = admin.send(.patch, "variables", #"{"a": 1}"#)
    _ = admin.send(.patch, "settings", "{}")
    let answer = admin.send(.get, "events")
    #expect(answer.headers["Content-Type"] == "text/event-stream")
    #expect(names(Data(answer.text.utf8)) == ["stubs", "scenarios", "settings"])
    admin.api.stop()
  }

  @Test func changesOfTheJournalAreEvents() async throws {
    let transport = MockTransport(routes: [Route(.get, "/a", .text(""))])
    let events = AdminEvents(instance: "a1")
    let feed = AdminFeed(AdminBackend(AdministeredBackend(transport, on: .live)), events)
    _ = events.events(after: nil)
    _ = await transport.send(.get, "/a")
    feed.add(.changed(0, generation: 0))
    feed.wait()
    #expect(names(events.events(after: nil)) == ["request"])
    feed.add(.reset)
    feed.wait()
    #expect(names(events.events(after: "a1-1")) == ["reset"])
  }

  @Test func requestsThatChangeAResourceAreEvents() async throws {
    let folder = TemporaryFolder()
    let file = try folder.file("a.json", #"{"routes": [{"resource": "/carts"}]}"#)
    let transport = MockTransport(routes: try StubFile(contentsOf: file).routes)
    let events = AdminEvents(instance: "a1")
    let feed = AdminFeed(AdminBackend(AdministeredBackend(transport, on: .live)), events)
    _ = events.events(after: nil)
    feed.start()
    let url = URL.of("http://a/carts")
    for (number, method) in [HTTPMethod.get, .post, .get].enumerated() {
      let body = method == .post ? HTTPBody.data(Data("{}".utf8)) : .none
      _ = await transport.perform(
        HTTPRequest(
          method: method, url: url, headers: ["Content-Type": "application/json"], body: body))
      feed.add(.changed(number, generation: 0))
      feed.wait()
    }
    #expect(names(events.events(after: nil)) == ["request", "request", "resources", "request"])
  }
}
