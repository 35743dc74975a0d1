import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// The memory for the bodies of all requests is bounded, and bodies that nobody reads use none.
@Suite(.gated)
struct BodyMemoryTests {
  private static func post(_ path: String, byteCount: Int = 700_000) -> Data {
    let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
    return Data("\(head)Content-Length: \(byteCount)\r\n\r\n".utf8) + Data(count: byteCount)
  }

  private static func status(_ data: Data, _ server: MockServer) async throws -> String {
    let client = try RawClient(port: server.port)
    try await client.send(data)
    return String(try await client.receiveAll().dropFirst(9).prefix(3))
  }

  @Test func theBodiesOfAllConnectionsHaveOneLimit() async throws {
    var limits = MockServerLimits()
    limits.totalBodyBytes = 1_000_000
    let (gate, resolver) = Promise<Mock>.pending()
    let server = try MockServer(limits: limits) {
      Route(.post, "/held") { _ in gate }
      Route(.post, "/read") { request in .text("\(request.body.count)") }
      Route(.post, "/fixed", .status(201))
      Route(.post, "/times", .sequence(.status(201), .status(202))).times(9)
    }
    defer { server.stop() }
    let held = try RawClient(port: server.port)
    let taken = server.takeRequest()
    try await held.send(Self.post("/held"))
    #expect(try await taken.value.body.count == 700_000)
    let statuses = [
      ("/read", "503"), ("/fixed", "201"), ("/times", "201"), ("/none", "404"), ("/read", "503"),
    ]
    for (path, status) in statuses {
      #expect(try await Self.status(Self.post(path), server) == status, "\(path)")
    }
    #expect(try await Self.status(Self.post("/read", byteCount: 1_000_001), server) == "413")
    #expect(server.journal.entries.map(\.isBodyKept) == [true, false, false, false])
    #expect(server.journal.entries.allSatisfy { $0.request.bodyByteCount == 700_000 })
    resolver.fulfill(.status(200))
    #expect(try await held.receiveAll().hasPrefix("HTTP/1.1 200 "))
    for path in ["/read", "/fixed", "/read"] {
      #expect(try await Self.status(Self.post(path), server).hasPrefix("20"), "\(path)")
    }
    #expect(server.journal.entries.suffix(3).map(\.isBodyKept) == [true, true, true])
  }

  @Test func aBodyThatOnlyTheJournalReadsIsNotCollected() async throws {
    var limits = MockServerLimits()
    limits.journal.singleBodyBytes = 1_000
    let server = try MockServer(limits: limits) { Route(.post, "/fixed", .status(201)) }
    defer { server.stop() }
    for count in [1_000, 1_001] {
      #expect(try await Self.status(Self.post("/fixed", byteCount: count), server) == "201")
    }
    #expect(server.journal.entries.map(\.request.body.count) == [1_000, 0])
    // A caller that waits receives the whole body.
    let taken = server.takeRequest()
    _ = try await taken.value
    let waiting = [server.takeRequest(), server.takeRequest()]
    #expect(try await waiting[0].value.body.isEmpty)
    #expect(try await Self.status(Self.post("/fixed", byteCount: 1_001), server) == "201")
    #expect(try await waiting[1].value.body.count == 1_001)
  }

  @Test(
    arguments: [
      (.limited(keep: 4), 4, 4, nil), (.limited(keep: 4), 5, 0, nil),
      (.limited(keep: 4), 11, nil, 413), (.keep(upTo: 4), 11, 0, nil), (.keep(upTo: 4), 4, 4, nil),
      (.collect, 10, 10, nil), (.collect, 11, nil, 413),
    ] as [(RequestParser.BodyPolicy, Int, Int?, Int?)])
  func aPolicyKeepsOrRejects(
    policy: RequestParser.BodyPolicy, count: Int, kept: Int?, status: Int?
  ) {
    var limits = MockServerLimits()
    limits.bodyBytes = 10
    let text = String(repeating: "a", count: count)
    let head = "POST / HTTP/1.1\r\nHost: a\r\n"
    for body in [
      "Content-Length: \(count)\r\n\r\n\(text)",
      "Transfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(text)\r\n0\r\n\r\n",
    ] {
      for pieces in [[Array((head + body).utf8)], (head + body).utf8.map { [$0] }] {
        let parsed = ParsedRequests(pieces, limits: limits, policy: policy)
        #expect(parsed.bodies.first?.data.count == kept)
        #expect(parsed.parseError?.status == status)
      }
    }
  }
}
