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

  @Test func aByteOrderMarkAndUnknownMembersArePassedOver() throws {
    let text = MalformedHARTests.archive.replacing(
      "\"cache\"", with: "\"_priority\": \"High\", \"cache\"")
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
    let (text, encoding) = HARBodyCoding.of(data, mimeType: type)
    #expect((encoding == "base64") == isBase64)
    #expect(HARBodyCoding.data(text, encoding: encoding, mimeType: type) == data)
  }

  @Test func aBodyOfFilesIsReadAsFarAsTheLimitGoes() throws {
    let file = try folder.file("body", holding: "0123456789")
    let body = HTTPBody.pieces([.data(Data("<".utf8)), .file(file)])
    #expect(LimitedBodyReader.read(body, limit: 11) == Data("<0123456789".utf8))
    #expect(LimitedBodyReader.read(body, limit: 10) == nil)
    #expect(LimitedBodyReader.read(.file(folder.file("none")), limit: 10) == nil)
  }
}
