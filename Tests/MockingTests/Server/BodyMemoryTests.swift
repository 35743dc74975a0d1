import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs
@testable import Networking

/// The memory for the bodies of all requests is bounded, and bodies that nobody reads use none.
@Suite(.gated)
struct BodyMemoryTests {
  private static func post(_ path: String, byteCount: Int = 700_000) -> Data {
    let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
    return Data("\(head)Content-Length: \(byteCount)\r\n\r\n".utf8) + Data(count: byteCount)
  }

  /// A request whose body is sent when the server has read the head.
  private static func segmentedStatus(_ byteCount: Int, _ server: MockServer) async throws -> String
  {
    let client = try RawClient(port: server.port)
    let head = "POST /read HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n"
    try await client.send("\(head)Content-Length: \(byteCount)\r\n\r\n")
    _ = try await client.receive(until: "\r\n\r\n")
    try await client.send(Data(count: byteCount))
    return String(try await client.receiveAll().dropFirst(9).prefix(3))
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

  @Test func aBodyThatNoRouteReadsMayBeLargerThanTheMemory() async throws {
    var limits = MockServerLimits()
    (limits.bodyBytes, limits.totalBodyBytes) = (20_000, 10_000)
    let server = try MockServer(limits: limits) {
      Route(.post, "/fixed", .status(201))
      Route(.post, "/read") { request in .text("\(request.body.count)") }
    }
    defer { server.stop() }
    #expect(try await Self.status(Self.post("/fixed", byteCount: 20_000), server) == "201")
    #expect(try await Self.status(Self.post("/fixed", byteCount: 20_001), server) == "413")
    #expect(try await Self.status(Self.post("/read", byteCount: 10_001), server) == "413")
  }

  @Test(
    arguments: [
      (.collect, false, nil, 503), (.stream(after: 8), false, nil, 503),
      (.keep(upTo: 8), false, 0, nil), (.limited(keep: 8), false, 0, nil),
      (.keep(upTo: 8), true, nil, 503), (.discard, false, 0, nil),
    ] as [(RequestParser.BodyPolicy, Bool, Int?, Int?)])
  func aBodyBeyondTheRoomIsNotKept(
    policy: RequestParser.BodyPolicy, isNeeded: Bool, kept: Int?, status: Int?
  ) {
    let head = "POST / HTTP/1.1\r\nHost: a\r\n"
    for (start, body) in [
      ("\(head)Content-Length: 6\r\n\r\n", "abcdef"),
      ("\(head)Transfer-Encoding: chunked\r\n\r\n", "6\r\nabcdef\r\n0\r\n\r\n"),
    ] {
      let (first, rest) = (Array(start.utf8), Array(body.utf8))
      for pieces in [[first + rest], [first, rest], (first + rest).map { [$0] }] {
        let parsed = ParsedRequests(pieces, policy: policy, isNeeded: isNeeded, room: 5)
        #expect(parsed.bodies.first?.data.count == kept)
        #expect(parsed.parseError?.status == status)
        let fitting = ParsedRequests(pieces, policy: policy, isNeeded: isNeeded, room: 6)
        #expect(fitting.bodies.first?.data.count == (policy == .discard ? 0 : 6))
      }
    }
  }

  @Test func aFullServerRefusesBodiesHoweverTheyArriveAndCanBeControlled() async throws {
    var limits = MockServerLimits()
    limits.totalBodyBytes = 100_000
    let (gate, resolver) = Promise<Mock>.pending()
    let server = try MockServer(limits: limits) {
      Route(.post, "/held") { _ in gate }
      Route(.post, "/read") { request in .text("\(request.body.count)") }
    }
    try server.serveAdmin()
    defer { server.stop() }
    var clients: [RawClient] = []
    for (held, count, status) in [(90_000, 10_001, "503"), (10_000, 5, "503")] {
      let client = try RawClient(port: server.port)
      clients.append(client)
      let taken = server.takeRequest()
      try await client.send(Self.post("/held", byteCount: held))
      _ = try await taken.value
      #expect(try await Self.status(Self.post("/read", byteCount: count), server) == status)
      #expect(try await Self.segmentedStatus(count, server) == status)
    }
    let reset =
      "POST /__mock/reset HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Connection: close\r\nContent-Length: 2\r\n\r\n{}"
    #expect(try await Self.status(Data(reset.utf8), server) == "204")
    resolver.fulfill(.status(200))
    for client in clients { #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 200 ")) }
    #expect(try await Self.segmentedStatus(100_000, server) == "200")
  }

  /// A body, and the statuses of a request with it and of another one in the meantime.
  struct Content: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var coding: String?
    let body: Data
    let first: String
    var second = "503"

    var request: Data {
      let head = "POST /held HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
      let field = coding.map { "Content-Encoding: \($0)\r\n" } ?? ""
      return Data("\(head)\(field)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }
  }

  private static func numbers(_ count: Int, spaces: Int = 0) -> Data {
    let space = String(repeating: " ", count: spaces)
    return Data("[\(space)\(String(repeating: "1,", count: count))1]".utf8)
  }

  private static func objects(_ count: Int) -> Data {
    Data("[\(String(repeating: #"{"a":1},"#, count: count))1]".utf8)
  }

  private static func gzip(_ name: String, _ data: Data, _ first: String) throws -> Content {
    Content(
      testDescription: "gzip of \(name)", coding: "gzip", body: try GzipEncoder.encode([data]),
      first: first)
  }

  private static func contents() throws -> [Content] {
    let all = [
      Content(testDescription: "a text", body: Data(count: 20_000), first: "200", second: "200"),
      Content(testDescription: "numbers", body: numbers(1_000), first: "200"),
      Content(testDescription: "a large body", body: numbers(700, spaces: 20_000), first: "200"),
      Content(testDescription: "many numbers", body: numbers(2_000), first: "413"),
      Content(testDescription: "objects", body: objects(20), first: "200"),
      Content(testDescription: "many objects", body: objects(40), first: "413"),
      Content(
        testDescription: "a form", body: Data(String(repeating: "a&", count: 1_000).utf8),
        first: "200"),
    ]
    #if CATENA_CURL || canImport(Compression)
      return all + [
        try gzip("a text", Data(count: 60_000), "200"), try gzip("numbers", numbers(1_000), "200"),
        try gzip("a large text", Data(count: 200_000), "413"),
        try gzip("many numbers", numbers(2_000), "413"),
      ]
    #else
      return all
    #endif
  }

  @Test(arguments: try contents())
  func decodedBytesAndValuesCountUntilTheEndOfTheResponse(_ content: Content) async throws {
    var limits = MockServerLimits()
    limits.totalBodyBytes = 100_000
    let (gate, resolver) = Promise<Mock>.pending()
    let server = try MockServer(limits: limits) { Route(.post, "/held") { _ in gate } }
    defer { server.stop() }
    var clients: [RawClient] = []
    for status in [content.first, content.second] where content.first == "200" {
      guard status == "200" else {
        #expect(try await Self.status(content.request, server) == status)
        continue
      }
      let client = try RawClient(port: server.port)
      clients.append(client)
      let taken = server.takeRequest()
      try await client.send(content.request)
      _ = try await taken.value
    }
    resolver.fulfill(.status(200))
    for client in clients { #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 200 ")) }
    for _ in 0..<2 { #expect(try await Self.status(content.request, server) == content.first) }
  }

  @Test func aClosedConnectionAndAMalformedBodyUseNoMemory() async throws {
    var limits = MockServerLimits()
    limits.totalBodyBytes = 100_000
    let (gate, resolver) = Promise<Mock>.pending()
    defer { resolver.fulfill(.status(200)) }
    let server = try MockServer(limits: limits) {
      Route(.post, "/held") { _ in gate }
      Route(.post, "/read") { request in .text("\(request.body.count)") }
    }
    defer { server.stop() }
    for (connection, request) in [
      Self.post("/held", byteCount: 90_000),
      Content(testDescription: "", body: Self.numbers(1_200), first: "").request,
    ].enumerated() {
      let client = try RawClient(port: server.port)
      let taken = server.takeRequest()
      try await client.send(request)
      _ = try await taken.value
      client.finishSending()
      _ = try await server.closing(ofConnection: connection).value
    }
    let head = "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let malformed = Data("\(head)15f90\r\n".utf8) + Data(count: 90_000) + Data("\r\nx\r\n".utf8)
    #expect(try await Self.status(malformed, server) == "400")
    #expect(try await Self.status(Self.post("/read", byteCount: 100_000), server) == "200")
  }
}
