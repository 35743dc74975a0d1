import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

@Suite(.gated) struct RecordedSizeTests {
  @Test(arguments: [(Int64(3), Int?(2)), (5, nil), (7, nil), (0, nil)])
  func aDecodedBodyHasTheBytesThatItsCodingSaved(received: Int64, saved: Int?) {
    let response = HAR.Response(
      HTTPResponseHead(status: 200), body: Data("12345".utf8),
      metrics: TransportMetrics(bytesReceived: received), failure: nil)
    #expect(response.content.compression == saved)
  }
}

@Suite(.gated) struct MalformedHARTests {
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
      "a log that is a list", "{\"log\":\n []}", Place(2, 2, "log"),
      "expected an object, found an array"),
    MalformedFile(
      "entries that are a text", "{\"log\": {\n\"entries\": \"a\"}}",
      Place(2, 12, "log.entries"), "expected an array, found a string"),
  ]

  /// An entry that cannot be used, and the expected reason.
  static let brokenEntries: [(old: String, new: String, problem: String)] = [
    ("\"GET\"", "\"GET /\"", "expected a method, such as GET"),
    ("https://a.test/", "boards", "expected an absolute URL"),
    ("\"https://a.test/\"", "null", "expected an absolute URL, found none"),
    ("200", "42", "expected a status of three digits, or 0, found 42"),
    ("200", "99", "expected a status of three digits, or 0, found 99"),
    ("200", "1000", "expected a status of three digits, or 0, found 1000"),
  ]

  @Test(arguments: brokenEntries)
  func aBrokenEntryIsLeftOutWithOneWarning(old: String, new: String, problem: String) throws {
    let good = Self.archive
    let start = try #require(good.range(of: "\"entries\": [")).upperBound
    let end = try #require(good.range(of: "    ]\n  }\n}")).lowerBound
    let entry = String(good[start..<end])
    let text = "\(good[..<start])\(entry.replacing(old, with: new)),\(entry)\(good[end...])"
    let folder = TemporaryFolder()
    let file = try folder.file("a.har", text)
    let har = try HAR(contentsOf: file)
    #expect(har.log.entries.map(\.request.url) == ["https://a.test/"])
    #expect(har.warnings.map(\.entry) == [0])
    #expect(har.warnings.first?.problem == "left out: \(problem)")
    #expect(try Tape(replaying: file).warnings == har.warnings)
    #expect(try StubFile(contentsOf: file).warnings == har.warnings)
  }

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

@Suite(.gated) struct HARTests {
  private let folder = TemporaryFolder()

  @Test func unknownMembersAreWrittenBack() throws {
    let text = MalformedHARTests.archive
      .replacing("\"cache\"", with: "\"_priority\": \"High\", \"cache\"")
      .replacing("\"send\"", with: "\"_queued\": 1.5, \"send\"")
      .replacing("\"cookies\": [], \"headers\"", with: "\"_a\": {\"b\": [1]}, \"headers\"")
    let file = try folder.file("bom.har", "\u{FEFF}\(text)")
    let har = try HAR(contentsOf: file)
    try har.write(to: folder.tape)
    let entry = try #require(try HAR(contentsOf: folder.tape).log.entries.first)
    #expect(entry.otherMembers == ["_priority": "High"])
    #expect(entry.timings.otherMembers == ["_queued": 1.5])
    #expect(entry.request.otherMembers == ["_a": ["b": [1]]])
    #expect(entry == har.log.entries.first)
  }

  @Test func anEntryThatCannotBeWrittenIsLeftOutWithAWarning() throws {
    var har = HAR(
      log: HAR.Log(entries: [Self.entry("https://a.test/1"), Self.entry("https://a.test/2")]))
    har.log.entries[0].otherMembers["_rate"] = .double(.infinity)
    har.log.entries[1].time = .nan
    let warnings = try har.write(to: folder.tape)
    #expect(
      warnings.map(\.description) == [
        "log.entries[0], GET https://a.test/1: left out: a number is not finite"
      ])
    #expect(try HAR(contentsOf: folder.tape).log.entries.map(\.request.url) == ["https://a.test/2"])
  }

  private static func entry(_ url: String) -> HAR.Entry {
    HAR.Entry(
      startedDateTime: "2026-01-01T00:00:00.000Z", request: HAR.Request(method: "GET", url: url),
      response: HAR.Response(status: 200))
  }

  @Test func aWarningContainsNoSecretAndNoLongURL() throws {
    var entry = Self.entry(
      "https://a.test/?access_token=t-4711&x=\(String(repeating: "y", count: 900))")
    entry.response.status = 42
    let text = try #require(HAR(json: HAR(log: HAR.Log(entries: [entry])).json).warnings.first)
      .description
    #expect(text.contains("a.test/?access_token=") && !text.contains("4711"))
    #expect(text.utf8.count < 400)
  }

  @Test func newMembersHaveTheGivenAndTheDefaultValues() {
    #expect(HAR.Field(name: "A", value: "b", comment: "c").comment == "c")
    #expect(HAR.Content().size == 0 && HAR.Content().text == nil)
  }

  @Test func aReplayReportsSentBytesOnlyOfARequestWithABody() {
    func progress(_ events: [TransportEvent]) -> [Int64] {
      events.compactMap { if case .sent(let bytes, _) = $0 { bytes } else { nil } }
    }
    var entry = Self.entry("https://a.test/")
    #expect(progress(entry.events(to: .get, [:])) == [])
    #expect(progress(entry.events(to: .get, [:], byteCount: 0)) == [])
    #expect(progress(entry.events(to: .put, [:], byteCount: 1)) == [1])
    entry.request.bodySize = 7
    #expect(progress(entry.events(to: .put, [:])) == [7])
  }

  @Test(arguments: [(10, ""), (11, " and 1 more"), (12, " and 2 more")])
  func anErrorListsTenLocations(_ count: Int, _ rest: String) {
    let paths = (0..<count).map { "log.entries[\($0)]" }
    let error = RecordingError.suspectedTokens(file: URL(fileURLWithPath: "/a.har"), paths: paths)
    #expect(error.description.hasSuffix(paths.prefix(10).joined(separator: ", ") + rest))
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
    #expect(entry.response.content.size == 3)
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

  @Test(arguments: [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian])
  func everyByteOrderMarkOfAnArchiveIsRemoved(_ encoding: String.Encoding) throws {
    let text = "{\"log\": 1}"
    for count in 1...3 {
      let marked = String(repeating: "\u{FEFF}", count: count) + text
      let data = try #require(marked.data(using: encoding))
      #expect(JSONRepair.utf8(data) == Data(text.utf8))
    }
  }
}
