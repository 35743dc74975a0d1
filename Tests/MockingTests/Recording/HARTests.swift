import Foundation
import Networking
import TestSupport
import Testing

@testable import Mocking

@Suite struct HARTests {
  private let folder: TapeFolder

  init() throws {
    folder = try TapeFolder()
  }

  private static let entry = """
    {"startedDateTime":"2026-01-01T00:00:00.000Z","time":1,"cache":{},\
    "request":{"method":"GET","url":"https://a.test/","httpVersion":"HTTP/1.1","cookies":[],\
    "headers":[],"queryString":[],"headersSize":-1,"bodySize":0},\
    "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],\
    "content":{"size":0,"mimeType":"text/plain"},"redirectURL":"","headersSize":-1,"bodySize":0},\
    "timings":{"send":0,"wait":1,"receive":0}}
    """

  private static func archive(_ entry: String = entry, version: String = "1.2") -> String {
    #"{"log":{"version":"\#(version)","creator":{"name":"x","version":"1"},"entries":[\#(entry)]}}"#
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let place: String
    let problem: String
    var testDescription: String { name }
  }

  private static func changed(
    _ name: String, _ old: String, _ new: String, _ place: String, _ problem: String
  ) -> Wrong {
    Wrong(
      name: name, text: archive(entry.replacing(old, with: new)), place: place, problem: problem)
  }

  private static func timing(_ wait: String) -> Wrong {
    Wrong(
      name: "a wait of \(wait) ms",
      text: archive(entry.replacing("\"wait\":1", with: "\"wait\":\(wait)")),
      place: "log.entries[0].timings", problem: "expected times of at most a day")
  }

  static let wrong = [
    Wrong(
      name: "empty", text: "", place: "line 1, column 1",
      problem: "expected JSON: the file ends too soon"),
    Wrong(
      name: "cut off", text: "{\"log\":\n {\"ver", place: "line 2, column 7",
      problem: "expected JSON: the file ends too soon"),
    Wrong(
      name: "a stray comma", text: "{\"log\":\n  [1,,2]}", place: "line 2, column 6",
      problem: "expected JSON: invalid value"),
    Wrong(
      name: "no log", text: "{}", place: "the root",
      problem: "expected a member \"log\", found none"),
    Wrong(
      name: "an array", text: "[1]", place: "the root",
      problem: "expected an object, found something else"),
    Wrong(
      name: "another version", text: archive(version: "3.0"), place: "log.version",
      problem: "expected 1.2, found \"3.0\""),
    changed(
      "no method", #""method":"GET","#, "", "log.entries[0].request",
      "expected a member \"method\", found none"),
    changed(
      "a status that is text", "200", "\"200\"", "log.entries[0].response.status",
      "expected a whole number, found something else"),
    changed(
      "a status out of range", "200", "42", "log.entries[0].response.status",
      "expected a status of three digits, or 0"),
    changed(
      "headers that are null", #""headers":[],"queryString""#, #""headers":null,"queryString""#,
      "log.entries[0].request.headers", "expected an array, found null"),
    changed(
      "no date", "2026-01-01T00:00:00.000Z", "yesterday", "log.entries[0].startedDateTime",
      "expected a date and time in ISO 8601"),
    timing("1e300"),
    timing("86400001"),
    changed(
      "a relative URL", "https://a.test/", "/boards", "log.entries[0].request.url",
      "expected an absolute URL"),
    changed(
      "no base64", #""mimeType":"text/plain""#,
      #""mimeType":"text/plain","encoding":"base64","text":"%%%""#,
      "log.entries[0].response.content.text", "expected base64, as its encoding says"),
  ]

  @Test(arguments: wrong)
  func aMalformedFileIsOneErrorThatNamesThePlace(_ wrong: Wrong) throws {
    let file = try folder.file("wrong.har", holding: wrong.text)
    let expected = RecordingError.malformed(file: file, place: wrong.place, problem: wrong.problem)
    #expect(throws: expected) { try HAR(contentsOf: file) }
    #expect(throws: expected) { try Tape(replaying: file) }
    #expect(
      expected.description == "\(file.path) is no HTTP archive: \(wrong.place): \(wrong.problem)")
  }

  @Test func aByteOrderMarkAndUnknownMembersArePassedOver() throws {
    let text = Self.archive(
      Self.entry.replacing("\"cache\"", with: "\"_priority\":\"High\",\"cache\""))
    let file = try folder.file("bom.har", holding: "\u{FEFF}\(text)")
    #expect(try HAR(contentsOf: file).log.entries.count == 1)
  }

  @Test func whatIsWrittenReadsTheSame() throws {
    var entry = HAR.Entry(
      startedDateTime: "2026-01-01T00:00:00.000Z",
      request: HAR.Request(
        method: "POST",
        url: "https://a.test/é".addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed)
          ?? ""),
      response: HAR.Response(status: 200), timings: HAR.Timings(dns: 0.123, wait: 1.5))
    entry.response.content.set(Data([0, 255, 1]))
    let har = HAR(log: HAR.Log(entries: [entry]))
    try har.write(to: folder.file())
    #expect(try HAR(contentsOf: folder.file()) == har)
  }

  @Test(arguments: [
    TransportMetrics(
      nameResolved: .milliseconds(2), connected: .milliseconds(5), secured: .milliseconds(11),
      requestSent: .milliseconds(12), firstByte: .milliseconds(40), total: .milliseconds(50)),
    TransportMetrics(
      requestSent: .microseconds(120), firstByte: .milliseconds(4), total: .milliseconds(5),
      reusedConnection: true),
    // Measured in another order, as when the answer comes before all is sent.
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
  func bodiesAreTextOrBase64AndLoseNothing(_ type: String, _ data: Data, _ isBase64: Bool) {
    let (text, encoding) = BodyText.of(data, mimeType: type)
    #expect((encoding == "base64") == isBase64)
    #expect(BodyText.data(text, encoding: encoding, mimeType: type) == data)
  }

  @Test func aBodyOfFilesIsReadAsFarAsTheLimitGoes() throws {
    let file = try folder.file("body", holding: "0123456789")
    let body = HTTPBody.pieces([.data(Data("<".utf8)), .file(file)])
    #expect(BodyBytes.read(body, limit: 11) == Data("<0123456789".utf8))
    #expect(BodyBytes.read(body, limit: 10) == nil)
    #expect(BodyBytes.read(.file(folder.file("none")), limit: 10) == nil)
  }
}
