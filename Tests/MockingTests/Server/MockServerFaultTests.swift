import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct MockServerFaultTests {
  private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

  private func server(_ fault: MockFault, _ stage: MockFault.Stage) throws -> MockServer {
    try MockServer { Route(.get, "/a") { _ in .text("hello").interrupted(by: fault, at: stage) } }
  }

  @Test func aCloseTruncatesTheResponse() async throws {
    let server = try server(.close, .body(afterBytes: 2))
    let client = try RawClient(port: server.port)
    try await client.send(get)
    #expect(try await client.receiveAll().hasSuffix("Content-Length: 5\r\n\r\nhe"))
    #expect(try await server.closing(ofConnection: 0).value.closedBy == .server)
  }

  @Test func aResetResetsTheConnection() async throws {
    let server = try server(.reset, .request)
    let client = try RawClient(port: server.port)
    try await client.send(get)
    await #expect(throws: POSIXError(.ECONNRESET)) { try await client.receive() }
  }

  @Test func aStallLastsUntilTheClientDisconnects() async throws {
    let server = try server(.stall, .head(afterBytes: 8))
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send(get)
    #expect(try await client?.receive() == Data("HTTP/1.1".utf8))
    #expect(server.openConnections == 1)
    client = nil
    #expect(try await server.closing(ofConnection: 0).value.wasAborted)
  }

  @Test func garbagePrecedesTheStatusLine() async throws {
    let server = try server(.garbage, .request)
    let client = try RawClient(port: server.port)
    try await client.send(get)
    let received = try await client.receive(until: "hello")
    #expect(received.hasPrefix("\u{1}\u{2}not HTTP\u{3}\r\nHTTP/1.1 200 OK\r\n"))
  }

  @Test func aMalformedChunkEndsTheConnection() async throws {
    let server = try server(.malformedChunk, .body(afterBytes: 2))
    let client = try RawClient(port: server.port)
    try await client.send(get)
    #expect(try await client.receiveAll().hasSuffix("\r\n\r\n2\r\nhe\r\nno-size\r\n"))
  }

  @Test func aConnectionCanFailWhenItIsAccepted() async throws {
    let faults: [MockFault?] = [.close, .reset, .stall, .garbage(Data("!!".utf8)), nil]
    let server = try MockServer(connectionFault: { faults[$0] }) {
      Route(.get, "/a") { _ in .text("hello") }
    }
    #expect(try await RawClient(port: server.port).receiveAll().isEmpty)
    let reset = try RawClient(port: server.port)
    await #expect(throws: POSIXError(.ECONNRESET)) { try await reset.receive() }
    let stalled = try RawClient(port: server.port)
    try await stalled.send(get)
    #expect(try await RawClient(port: server.port).receiveAll() == "!!")
    let good = try RawClient(port: server.port)
    try await good.send(get)
    #expect(try await good.receive(until: "hello").hasSuffix("hello"))
    #expect(server.requestCount == 1)
  }

  @Test func aGeneratorThatEndsEarlyClosesTheConnection() async throws {
    let server = try MockServer {
      Route(.get, "/a") { _ in
        Mock(
          body: .generated(byteCount: 10) { $0.lowerBound == 0 ? Data("abc".utf8) : Data() })
      }
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    #expect(try await client.receiveAll().hasSuffix("Content-Length: 10\r\n\r\nabc"))
  }
}
