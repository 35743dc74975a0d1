import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

@Suite(.gated)
struct StubFileTests {
  @Test func aResponseHasAllItsParts() async throws {
    let stubs = try StubFixture(
      """
      {"$schema": "x", "comment": 1, "routes": [
        {"path": "/json", "json": {"b": [1, null], "a": 2.5}, "status": 201,
         "headers": {"X-A": "1", "X-B": ["2", "3"], "Content-Type": "x/y"}},
        {"method": "GET", "path": "/text/{id}", "text": "hello"},
        {"path": "/base64", "base64": "aGk="},
        {"path": "/file", "file": "body.txt"},
        {"path": "/lost", "fault": {"type": "close", "at": "head", "afterBytes": 3}}
      ]}
      """)
    try Data("of a file".utf8).write(to: stubs.folder.url("body.txt"))
    let transport = try stubs.transport()
    let json = await transport.get(.of("http://a/json"))
    #expect(json.head?.status == 201)
    #expect(json.head?.headers["Content-Type"] == "x/y")
    #expect(json.head?.headers.values(for: "x-b") == ["2", "3"])
    #expect(String(decoding: json.body, as: UTF8.self) == #"{"b":[1,null],"a":2.5}"#)
    #expect(await transport.response("/text/1") == "200 hello")
    #expect(await transport.response(.post, "/text/1").hasPrefix("405 "))
    #expect(await transport.response("/base64") == "200 hi")
    #expect(await transport.response("/file") == "200 of a file")
    #expect(await transport.response("/lost") == "connectionLost")
  }

  @Test func serversOfOneFileHaveDifferentPorts() throws {
    let stubs = try StubFixture(#"{"routes": [{"path": "/a"}]}"#)
    let servers = [
      try MockServer(stubs: stubs.file), try MockServer(stubs: stubs.file),
      try MockServer(stubs: [stubs.file]), try MockServer(stubs: [stubs.file]),
    ]
    defer { for server in servers { server.stop() } }
    #expect(Set(servers.map(\.port)).count == 4)
  }

  @Test func delaysAndPacesAreApplied() async throws {
    let stubs = try StubFixture(
      """
      {"routes": [
        {"path": "/fixed", "delay": "1.5 s"},
        {"path": "/uniform", "delay": {"from": "2s", "to": "3 s", "seed": 7}},
        {"path": "/normal", "delay": {"median": "20 ms", "sigma": 9, "cap": "1 min"}},
        {"path": "/slow", "text": "0123456789", "bytesPerSecond": 5},
        {"path": "/dribble", "text": "ab", "bodyDelay": "1 s", "dribble": {"pieces": 2, "over": "1 s"}}
      ]}
      """)
    let expected: [(String, ClosedRange<Duration>)] = [
      ("fixed", .seconds(1.5)...(.seconds(1.5))), ("uniform", .seconds(2)...(.seconds(3))),
      ("normal", .zero...(.seconds(60))), ("slow", .seconds(2)...(.seconds(2))),
      ("dribble", .seconds(2)...(.seconds(2))),
    ]
    for (path, range) in expected {
      let time = TestScheduler()
      let transport = try stubs.transport(time)
      let exchange = ExchangeRecorder(
        transport, HTTPRequest(url: URL.of("http://a/").appending(path: path)))
      await time.run()
      #expect(exchange.current.head?.status == 200)
      #expect(range.contains(time.elapsed), "\(path)")
    }
  }

  @Test func conditionsSelectStubs() async throws {
    let stubs = try StubFixture(
      #"""
      {"routes": [
        {"method": "GET", "path": "/a", "when": {"query": {"page": "2", "x": false}}, "text": "page two"},
        {"method": "GET", "path": "/a", "when": {"query": {"page": {"matches": "^[0-9]+$"}}}, "text": "page"},
        {"method": "GET", "path": "/a", "when": {"headers": {"X-A": true}}, "text": "header"},
        {"method": "POST", "path": "/a", "when": {"json": {"a": {"b": 1}, "c": [2]}}, "text": "json"},
        {"method": "POST", "path": "/a", "when": {"form": {"d": "e f"}}, "text": "form"},
        {"method": "POST", "path": "/a", "when": {"text": {"contains": "hello"}}, "text": "text"},
        {"method": "GET", "path": "/b", "times": 1, "text": "once"},
        {"method": "GET", "path": "/b", "text": "then"},
        {"method": "GET", "path": "/b", "priority": 1, "when": {"query": {"c": "d"}}, "text": "first"},
        {"method": "GET", "path": "/{any}", "when": {"query": {"last": true}}, "text": "behind"}
      ]}
      """#)
    let transport = try stubs.transport()
    #expect(await transport.response("/a?page=2&y=1") == "200 page two")
    #expect(await transport.response("/a?page=2&x=1") == "200 page")
    #expect(await transport.response("/a?page=x", ["x-a": ""]) == "200 header")
    #expect(await transport.response("/a?last") == "200 behind")
    #expect(
      await transport.response(.post, "/a", body: #"{"c":[2],"a":{"b":1,"z":0}}"#) == "200 json")
    #expect(await transport.response(.post, "/a", body: "g=h&d=e+f") == "200 form")
    #expect(await transport.response(.post, "/a", body: "well, hello") == "200 text")
    #expect(await transport.response("/b?c=d") == "200 first")
    #expect(await transport.response("/b") == "200 once")
    #expect(await transport.response("/b") == "200 then")
    #expect(await transport.response("/a?page=x") == "mockFailed")
  }

  @Test func aScenarioKeepsItsState() async throws {
    let stubs = try StubFixture(
      """
      {"routes": [
        {"method": "GET", "path": "/boards", "scenario": {"name": "b", "when": "started"}, "text": "none"},
        {"method": "POST", "path": "/boards", "scenario": {"name": "b", "when": "started", "then": "one"},
         "status": 201},
        {"method": "GET", "path": "/boards", "scenario": {"name": "b", "when": "one"}, "text": "one"}
      ]}
      """)
    let transport = try stubs.transport()
    #expect(await transport.response("/boards") == "200 none")
    #expect(await transport.response(.post, "/boards") == "201 ")
    #expect(await transport.response("/boards") == "200 one")
    #expect(await transport.response(.post, "/boards") == "mockFailed")
    #expect(await (try stubs.transport()).response("/boards") == "200 none")
  }

  @Test func aSequenceRespondsInOrder() async throws {
    let stubs = try StubFixture(
      """
      {"routes": [
        {"path": "/repeats", "headers": {"X-A": "1"}, "sequence": [{"status": 503}, {"text": "x"}]},
        {"path": "/fails", "sequence": [{"status": 503}], "afterLast": "fails"}
      ]}
      """)
    let server = try MockServer(stubs: stubs.file)
    let client = try RawClient(port: server.port)
    func response(_ path: String) async throws -> String {
      try await client.send("GET \(path) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      let head = try await client.receive(until: "\r\n\r\n")
      let length = head.split(separator: "Content-Length: ").last?.prefix { $0.isNumber }
      let body = try await client.receive(exactly: length.flatMap { Int($0) } ?? 0)
      return "\(head.prefix(12).suffix(3)) \(String(decoding: body, as: UTF8.self))"
    }
    for expected in ["503 ", "200 x", "200 x"] {
      #expect(try await response("/repeats") == expected)
    }
    #expect(try await response("/fails") == "503 ")
    #expect(
      try await response("/fails")
        == "500 the sequence at stubs.json:3:3 is exhausted after 1 response for GET /fails\n")
  }

  @Test func theMembersOfARouteAreDefaultsForItsSequence() async throws {
    let stubs = try StubFixture(
      """
      {"routes": [
        {"path": "/slow", "headers": {"X-A": "1"},
         "delay": "4 s", "bodyDelay": "2 s", "dribble": {"pieces": 2, "over": "1 s"},
         "sequence": [{"text": "ab"}, {"text": "cd", "delay": "8 s"}]},
        {"path": "/lost", "fault": "close", "sequence": [{"text": "x"}]}
      ]}
      """)
    let time = TestScheduler()
    let transport = try stubs.transport(time)
    for (text, end) in [("ab", Duration.seconds(7)), ("cd", .seconds(7 + 11))] {
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/slow")))
      await time.run()
      let record = await exchange.record
      #expect(record.head?.headers["X-A"] == "1")
      #expect(record.body == Data(text.utf8))
      #expect(time.elapsed == end)
    }
    #expect(await (try stubs.transport()).response("/lost") == "connectionLost")
  }

  @Test func connectionFaultsAreApplied() throws {
    let stubs = try StubFixture(
      """
      {"routes": [], "connectionFaults": [{"connection": 1, "type": "reset"}, {"type": "garbage", "text": "!"}]}
      """)
    let file = try StubFile(contentsOf: stubs.file)
    #expect(file.connectionFault(1) == .reset)
    #expect(file.connectionFault(0) == .garbage(Data("!".utf8)))
  }

  @Test func theExampleIsRead() throws {
    let example = URL(fileURLWithPath: #filePath)
      .appending(path: "../../../../Examples/MockServer/boards.json").standardized
    let file = try StubFile(contentsOf: example)
    #expect(file.summaries.count == 10)
    #expect(file.summaries[2].response == "200 application/json, delay 0.08 to 0.3 seconds")
    #expect(file.summaries[3].conditions == ["boards becomes created"])
    #expect(file.summaries[7].response == "503, then 503, then 200 text/plain; charset=utf-8")
  }

  @Test func aSummaryNamesTheRequiredStateBeforeTheNext() throws {
    let stubs = try StubFixture(
      #"{"routes": [{"path": "/a", "scenario": {"name": "b", "when": "started", "then": "one"}}]}"#)
    let file = try StubFile(contentsOf: stubs.file)
    #expect(file.summaries.map(\.conditions) == [["b is started", "b becomes one"]])
  }

  @Test func aRecordingIsServed() async throws {
    let folder = TemporaryFolder()
    let origin = MockTransport {
      Route(.get, "/a") { _ in .sequence(.text("one"), .text("two")) }
      Route(.get, "/lost") { _ in .failure(.connectionLost) }
    }
    let tape = try Tape(folder.url("session.HAR"), mode: .all, over: origin)
    for target in ["/a?b=c&d=e", "/a?b=c&d=e", "/lost"] { _ = await tape.response(target) }
    try tape.save()
    let file = try StubFile(contentsOf: tape.file)
    #expect(file.summaries.map(\.path) == ["/a", "/lost"])
    #expect(file.summaries.map(\.conditions) == [["query = b=c&d=e"], []])
    let transport = MockTransport(routes: file.routes)
    #expect(await transport.response("/a?d=e&b=c") == "200 one")
    #expect(await transport.response("/a?b=c&d=e") == "200 two")
    #expect(await transport.response("/a?b=c&d=e") == "200 two")
    #expect(await transport.response("/lost") == "connectionLost")
    #expect(await transport.response("/a?b=x").hasPrefix("404 GET http"))
  }
}

/// A temporary folder with a stub file.
struct StubFixture {
  let folder = TemporaryFolder()

  var file: URL { folder.url("stubs.json") }

  init(_ text: String) throws {
    try Data(text.utf8).write(to: file)
  }

  /// Returns an in-memory transport of the stub file.
  func transport(_ scheduler: any Scheduler = .live) throws -> MockTransport {
    MockTransport(routes: try StubFile(contentsOf: file).routes, scheduler: scheduler)
  }
}

extension Transport {
  /// Returns the status and the body of a response, `200 text`, or the code of a failure.
  func response(_ target: String, _ headers: HTTPHeaders = [:]) async -> String {
    await response(.get, target, headers)
  }

  /// Returns the status and the body of a response to any method, or the code of a failure.
  func response(
    _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = [:], body: String = ""
  ) async -> String {
    let url = URL(string: "http://a\(target)") ?? URL(filePath: "/")
    let request = HTTPRequest(
      method: method, url: url, headers: headers,
      body: body.isEmpty ? .none : .data(Data(body.utf8)))
    let record = await perform(request)
    if let failure = record.failure { return "\(failure.code)" }
    return "\(record.head?.status ?? 0) \(String(decoding: record.body, as: UTF8.self))"
  }
}
