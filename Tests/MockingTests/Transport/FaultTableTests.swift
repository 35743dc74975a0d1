import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

/// The events of each fault at each stage, on a socket and in memory.
@Suite(.gated)
struct FaultTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let mock: Mock
    /// The events without repetitions.
    let order: [String]
    let code: NetworkError.Code?
    let body: String
    let name: String

    init(
      _ name: String, _ mock: Mock, _ order: [String], _ code: NetworkError.Code? = nil,
      body: String = ""
    ) {
      self.mock = mock
      self.order = order
      self.code = code
      self.body = body
      self.name = name
    }

    var testDescription: String { name }
  }

  private static let text = Mock.data(Data("abcdefgh".utf8), contentType: nil)
  private static let chunks = Mock.chunks(
    [Data("abcd".utf8), Data("efgh".utf8)], contentType: nil)

  static let rows: [Row] =
    [MockFault.close, .reset].flatMap { fault in
      [
        Row(
          "\(fault) request", text.interrupted(by: fault, at: .request), ["failure"],
          .connectionLost),
        Row(
          "\(fault) head 0", text.interrupted(by: fault, at: .head(afterBytes: 0)), ["failure"],
          .connectionLost),
        Row(
          "\(fault) head 8", text.interrupted(by: fault, at: .head(afterBytes: 8)), ["failure"],
          .connectionLost),
        Row(
          "\(fault) head 20", text.interrupted(by: fault, at: .head(afterBytes: 20)), ["failure"],
          .connectionLost),
        Row(
          "\(fault) head all", text.interrupted(by: fault, at: .head(afterBytes: 999)),
          ["head", "failure"], .connectionLost),
        Row(
          "\(fault) body 0", text.interrupted(by: fault, at: .body(afterBytes: 0)),
          ["head", "failure"], .connectionLost),
        Row(
          "\(fault) body 3", text.interrupted(by: fault, at: .body(afterBytes: 3)),
          ["head", "body", "failure"], .connectionLost, body: "abc"),
        Row(
          "\(fault) chunk", chunks.interrupted(by: fault, at: .body(afterBytes: 5)),
          ["head", "body", "failure"], .connectionLost, body: "ab"),
        Row(
          "\(fault) end", text.interrupted(by: fault, at: .end), ["head", "body", "end"],
          body: "abcdefgh"),
      ]
    } + [
      Row(
        "stall request", text.interrupted(by: .stall, at: .request), ["failure"], .timedOut(.idle)
      ),
      Row(
        "stall head", text.interrupted(by: .stall, at: .head(afterBytes: 8)), ["failure"],
        .timedOut(.idle)),
      Row(
        "stall body", text.interrupted(by: .stall, at: .body(afterBytes: 3)),
        ["head", "body", "failure"], .timedOut(.idle), body: "abc"),
      Row(
        "stall end", text.interrupted(by: .stall, at: .end), ["head", "body", "end"],
        body: "abcdefgh"),
      Row(
        "garbage request", text.interrupted(by: .garbage, at: .request), ["failure"],
        .malformedResponse),
      Row(
        "garbage head", text.interrupted(by: .garbage, at: .head(afterBytes: 20)), ["failure"],
        .malformedResponse),
      Row(
        "garbage body", text.interrupted(by: .garbage(Data("!!".utf8)), at: .body(afterBytes: 3)),
        ["head", "body", "end"], body: "abc!!def"),
      Row(
        "garbage chunk",
        chunks.interrupted(by: .garbage(Data("!!".utf8)), at: .body(afterBytes: 0)),
        ["head", "failure"], .malformedResponse),
      Row(
        "garbage end", text.interrupted(by: .garbage, at: .end), ["head", "body", "end"],
        body: "abcdefgh"),
      Row(
        "chunk request", text.interrupted(by: .malformedChunk, at: .request),
        ["head", "failure"],
        .malformedResponse),
      Row(
        "chunk body", text.interrupted(by: .malformedChunk, at: .body(afterBytes: 3)),
        ["head", "body", "failure"], .malformedResponse, body: "abc"),
      Row(
        "chunk head", text.interrupted(by: .malformedChunk, at: .head(afterBytes: 8)),
        ["head", "failure"], .malformedResponse),
      Row(
        "chunk end", text.interrupted(by: .malformedChunk, at: .end), ["head", "failure"],
        .malformedResponse),
      Row(
        "too short", text.header("Content-Length", "20").header("Connection", "close"),
        ["head", "body", "failure"], .connectionLost, body: "abcdefgh"),
      Row(
        "too long", text.header("Content-Length", "5"), ["head", "body", "end"], body: "abcde"),
      Row(
        "generator",
        Mock(body: .generated(byteCount: 10) { $0.lowerBound == 0 ? Data("abc".utf8) : Data() }),
        ["head", "body", "failure"], .connectionLost, body: "abc"),
      Row("lost", .failure(.connectionLost), ["failure"], .connectionLost),
      Row("malformed", .failure(.malformedResponse), ["failure"], .malformedResponse),
      Row("timed out", .failure(.timedOut(.idle)), ["failure"], .timedOut(.idle)),
      Row("plain", text, ["head", "body", "end"], body: "abcdefgh"),
      Row("chunked", chunks, ["head", "body", "end"], body: "abcdefgh"),
      Row("empty", .status(404), ["head", "end"]),
      Row("no content", .status(204), ["head", "end"]),
      Row("not modified", Mock.text("x", status: 304), ["head", "end"]),
      Row(
        "invalid header", text.header("A", "b\r\nc"), ["head", "body", "end"],
        body: "the handler returned a malformed header field\n"),
      Row(
        "dribble", text.dribbled(pieces: 3, over: .milliseconds(2)), ["head", "body", "end"],
        body: "abcdefgh"),
    ]

  /// A fault of a server at the connection, which does not exist in memory.
  struct ConnectRow: Sendable, CustomTestStringConvertible {
    /// The fault.
    ///
    /// `nil` refuses connections.
    let fault: MockFault?
    let code: NetworkError.Code
    let exitCode: Int32

    var name: String { fault.map { "\($0)" } ?? "refused" }
    var testDescription: String { name }

    func server() throws -> MockServer {
      let server = try MockServer(connectionFault: { _ in fault }) {
        Route(.get, "/") { _ in .text("x") }
      }
      if fault == nil { server.refuseConnections() }
      return server
    }
  }

  static let connectRows = [
    ConnectRow(fault: nil, code: .cannotConnect, exitCode: 7),
    ConnectRow(fault: .close, code: .connectionLost, exitCode: 52),
    ConnectRow(fault: .reset, code: .connectionLost, exitCode: 56),
    ConnectRow(fault: .stall, code: .timedOut(.idle), exitCode: 28),
    ConnectRow(fault: .garbage, code: .malformedResponse, exitCode: 1),
    ConnectRow(fault: .malformedChunk, code: .connectionLost, exitCode: 52),
  ]

  /// Repeats the exchange, because a race does not occur each time.
  private func checkOnConnect(_ row: ConnectRow, over transport: some Transport) async throws {
    let isTimed = row.code == .timedOut(.idle)
    for _ in 0..<(isTimed ? 1 : 20) {
      let server = try row.server()
      defer { server.stop() }
      let request = HTTPRequest(
        url: server.url.appendingPathComponent(""),
        idleTimeout: isTimed ? .seconds(2) : .seconds(50))
      let record = await transport.perform(request)
      #expect(record.order == ["failure"])
      #expect(record.failure?.code == row.code)
      #expect(server.requestCount == 0)
    }
  }

  #if os(Linux)
    @Test(arguments: connectRows)
    func connectionFaultsOfCurl(_ row: ConnectRow) async throws {
      try await checkOnConnect(row, over: CurlTransport())
    }
  #endif

  @Test(arguments: connectRows)
  func connectionFaultsOfURLSession(_ row: ConnectRow) async throws {
    try await checkOnConnect(row, over: URLSessionTransport())
  }

  /// The exit codes of the `curl` command; 0 for faults that are not listed.
  static let exitCodes: [String: Int32] = [
    "close request": 52, "close head 0": 52, "close head 8": 52, "close head all": 18,
    "close body 0": 18, "close body 3": 18, "close chunk": 18, "reset request": 56,
    "reset head 0": 56, "reset head 8": 56, "reset head 20": 56, "reset head all": 56,
    "reset body 0": 56, "reset body 3": 56, "reset chunk": 56, "stall request": 28,
    "stall head": 28, "stall body": 28, "garbage request": 1, "garbage head": 8,
    "garbage chunk": 56, "chunk request": 56, "chunk head": 56, "chunk body": 56,
    "chunk end": 56, "too short": 18, "generator": 18, "lost": 56, "malformed": 1,
    "timed out": 28,
  ]

  private func check(_ record: ExchangeRecord, _ row: Row) {
    #expect(record.order == row.order)
    #expect(record.failure?.code == row.code)
    #expect(String(decoding: record.body, as: UTF8.self) == row.body)
    #expect(record.lastEvents == 1)
  }

  #if os(Linux)
    @Test(arguments: rows)
    func faultsOfCurlOnASocket(_ row: Row) async throws {
      let server = try MockServer { Route(.get, "/") { _ in row.mock } }
      defer { server.stop() }
      let limit: Duration = row.code == .timedOut(.idle) ? .seconds(2) : .seconds(50)
      let request = HTTPRequest(url: server.url.appendingPathComponent(""), idleTimeout: limit)
      check(await CurlTransport().perform(request), row)
    }
  #endif

  #if os(Linux)
    /// A client retries when a reused connection breaks before the first byte.
    @Test func aLostReusedConnectionIsLost() async throws {
      let server = try MockServer {
        Route(.get, "/warm") { _ in .status(200) }
        Route(.get, "/lost") { _ in .sequence(.failure(.connectionLost), .status(200)) }
      }
      defer { server.stop() }
      let transport = CurlTransport()
      _ = await transport.get(server.url.appendingPathComponent("warm"))
      let url = server.url.appendingPathComponent("lost")
      #expect(await transport.get(url).failure?.code == .connectionLost)
      #expect(await transport.get(url).head?.status == 200)
      #expect(server.receivedRequests.map(\.connection) == [0, 0, 1])
    }
  #endif

  @Test(arguments: rows.filter { !crashesFoundation($0) })
  func faultsOfURLSessionOnASocket(_ row: Row) async throws {
    let server = try MockServer { Route(.get, "/") { _ in row.mock } }
    defer { server.stop() }
    let limit: Duration = row.code == .timedOut(.idle) ? .seconds(2) : .seconds(50)
    let request = HTTPRequest(url: server.url.appendingPathComponent(""), idleTimeout: limit)
    check(await URLSessionTransport().perform(request), row)
  }

  @Test(arguments: [NetworkError.Code.cannotConnect, .notConnectedToInternet, .dnsFailed])
  func aFailureBeforeTheRequestIsALostConnectionOnASocket(_ code: NetworkError.Code) async throws {
    let server = try MockServer { Route(.get, "/") { _ in .failure(code) } }
    defer { server.stop() }
    let record = await URLSessionTransport().get(server.url.appendingPathComponent(""))
    #expect(record.failure?.code == .connectionLost)
  }

  /// On Linux, Foundation traps when a head ends after a complete status line.
  private static func crashesFoundation(_ row: Row) -> Bool { row.name == "close head 20" }

  @Test(arguments: rows)
  func faultsInMemory(_ row: Row) async throws {
    let time = TestScheduler()
    let transport = MockTransport(scheduler: time) { Route(.get, "/") { _ in row.mock } }
    let exchange = ExchangeRecorder(
      transport, HTTPRequest(url: .of("http://a/"), idleTimeout: .seconds(50)))
    await time.run()
    check(exchange.current, row)
  }
}
