import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

@Suite(.gated)
struct CORSTests {
  // MARK: Origins

  private static let loopback = [
    "http://localhost", "http://localhost:5173", "https://localhost:3000", "HTTP://LOCALHOST:80",
    "http://shop.localhost:8080", "http://127.0.0.1", "http://127.0.0.1:65535",
    "http://127.9.0.255:1", "http://[::1]", "http://[::1]:5173",
  ]
  private static let remote = [
    "", "null", "*", "localhost", "http://", "http://localhost.example.com",
    "http://localhost@example.com", "http://localhost:80@example.com", "http://notlocalhost",
    "http://.localhost", "http://evil.com/.localhost", "http://evil.com#.localhost",
    "http://127.0.0.1.example.com", "http://127.0.0.1.", "http://127.1", "http://127.0.0.256",
    "http://127.0.0.+1", "http://128.0.0.1", "http://0.0.0.0", "http://[::2]", "http://[::1",
    "http://[::1]x", "http://localhost:", "http://localhost:abc", "http://localhost:123456",
    "ftp://localhost", "file://", "https://example.com", "http://192.168.0.1",
  ]

  @Test(arguments: loopback)
  func aPageOfThisMachineIsALoopbackOrigin(origin: String) {
    #expect(CORSPolicy.loopback.allows(origin))
    #expect(!CORSPolicy.off.allows(origin))
    #expect(CORSPolicy.origins(["*"]).allows(origin))
  }

  @Test(arguments: remote)
  func aPageOfAnotherMachineIsNoLoopbackOrigin(origin: String) {
    #expect(!CORSPolicy.loopback.allows(origin))
  }

  @Test(arguments: [
    ("https://app.example.com", true), ("HTTPS://APP.example.com", true),
    ("https://app.example.com:443", true), ("https://app.example.com:8443", false),
    ("http://app.example.com", false), ("https://example.com", false),
    ("http://b:80", true), ("http://b", true), ("null", false), ("", false),
  ])
  func aListHasExactlyItsOrigins(origin: String, isAllowed: Bool) {
    let policy = CORSPolicy.origins(["https://app.example.com/", "http://b:80"])
    #expect(policy.allows(origin) == isAllowed)
  }

  @Test func localFilesHaveTheOriginNull() {
    #expect(CORSPolicy.origins(["null"]).allows("null"))
    #expect(CORSPolicy.origins(["*"]).allows("null"))
    #expect(!CORSPolicy.origins(["*"]).allows("a b"))
  }

  // MARK: Responses

  private static let origin = "http://localhost:5173"

  private func server(
    _ cors: CORSPolicy = .loopback, onExchange: (@Sendable (ServedExchange) -> Void)? = nil
  ) throws -> MockServer {
    var limits = MockServerLimits()
    limits.bodyBytes = 10
    return try MockServer(limits: limits, cors: cors, onExchange: onExchange) {
      Route(
        .get, "/items",
        Mock.json([]).header("ETag", "\"1\"").header("X-Request-Cost", "3")
          .header("Set-Cookie", "a=b"))
      Route(.post, "/items") { request in .json(request.json, status: 201) }
      Route(.get, "/own", Mock.text("a").header("Access-Control-Allow-Origin", "https://own"))
      Route(.options, "/custom", .status(200, headers: ["X-Custom": "1"]))
      Route(.get, "/custom", .text("a"))
      Route(.get, "/fails", .failure(.cancelled))
    }
  }

  /// Returns the head of the response to one request.
  private func head(
    _ method: String, _ target: String, _ server: MockServer, origin: String = origin,
    _ fields: String = ""
  ) async throws -> Head {
    let client = try RawClient(port: server.port)
    try await client.send(
      "\(method) \(target) HTTP/1.1\r\nHost: a\r\nOrigin: \(origin)\r\nConnection: close\r\n"
        + "\(fields)\r\n")
    return Head(try await client.receiveAll())
  }

  private struct Head {
    let status: Int
    let headers: HTTPHeaders

    init(_ response: String) {
      let lines = (response.components(separatedBy: "\r\n\r\n").first ?? "")
        .components(separatedBy: "\r\n")
      status = lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) } ?? 0
      headers = HTTPHeaders(
        lines.dropFirst().compactMap { line in
          let parts = line.components(separatedBy: ": ")
          return parts.count < 2
            ? nil : .init(name: parts[0], value: parts.dropFirst().joined(separator: ": "))
        })
    }

    func allows(_ origin: String) -> Bool {
      headers["Access-Control-Allow-Origin"] == origin
        && headers["Access-Control-Allow-Credentials"] == "true"
        && headers.values(for: "Vary").joined(separator: ", ").contains("Origin")
    }

    var exposed: Set<String> {
      Set((headers["Access-Control-Expose-Headers"] ?? "").components(separatedBy: ", "))
    }
  }

  @Test func aPageReadsAllFieldsOfAResponse() async throws {
    let head = try await head("GET", "/items", try server())
    #expect(head.status == 200)
    #expect(head.allows(Self.origin))
    #expect(head.exposed.isSuperset(of: ["ETag", "X-Request-Cost", "X-Total-Count", "Location"]))
    #expect(head.exposed.isDisjoint(with: ["Set-Cookie", "Content-Type", ""]))
  }

  @Test(arguments: [
    ("GET", "/nowhere", "", 404), ("DELETE", "/items", "", 405), ("GET", "/%zz", "", 400),
    ("POST", "/items", "Content-Length: 11\r\n", 413),
    ("POST", "/items", "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400),
    ("GET", "/fails", "", 500), ("HEAD", "/items", "", 200), ("OPTIONS", "/items", "", 204),
  ])
  func aPageReadsTheResponsesOfTheServerItself(
    method: String, target: String, fields: String, status: Int
  ) async throws {
    let head = try await head(method, target, try server(), fields)
    #expect(head.status == status)
    #expect(head.allows(Self.origin))
  }

  /// A browser sends `Origin` before most other fields.
  @Test(arguments: [
    ("Host: b\r\n", 400), ("X: \u{1}\r\n", 400), ("Content-Length: x\r\n", 400),
    ("Content-Length: 99999999999999999999\r\n", 413), ("Transfer-Encoding: gzip\r\n", 501),
    ("Expect: nothing\r\n", 417), ("X: \(String(repeating: "a", count: 70_000))\r\n", 431),
  ])
  func aPageReadsTheErrorForAMalformedHead(fields: String, status: Int) async throws {
    let head = try await head("POST", "/items", try server(), fields)
    #expect(head.status == status)
    #expect(head.allows(Self.origin))
  }

  @Test func aMalformedHeadWithTwoOriginsIsNotReadable() async throws {
    let head = try await head(
      "POST", "/items", try server(), "Origin: \(Self.origin)\r\nContent-Length: x\r\n")
    #expect(head.status == 400)
    #expect(!head.headers.contains("Access-Control-Allow-Origin"))
  }

  @Test func anotherOriginIsServedWithoutTheFields() async throws {
    let server = try server()
    let response = try await head("GET", "/items", server, origin: "https://example.com")
    #expect(response.status == 200)
    #expect(!response.headers.contains("Access-Control-Allow-Origin"))
    #expect(response.headers.values(for: "Vary") == ["Origin"])
    let preflight = try await head(
      "OPTIONS", "/items", server, origin: "https://example.com",
      "Access-Control-Request-Method: PUT\r\n")
    #expect(!preflight.headers.contains("Access-Control-Allow-Origin"))
    #expect(!preflight.headers.contains("Access-Control-Allow-Methods"))
  }

  @Test func theLibraryAddsNothingUnlessThereIsAPolicy() async throws {
    let server = try MockServer { Route(.get, "/a", .text("a")) }
    let response = try await head("GET", "/a", server)
    #expect(!response.headers.contains("Access-Control-Allow-Origin"))
    #expect(!response.headers.contains("Vary"))
    let preflight = try await head(
      "OPTIONS", "/a", server, "Access-Control-Request-Method: GET\r\n")
    #expect(preflight.headers["Allow"] == "GET, HEAD, OPTIONS")
    #expect(!preflight.headers.contains("Access-Control-Allow-Methods"))
  }

  @Test func theFieldsOfAStubTakePrecedence() async throws {
    let head = try await head("GET", "/own", try server())
    #expect(head.headers.values(for: "Access-Control-Allow-Origin") == ["https://own"])
    #expect(!head.headers.contains("Access-Control-Allow-Credentials"))
  }

  @Test func theFieldsOfAForwardedResponseAreReplaced() async throws {
    let origin = try MockServer {
      Route(.get, "/a", Mock.text("a").header("Access-Control-Allow-Origin", "https://own"))
    }
    let url = origin.url
    let server = try MockServer(cors: .loopback) { Route.forwarding(to: url) }
    let response = try await head("GET", "/a", server)
    #expect(response.headers.values(for: "Access-Control-Allow-Origin") == [Self.origin])
    let preflight = try await head(
      "OPTIONS", "/a", server, "Access-Control-Request-Method: PUT\r\n")
    #expect(preflight.status == 204)
    #expect(origin.requestCount == 1)
  }

  @Test(arguments: [true, false])
  func theFieldsOfARecordedResponseAreReplaced(isAllowed: Bool) async throws {
    let folder = TemporaryFolder()
    func entry(_ method: String, _ status: Int) -> String {
      #"""
      {"request": {"method": "\#(method)", "url": "https://shop.test/a"},
        "response": {"status": \#(status), "content": {"text": "", "mimeType": "text/plain"},
          "headers": [{"name": "Access-Control-Allow-Origin", "value": "https://shop.test"},
            {"name": "Access-Control-Allow-Methods", "value": "GET"}]}}
      """#
    }
    let file = try folder.file(
      "a.har", #"{"log": {"entries": [\#(entry("GET", 201)), \#(entry("OPTIONS", 202))]}}"#)
    let server = try MockServer(
      routes: try StubFile(contentsOf: file).routes, cors: isAllowed ? .loopback : .origins([]))
    let response = try await head("GET", "/a", server)
    #expect(response.status == 201)
    let allowed = isAllowed ? Self.origin : nil
    #expect(response.headers["Access-Control-Allow-Origin"] == allowed)
    #expect(!response.headers.contains("Access-Control-Allow-Methods"))
    let preflight = try await head(
      "OPTIONS", "/a", server, "Access-Control-Request-Method: PUT\r\n")
    #expect(preflight.status == (isAllowed ? 204 : 202))
    #expect(preflight.headers["Access-Control-Allow-Origin"] == allowed)
    // Without a policy, the recording is replayed as it is.
    let plain = try MockServer(routes: try StubFile(contentsOf: file).routes)
    #expect(
      try await head("GET", "/a", plain).headers["Access-Control-Allow-Origin"]
        == "https://shop.test")
  }

  // MARK: Preflight requests

  @Test(arguments: ["/items", "/nowhere", "/own"])
  func aPreflightRequestIsAllowedForEachPath(target: String) async throws {
    let server = try server()
    server.enqueue(.text("for the request itself"))
    let head = try await head(
      "OPTIONS", target, server,
      "Access-Control-Request-Method: PATCH\r\n"
        + "Access-Control-Request-Headers: authorization, x-b, bad name\r\n"
        + "Access-Control-Request-Private-Network: true\r\n")
    #expect(head.status == 204)
    #expect(head.allows(Self.origin))
    #expect(head.headers["Access-Control-Allow-Methods"]?.contains("PATCH") == true)
    #expect(head.headers["Access-Control-Allow-Headers"] == "authorization, x-b")
    #expect(head.headers["Access-Control-Allow-Private-Network"] == "true")
    #expect(head.headers["Access-Control-Max-Age"] == "600")
    #expect(server.enqueuedCount == 1)
    #expect(server.receivedRequests.isEmpty)
  }

  @Test func aMethodOfOnesOwnIsAllowed() async throws {
    let head = try await head(
      "OPTIONS", "/items", try server(), "Access-Control-Request-Method: PURGE\r\n")
    #expect(head.headers["Access-Control-Allow-Methods"]?.hasSuffix(", PURGE") == true)
    #expect(!head.headers.contains("Access-Control-Allow-Headers"))
    #expect(!head.headers.contains("Access-Control-Allow-Private-Network"))
  }

  @Test func aRouteForOptionsRespondsToPreflightRequests() async throws {
    let server = try server()
    let head = try await head(
      "OPTIONS", "/custom", server, "Access-Control-Request-Method: GET\r\n")
    #expect(head.headers["X-Custom"] == "1")
    #expect(head.headers["Access-Control-Allow-Origin"] == Self.origin)
    #expect(server.receivedRequests.count == 1)
  }

  @Test func aPreflightRequestDoesNotWaitForItsBody() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    try await client.send(
      "OPTIONS /items HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.origin)\r\nContent-Length: 5\r\n"
        + "Access-Control-Request-Method: PUT\r\nExpect: 100-continue\r\n\r\n")
    let head = Head(try await client.receiveAll())
    #expect(head.status == 204)
    #expect(head.headers["Connection"] == "close")
  }

  @Test func aPreflightRequestIsReported() async throws {
    let exchanges = Log<ServedExchange>()
    let server = try server { exchanges.append($0) }
    _ = try await head("OPTIONS", "/items", server, "Access-Control-Request-Method: PUT\r\n")
    let exchange = try #require(await exchanges.entries(1).first)
    #expect(exchange.request?.method == .options)
    #expect(exchange.status == 204)
  }
}
