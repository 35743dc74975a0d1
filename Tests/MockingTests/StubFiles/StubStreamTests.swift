import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// Tests of streams, interim responses and trailers in stub files.
@Suite(.gated)
struct StubStreamTests {
  @Test func aStubFileHasStreams() async throws {
    let stubs = try StubFixture(
      """
      {"routes": [
        {"path": "/events", "events": [
          "hello", {"event": "tick", "id": "1", "retry": "2 s", "data": {"n": 1}, "after": "3 s"}
        ], "every": "1 s", "repeat": 2},
        {"path": "/lines", "lines": [{"n": 1}, "two"]},
        {"path": "/braces", "lines": ["{{ path }}"], "template": false}
      ]}
      """)
    let time = TestScheduler()
    let transport = try stubs.transport(time)
    let exchange = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/events")))
    await time.advance(by: .seconds(3))
    #expect(exchange.current.pieces.count == 2)
    await time.advance(by: .seconds(4))
    #expect(exchange.current.order == ["head", "body", "end"])
    #expect(exchange.current.head?.headers["Content-Type"] == "text/event-stream")
    let round = "data: hello\n\nevent: tick\nid: 1\nretry: 2000\ndata: {\"n\":1}\n\n"
    #expect(String(decoding: exchange.current.body, as: UTF8.self) == round + round)
    #expect(await transport.response("/lines") == "200 {\"n\":1}\n\"two\"\n")
    #expect(await transport.response("/braces") == "200 \"{{ path }}\"\n")
    #expect(
      try StubFile(contentsOf: stubs.file).summaries[0].response
        == "200 text/event-stream, 2 items every 1.0 seconds, 2 times")
  }

  @Test func aStubFileHasInterimResponsesAndTrailers() async throws {
    let stubs = try StubFixture(
      """
      {"routes": [{
        "path": "/a", "text": "hi", "trailers": {"X-Sum": "9"},
        "interim": [{"status": 103, "headers": {"Link": ["</a>", "</b>"]}}, {"status": 102}, {"status": 199}]
      }]}
      """)
    let server = try MockServer(routes: try StubFile(contentsOf: stubs.file).routes)
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let response = try await client.receive(until: "X-Sum: 9\r\n\r\n")
    #expect(
      response.hasPrefix(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n"
          + "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 199 \r\n\r\nHTTP/1.1 200 OK\r\n"))
    #expect(response.hasSuffix("2\r\nhi\r\n0\r\nX-Sum: 9\r\n\r\n"))
  }

  private static let mistakes: [(stub: String, message: String)] = [
    ("\"events\": {}", "1:38: routes[0].events: expected an array of events, found an object"),
    (
      "\"events\": [{\"dat\": 1}]",
      "1:40: routes[0].events[0].dat: unknown key \"dat\"; did you mean \"data\"?"
    ),
    (
      "\"events\": [{}]",
      "1:39: routes[0].events[0]: expected a member \"data\", a string or a JSON value"
    ),
    (
      "\"events\": [{\"data\": 1, \"id\": \"a\\nb\"}]",
      "1:57: routes[0].events[0].id: expected a string without line breaks, found \"a\\nb\""
    ),
    (
      "\"lines\": [], \"events\": []",
      "1:28: routes[0].lines: \"lines\" cannot be combined with \"events\""
    ),
    (
      "\"json\": 1, \"lines\": []",
      "1:39: routes[0].lines: \"lines\" cannot be combined with \"json\""
    ),
    (
      "\"lines\": [], \"bytesPerSecond\": 1",
      "1:41: routes[0].bytesPerSecond: \"bytesPerSecond\" cannot be combined with \"lines\""
    ),
    ("\"every\": \"1 s\"", "1:28: routes[0].every: \"every\" requires \"events\" or \"lines\""),
    (
      "\"lines\": [1], \"repeat\": 0",
      "1:52: routes[0].repeat: expected true, or a number from 1 to 1000000, found 0"
    ),
    (
      "\"lines\": [\"{{ nwo }}\"]",
      "1:42: routes[0].lines[0]: unknown name \"nwo\"; did you mean \"now\"?"
    ),
    (
      "\"interim\": [{\"status\": 200}]",
      "1:51: routes[0].interim[0].status: expected a status from 102 to 199, found 200"
    ),
    (
      "\"trailers\": {\"Host\": \"a\"}",
      "1:41: routes[0].trailers.Host: the field \"Host\" must not be sent after the body"
    ),
  ]

  @Test(arguments: mistakes)
  func anErrorIsReportedWithItsLocation(stub: String, message: String) throws {
    let stubs = try StubFixture("{\"routes\": [{\"path\": \"/a\", \(stub)}]}")
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    let description = try #require(error).description
    #expect(description == "\(stubs.file.path):\(message)")
  }
}
