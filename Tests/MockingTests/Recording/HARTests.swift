import Foundation
import Networking
import TestSupport
import Testing

@testable import Mocking

@Suite struct MalformedHARTests {
  static let archive = """
    {
      "log": {
        "version": "1.2", "creator": {"name": "x", "version": "1"},
        "entries": [
          {
            "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "cache": {},
            "request": {
              "method": "GET", "url": "https://a.test/", "httpVersion": "HTTP/1.1",
              "cookies": [], "headers": [], "queryString": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
              "headers": [], "content": {"size": 0, "mimeType": "text/plain"},
              "redirectURL": "", "headersSize": -1, "bodySize": 0
            },
            "timings": {"send": 0, "wait": 1, "receive": 0}
          }
        ]
      }
    }
    """

  /// The position of a value in a file: its line, its column, and its path in the JSON.
  struct Place: Sendable {
    let line: Int
    let column: Int
    let path: String

    init(_ line: Int, _ column: Int, _ path: String = "") {
      (self.line, self.column, self.path) = (line, column, path)
    }

    static let method = Place(8, 21, "log.entries[0].request.method")
    static let url = Place(8, 35, "log.entries[0].request.url")
    static let status = Place(12, 21, "log.entries[0].response.status")
    static let timings = Place(16, 20, "log.entries[0].timings")
  }

  /// A malformed file and its expected error.
  struct MalformedFile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let place: Place
    let problem: String

    init(_ name: String, _ text: String, _ place: Place, _ problem: String) {
      (testDescription, self.text) = (name, text)
      (self.place, self.problem) = (place, problem)
    }

    /// Replaces a part of the valid archive.
    init(
      _ name: String, _ old: String, to new: String, _ place: Place, _ problem: String
    ) {
      self.init(name, archive.replacing(old, with: new), place, problem)
    }
  }

  static let malformedFiles = [
    MalformedFile(
      "empty", "", Place(1, 1), "expected JSON: the file ends before the JSON is complete"),
    MalformedFile(
      "cut off", "{\"log\":\n {\"ver", Place(2, 7),
      "expected JSON: the file ends before the JSON is complete"),
    MalformedFile(
      "a stray comma", "{\"log\":\n  [1,,2]}", Place(2, 6), "expected JSON: invalid value"),
    MalformedFile(
      "a stray comma behind other letters", "{\"é\":\n  [\"é\",,2]}", Place(2, 8),
      "expected JSON: invalid value"),
    MalformedFile("no log", "{}", Place(1, 1), "expected a member \"log\", found none"),
    MalformedFile("an array", "\n[1]", Place(2, 1), "expected an object, found an array"),
    MalformedFile(
      "another version", "\"1.2\"", to: "\"3.0\"", Place(3, 16, "log.version"),
      "expected 1.2, found \"3.0\""),
    MalformedFile(
      "no method", #""method": "GET", "#, to: "", Place(7, 20, "log.entries[0].request"),
      "expected a member \"method\", found none"),
    MalformedFile(
      "no date", #""startedDateTime": "2026-01-01T00:00:00.000Z", "#, to: "",
      Place(5, 7, "log.entries[0]"), "expected a member \"startedDateTime\", found none"),
    MalformedFile(
      "a status that is text", "200", to: "\"200\"", .status,
      "expected a whole number, found a string"),
    MalformedFile(
      "a status out of range", "200", to: "42", .status,
      "expected a status of three digits, or 0"),
    MalformedFile(
      "headers that are null", #""headers": [], "queryString""#,
      to: #""headers": null, "queryString""#, Place(9, 37, "log.entries[0].request.headers"),
      "expected an array, found null"),
    MalformedFile(
      "a URL that is a number", "\"https://a.test/\"", to: "7", .url,
      "expected a string, found a number"),
    MalformedFile(
      "a wrong date", "2026-01-01T00:00:00.000Z", to: "yesterday",
      Place(6, 28, "log.entries[0].startedDateTime"), "expected a date and time in ISO 8601"),
    MalformedFile(
      "a wrong method", "GET", to: "GET /", .method,
      "expected a method, such as GET"),
    MalformedFile(
      "an empty method", "GET", to: "", .method,
      "expected a method, such as GET"),
    MalformedFile(
      "a wait without end", "\"wait\": 1", to: "\"wait\": 1e300", .timings,
      "expected times of at most a day"),
    MalformedFile(
      "a wait of more than a day", "\"wait\": 1", to: "\"wait\": 86400001", .timings,
      "expected times of at most a day"),
    MalformedFile(
      "a relative URL", "https://a.test/", to: "/boards", .url,
      "expected an absolute URL"),
    MalformedFile(
      "a body that is no base64", #""mimeType": "text/plain""#,
      to: #""mimeType": "text/plain", "encoding": "base64", "text": "%%%""#,
      Place(13, 105, "log.entries[0].response.content.text"),
      "expected base64, because encoding is base64"),
  ]

  @Test(arguments: malformedFiles)
  func aMalformedFileIsOneErrorWithItsLine(_ malformed: MalformedFile) throws {
    let folder = TemporaryFolder()
    let file = try folder.file("malformed.har", malformed.text)
    let expected = RecordingError.malformed(
      file: file, line: malformed.place.line, column: malformed.place.column,
      path: malformed.place.path, problem: malformed.problem)
    #expect(throws: expected) { try HAR(contentsOf: file) }
    #expect(throws: expected) { try Tape(replaying: file) }
    #expect(throws: expected) { try StubFile(contentsOf: file) }
  }

  @Test func theMessageHasTheFormatOfCompilerDiagnostics() throws {
    let file = URL(fileURLWithPath: "/a/b.har")
    let place = RecordingError.malformed(
      file: file, line: 8, column: 33, path: "log.entries[0].request.url", problem: "expected x")
    #expect(
      "\(place)"
        == "/a/b.har:8:33: not an HTTP archive: log.entries[0].request.url: expected x")
    let syntax = RecordingError.malformed(
      file: file, line: 1, column: 2, path: "", problem: "expected JSON: y")
    #expect("\(syntax)" == "/a/b.har:1:2: not an HTTP archive: expected JSON: y")
  }
}

@Suite struct HARTests {
  private let folder = TemporaryFolder()

  @Test func aByteOrderMarkAndUnknownMembersAreIgnored() throws {
    let text = MalformedHARTests.archive.replacing(
      "\"cache\"", with: "\"_priority\": \"High\", \"cache\"")
    let file = try folder.file("bom.har", "\u{FEFF}\(text)")
    #expect(try HAR(contentsOf: file).log.entries.count == 1)
  }

  @Test func archivesRoundTrip() throws {
    var entry = HAR.Entry(
      startedDateTime: "2026-01-01T00:00:00.000Z",
      request: HAR.Request(
        method: "POST",
        url: "https://a.test/é".addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed)
          ?? ""),
      response: HAR.Response(status: 200), timings: HAR.Timings(dns: 0.123, wait: 1.5))
    entry.response.content.set(Data([0, 255, 1]))
    let har = HAR(log: HAR.Log(entries: [entry]))
    try har.write(to: folder.tape)
    #expect(try HAR(contentsOf: folder.tape) == har)
  }

  @Test(arguments: [
    TransportMetrics(
      nameResolved: .milliseconds(2), connected: .milliseconds(5), secured: .milliseconds(11),
      requestSent: .milliseconds(12), firstByte: .milliseconds(40), total: .milliseconds(50)),
    TransportMetrics(
      requestSent: .microseconds(120), firstByte: .milliseconds(4), total: .milliseconds(5),
      reusedConnection: true),
    // Times in another order, such as a response that arrives before the request is complete.
    TransportMetrics(
      nameResolved: .milliseconds(2), connected: .milliseconds(1), requestSent: .milliseconds(9),
      firstByte: .milliseconds(4), total: .milliseconds(10)),
    TransportMetrics(nameResolved: .milliseconds(3), total: .milliseconds(7)),
    TransportMetrics(),
  ])
  func theTimingsAddUpToTheTotal(_ metrics: TransportMetrics) {
    let timings = HAR.Timings(metrics)
    #expect(abs(timings.sum - metrics.total / .milliseconds(1)) < 0.001)
    for part in [timings.send, timings.wait, timings.receive] { #expect(part >= 0) }
    #expect((timings.dns ?? -1) >= 0 || metrics.nameResolved == nil)
    #expect((timings.ssl ?? -1) <= (timings.connect ?? -1))
    let again = timings.metrics(bytesSent: 0, bytesReceived: 0)
    #expect(again.total == metrics.total)
    #expect(again.reusedConnection == (metrics.connected == nil))
  }

  @Test(arguments: [
    ("text/plain", Data("Grüße\r\n\u{0}".utf8), false),
    ("text/plain; charset=iso-8859-1", Data([0x47, 0xFC, 0x80]), false),
    ("text/plain; charset=utf-8", Data([0xEF, 0xBB, 0xBF, 0x41]), false),
    ("image/png", Data([0x89, 0x50, 0x00, 0xFF]), true),
    ("text/plain; charset=utf-16", Data([0xFF, 0xFE, 0x41, 0x00]), true),
  ])
  func bodiesRoundTripAsTextOrBase64(_ type: String, _ data: Data, _ isBase64: Bool) {
    let (text, encoding) = HARBodyCoding.encode(data, mimeType: type)
    #expect((encoding == "base64") == isBase64)
    #expect(HARBodyCoding.decode(text, encoding: encoding, mimeType: type) == data)
  }

  @Test func aFileBodyIsReadUpToTheLimit() throws {
    let file = try folder.file("body", "0123456789")
    let body = HTTPBody.pieces([.data(Data("<".utf8)), .file(file)])
    #expect(LimitedBodyReader.read(body, limit: 11) == Data("<0123456789".utf8))
    #expect(LimitedBodyReader.read(body, limit: 10) == nil)
    #expect(LimitedBodyReader.read(.file(folder.url("none")), limit: 10) == nil)
  }
}
