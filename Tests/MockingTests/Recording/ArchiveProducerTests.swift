import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

/// Archives in the manner of other programs, each of which differs from the specification.
@Suite(.gated)
struct ArchiveProducerTests {
  /// An archive, a URL in it, and the expected response.
  struct Archive: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    var url = "https://a.test/items"
    var expected = "200 [1]"
    var warningCount = 0
  }

  /// Returns an archive with one entry for `https://a.test/items`.
  private static func entry(
    request: String = "", response: String = "", more: String = ""
  ) -> String {
    #"""
    {"log": {"entries": [{"request": {"method": "GET", "url": "https://a.test/items"\#(request)},
      "response": {"status": 200, "content": {"text": "[1]"}\#(response)}\#(more)}]}}
    """#
  }

  static let archives = [
    Archive(testDescription: "the required members only", text: entry()),
    Archive(
      testDescription: "another version, without a creator",
      text: entry().replacing(#"{"log": {"#, with: #"{"log": {"version": 2.5, "creator": null, "#)),
    Archive(
      testDescription: "null in place of each optional member",
      text: entry(
        request:
          #", "headers": null, "cookies": null, "queryString": null, "headersSize": null, "bodySize": null, "httpVersion": null, "postData": null"#,
        response:
          #", "headers": null, "cookies": null, "redirectURL": null, "headersSize": null, "bodySize": null, "statusText": null, "_error": null"#,
        more:
          #", "time": null, "cache": null, "timings": null, "startedDateTime": null, "serverIPAddress": null"#
      )),
    Archive(
      testDescription: "objects in place of lists",
      text: entry(
        request: #", "headers": {}, "cookies": {}, "queryString": {}"#,
        response: #", "headers": {"Content-Type": "application/json"}, "cookies": {}"#
      ).replacing(#"{"log": {"#, with: #"{"log": {"pages": {}, "#)),
    Archive(
      testDescription: "numbers as text, and text as numbers",
      text: entry(
        request: #", "httpVersion": 1.1, "headersSize": "12", "bodySize": "x""#,
        response: #", "statusText": 200, "headersSize": 1e300, "bodySize": 3.0, "redirectURL": 0"#,
        more:
          #", "time": "12.5", "timings": {"send": "1", "wait": 1e300, "receive": -1}, "connection": 80"#
      ).replacing("\"status\": 200", with: "\"status\": \"200\"")),
    Archive(
      testDescription: "a body that is JSON instead of a text",
      text: entry().replacing(
        #""text": "[1]""#, with: #""text": [1], "mimeType": null, "size": null"#)),
    Archive(
      testDescription: "base64 with line breaks",
      text: entry().replacing(#""text": "[1]""#, with: #""text": "Wz\r\nFd", "encoding": "base64""#)
    ),
    Archive(
      testDescription: "a plain text that is named base64",
      text: entry().replacing(
        #""text": "[1]""#, with: #""text": "plain text!", "encoding": "base64""#),
      expected: "200 plain text!", warningCount: 1),
    Archive(
      testDescription: "two words of eight letters that are named base64",
      text: entry().replacing(
        #""text": "[1]""#, with: #""text": "good news", "encoding": "base64""#),
      expected: "200 good news", warningCount: 1),
    Archive(
      testDescription: "gzip that is the body",
      text: entry(
        response: #", "headers": [{"name": "Content-Encoding", "value": "gzip"}]"#
      ).replacing(#""text": "[1]""#, with: #""text": "WzFd", "encoding": "base64""#)),
    Archive(
      testDescription: "a start time in another form",
      text: entry(more: #", "startedDateTime": "NaN-NaN-NaNTNaN:NaN:NaN""#)),
    Archive(
      testDescription: "a start time in milliseconds since 1970",
      text: entry(more: #", "startedDateTime": 1700000000123"#)),
    Archive(testDescription: "a byte order mark", text: "\u{FEFF}" + entry()),
    Archive(
      testDescription: "numbers that are not JSON",
      text: entry(more: #", "time": NaN, "_x": -Infinity"#)),
    Archive(
      testDescription: "a control character and half of a surrogate pair in a text",
      text: entry(more: #", "comment": "a\#u{1} \ud83d""#)),
    Archive(
      testDescription: "entries without a root",
      text: #"{"entries": [{"request": {"method": "get", "url": "https://a.test/items"},"#
        + #""response": {"status": 200, "content": {"text": "[1]"}}}]}"#),
    Archive(
      testDescription: "a list of entries",
      text: #"[{"request": {"method": "GET", "url": "https://a.test/items"},"#
        + #""response": {"status": 200, "content": {"text": "[1]"}}}]"#),
    Archive(
      testDescription: "pseudo-fields of HTTP/2",
      text: entry(
        request: #", "httpVersion": "h2", "headers": [{"name": ":authority", "value": "a.test"}]"#,
        response: #", "headers": [{"name": ":status", "value": "200"}]"#)),
    Archive(
      testDescription: "a relative URL with the field Host",
      text: entry(request: #", "headers": [{"name": "Host", "value": "a.test"}]"#)
        .replacing("https://a.test/items", with: "/items"), url: "http://a.test/items"),
    Archive(
      testDescription: "a URL with characters that must be encoded",
      text: entry().replacing("a.test/items", with: "a.test/items?q=%2F&x=[1]|{a b}"),
      url: "https://a.test/items?x=%5B1%5D%7C%7Ba%20b%7D&q=%2F"),
    Archive(
      testDescription: "a response that a browser has completed from its cache",
      text: entry().replacing("\"status\": 200", with: "\"status\": 304")),
    Archive(
      testDescription: "the error of a browser after a complete response",
      text: entry(response: #", "_error": "net::ERR_ABORTED""#)),
    Archive(
      testDescription: "a redirect without content",
      text: entry().replacing(
        #""status": 200, "content": {"text": "[1]"}"#, with: #""status": 302"#),
      expected: "302 "),
    Archive(
      testDescription: "a body that is not in the archive",
      text: entry().replacing(#""text": "[1]""#, with: #""size": 12"#), expected: "200 ",
      warningCount: 1),
    Archive(
      testDescription: "a request that was sent again after a failure",
      text: entry().replacing(
        #""entries": ["#,
        with: #"""
          "entries": [{"request": {"method": "GET", "url": "https://a.test/items"}, "response":
            {"status": 200, "_failureText": "net::ERR_ABORTED", "headers": [{"name": "Content-Encoding",
             "value": "gzip"}], "content": {"size": -1}}},
          """#), warningCount: 1),
    Archive(
      testDescription: "aborted exchanges and URLs of other schemes beside a response",
      text: entry().replacing(
        #""entries": ["#,
        with: #"""
          "entries": [null,
            {"request": {"method": "GET", "url": "https://a.test/items"}, "response": {"status": 0,
             "_error": "net::ERR_BLOCKED_BY_CLIENT"}},
            {"request": {"method": "GET", "url": "https://a.test/items"}, "response": {"status": -2}},
            {"request": {"method": "GET", "url": "https://a.test/items"}, "response": null},
            {"request": {"method": "GET", "url": "data:text/plain,a"}, "response": {"status": 200}},
            {"request": {"method": "GET", "url": "wss://a.test/socket"}, "response": {"status": 101}},
            {"request": {"method": "CONNECT", "url": "https://a.test:443"}, "response": {"status": 200}},
          """#), warningCount: 7),
  ]

  @Test(arguments: archives)
  func anArchiveOfAnotherProgramReplays(_ archive: Archive) async throws {
    let folder = TemporaryFolder()
    let file = try folder.file("a.har", archive.text)
    let tape = try Tape(replaying: file)
    #expect(tape.warnings.count == archive.warningCount, "\(tape.warnings)")
    let url = try #require(URL(string: archive.url))
    let played = await tape.perform(HTTPRequest(url: url))
    let body = String(decoding: played.body, as: UTF8.self)
    #expect("\(played.head?.status ?? 0) \(body)" == archive.expected, "\(played.reason)")
    let stubs = MockTransport(routes: try StubFile(contentsOf: file).routes)
    let served = await stubs.perform(HTTPRequest(url: url))
    #expect(served.body == played.body && served.head?.status == played.head?.status)
    let har = try HAR(contentsOf: file)
    try har.write(to: folder.url("b.har"))
    #expect(try HAR(contentsOf: folder.url("b.har")) == har)
  }

  @Test(arguments: [#""_error": "net::ERR_ABORTED""#, #""_failureText": "net::ERR_ABORTED""#])
  func aFailureWithoutABodyIsALostConnection(member: String) async throws {
    let text = Self.entry(response: ", \(member)")
      .replacing(#"{"text": "[1]"}"#, with: #"{"size": 7}"#)
    let folder = TemporaryFolder()
    let file = try folder.file("a.har", text)
    let stubs = try StubFile(contentsOf: file)
    #expect(stubs.warnings.map { $0.problem.contains("net::ERR_ABORTED") } == [true])
    let url = try #require(URL(string: "https://a.test/items"))
    let served = await MockTransport(routes: stubs.routes).perform(HTTPRequest(url: url))
    #expect(served.failure?.code == .connectionLost && served.body.isEmpty)
    let tape = try Tape(replaying: file)
    let played = await tape.perform(HTTPRequest(url: url))
    #expect(played.failure?.code == .connectionLost)
  }

  @Test(
    arguments: [
      (200, #""_failureText": """#, nil), (200, #""_error": "", "_failureText": """#, nil),
      (500, #""_error": "net::ERR_HTTP_RESPONSE_CODE_FAILURE""#, nil),
      (404, #""_failureText": "net::ERR_HTTP_RESPONSE_CODE_FAILURE""#, nil),
      (404, #""_failureText": "net::ERR_ABORTED""#, .connectionLost),
      (200, #""_error": "", "_failureText": "net::ERR_ABORTED""#, .connectionLost),
    ] as [(Int, String, NetworkError.Code?)])
  func anEmptyResponseFailsOnlyWithAReason(
    status: Int, members: String, code: NetworkError.Code?
  ) async throws {
    let text = Self.entry(response: ", \(members)").replacing(#"{"text": "[1]"}"#, with: "{}")
      .replacing(#""status": 200"#, with: #""status": \#(status)"#)
    let folder = TemporaryFolder()
    let file = try folder.file("a.har", text)
    let url = try #require(URL(string: "https://a.test/items"))
    let stubs = MockTransport(routes: try StubFile(contentsOf: file).routes)
    let served = await stubs.perform(HTTPRequest(url: url))
    #expect(served.head?.status == status && served.failure?.code == code)
    let tape = try Tape(replaying: file)
    let played = await tape.perform(HTTPRequest(url: url))
    #expect(played.head?.status == status && played.failure?.code == code)
  }

  /// The bytes are damaged, of an unknown coding, or already decoded.
  @Test(
    arguments: [
      ("application/json", "gzip", "H4sIAAAAAAACA4s2jAUAuDIvTAMA", "gzip"),
      ("application/json", "br", "/wD/Aw==", "br"), ("text/html", "zstd", "KLUv/QA=", "zstd"),
      ("image/png", "zstd", "KLUv/QA=", "zstd"), ("image/png", "deflate", "eJyLNowF", "deflate"),
      ("image/png", "gzip", "iVBORw==", nil), ("application/json", "gzip", "WzFd", nil),
      ("application/gzip", "gzip", "H4sIAAAAAAACA4s2jAUAuDIvTAMA", nil),
      ("text/plain", "identity", "/wD/Aw==", nil), ("text/plain", "br", "6Q==", nil),
    ])
  func aBodyThatIsNotDecodedKeepsItsContentCoding(
    type: String, coding: String, base64: String, expected: String?
  ) async throws {
    let text = Self.entry(
      response: #", "headers": [{"name": "content-encoding", "value": "\#(coding)"}]"#
    ).replacing(
      #""text": "[1]""#,
      with: #""size": -1, "mimeType": "\#(type)", "encoding": "base64", "text": "\#(base64)""#)
    let folder = TemporaryFolder()
    let stubs = try StubFile(contentsOf: folder.file("a.har", text))
    let url = try #require(URL(string: "https://a.test/items"))
    let served = await MockTransport(routes: stubs.routes).perform(HTTPRequest(url: url))
    #expect(served.head?.headers["Content-Encoding"] == expected)
    #expect(served.body == Data(base64Encoded: base64))
  }

  #if CATENA_CURL
    /// The bytes are those of `[1]` and `[1,1,1,1,1]`, in the form of zlib and without it.
    @Test(
      arguments: [
        ("image/png", "eJyLNowFAAHTAOo=", -1, 3), ("image/png", "eJyLNowFAAHTAOo=", 11, 3),
        ("application/json", "izbUgcJYAA==", -1, 11), ("image/png", "izbUgcJYAA==", 11, 11),
        ("image/png", "izbUgcJYAA==", 7, 7),
      ])
    func aDeflatedBodyIsDecoded(type: String, base64: String, size: Int, count: Int) throws {
      let headers = [HAR.Field(name: "Content-Encoding", value: "deflate")]
      var response = HAR.Response(status: 200, headers: headers)
      response.content = HAR.Content(
        size: size, mimeType: type, text: base64, encoding: "base64")
      #expect(response.body?.count == count && response.remainingCodings.isEmpty)
    }
  #endif

  #if CATENA_CURL || canImport(Compression)
    /// The bytes are those of `[1]` in gzip.
    @Test(arguments: [("application/json", true), ("application/gzip", false)])
    func aBodyInItsContentCodingIsDecoded(type: String, isDecoded: Bool) async throws {
      let text = Self.entry(
        response: #", "headers": [{"name": "Content-Encoding", "value": "gzip"}]"#
      ).replacing(
        #""text": "[1]""#,
        with: #""mimeType": "\#(type)", "encoding": "base64", "#
          + #""text": "H4sIAAAAAAACA4s2jAUAuDIvTAMAAAA=""#)
      let folder = TemporaryFolder()
      let server = try MockServer(
        routes: try StubFile(contentsOf: folder.file("a.har", text)).routes)
      defer { server.stop() }
      let client = try RawClient(port: server.port)
      try await client.send("GET /items HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      let head = try await client.receive(until: "\r\n\r\n")
      #expect(head.contains("Content-Length: \(isDecoded ? 3 : 23)\r\n"))
      #expect(!head.contains("Content-Encoding"))
    }
  #endif

  @Test func anArchiveInUTF16IsRead() throws {
    let folder = TemporaryFolder()
    var data = Data([0xFF, 0xFE])
    data += try #require(Self.entry().data(using: .utf16LittleEndian))
    #expect(try HAR(contentsOf: folder.file("a.har", data)).log.entries.count == 1)
  }

  @Test func repeatedFieldsThatABrowserHasJoinedAreSplit() throws {
    let text = Self.entry(
      response: #", "headers": [{"name": "set-cookie", "value": "a=1; Path=/\nb=2"}]"#)
    let har = HAR(json: try JSON(parsing: Data(text.utf8)))
    let head = try #require(har.log.entries.first?.response.head)
    #expect(head.headers.values(for: "Set-Cookie") == ["a=1; Path=/", "b=2"])
  }

  @Test func theTimesOfUnknownPhasesAreNotReplayed() throws {
    let text = Self.entry(more: #", "timings": {"send": -1, "wait": 1e300, "dns": null}"#)
    let timings = try #require(
      HAR(json: try JSON(parsing: Data(text.utf8))).log.entries.first?.timings)
    #expect(timings.sum == 0 && timings.metrics(bytesSent: 0, bytesReceived: 0).total == .zero)
  }
}
