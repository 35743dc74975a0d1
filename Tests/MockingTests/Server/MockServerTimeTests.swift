import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct MockServerTimeTests {
  private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func aDelayedResponseArrivesAfterItsDelay() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(.get, "/a") { _ in .text("late").delayed(by: .seconds(3_600)) }
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    #expect(try await server.takeRequest().value.time == .zero)
    #expect(time.scheduledCount == 1)
    await time.advance(by: .seconds(3_599))
    #expect(server.concurrentRequests == 1)
    await time.advance(by: .seconds(1))
    #expect(try await client.receive(until: "late").hasSuffix("\r\n\r\nlate"))
  }

  @Test func aDribbledBodyArrivesInPieces() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(.get, "/a") { _ in .text("abc").dribbled(pieces: 3, over: .seconds(10)) }
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    #expect(try await client.receive(until: "\r\n\r\na").hasSuffix("\r\n\r\na"))
    await time.advance(by: .seconds(5))
    #expect(try await client.receive() == Data("b".utf8))
    await time.advance(by: .seconds(5))
    #expect(try await client.receive() == Data("c".utf8))
    // Advances beyond the times of all pieces at once.
    try await client.send(get)
    #expect(try await client.receive(until: "\r\n\r\na").hasSuffix("\r\n\r\na"))
    await time.advance(by: .seconds(10))
    #expect(try await client.receive(exactly: 2) == Data("bc".utf8))
  }

  @Test func aDisconnectCancelsTheTimers() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(.get, "/a") { _ in .text("late").delayed(by: .seconds(60)) }
    }
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send(get)
    _ = try await server.takeRequest().value
    client = nil
    #expect(try await server.closing(ofConnection: 0).value.wasAborted)
    #expect(time.scheduledCount == 0)
  }

  @Test func aDelayEndsInRealTime() async throws {
    let server = try MockServer {
      Route(.get, "/a") { _ in .text("late").delayed(by: .milliseconds(5)) }
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    #expect(try await client.receive(until: "late").hasSuffix("late"))
  }
}
