import Foundation
import Networking
import NetworkingTracing
import TestGate
import Testing

/// The forms of a trace.
@Suite(.gated)
struct TraceFormTests {
  private let chain = TraceSamples.chain

  private func json(_ record: TraceRecord, _ format: TraceFormat) throws -> JSON {
    let data = try record.data(as: format)
    _ = try JSONSerialization.jsonObject(with: data)
    return try JSON(parsing: data)
  }

  @Test func theWaterfallFitsATerminal() {
    #expect(chain.waterfall == Self.golden)
    #expect(chain.waterfall.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(chain.waterfall.utf8.allSatisfy { $0 < 0x80 && ($0 >= 0x20 || $0 == 0x0A) })
  }

  private static let golden = """
    open board  1.84 s: 61 % server, 22 % queue behind .limited(4), 9 % TLS

       # after span                        time 0                             1.84 s
    *  1       GET boards 200            700 ms cttt=========<
    *  2 1     then                       20 ms              m#
       3 2     GET boards/{id} 200       385 ms              >========
    *  4 2     GET boards/{id}/car~ 200  1.11 s               ........=============<
    *  5 4     decode [Card]              10 ms                                    j

    * critical path  . queue  d DNS  c connect  t TLS  > send  = server  < receive
       j decode  m main thread  # code

    critical path
        0 ms  1 GET boards 200: DNS 20 ms, connect 40 ms, TLS 166 ms, send 4 ms,
                server 460 ms, receive 10 ms
      700 ms  2 then: main thread 10 ms, code 6 ms
      716 ms  4 GET boards/{id}/car~ 200:
                queue behind .limited(4) 404 ms (held by 3), server 670 ms,
                receive 40 ms
      1.83 s  5 decode [Card]: decode 10 ms
    """

  @Test func aWaterfallHasAtLeast60Columns() {
    var style = WaterfallStyle()
    style.columns = 10
    #expect(chain.waterfall(style) == chain.waterfall(WaterfallStyle(columns: 60)))
  }

  @Test func onlyAColoredWaterfallHasEscapeSequences() {
    let colored = chain.waterfall(WaterfallStyle(usesColor: true))
    #expect(colored.contains("\u{1B}[1;31m"))
    let plain = colored.replacingOccurrences(
      of: "\u{1B}\\[[0-9;]*m", with: "", options: .regularExpression)
    #expect(plain == chain.waterfall)
  }

  @Test func namesOfServersCannotControlATerminal() {
    var record = chain
    record.spans[0].name = "GET \u{1B}]0;x\u{7}\u{202E}日本語日本語日本語日本語日本語日本語日本語日本語"
    #expect(
      !record.waterfall.unicodeScalars.contains {
        "\u{1B}\u{7}\u{202E}".unicodeScalars.contains($0)
      })
    #expect(record.waterfall.contains("~ 200"))
  }

  @Test func aLongTraceShowsItsCriticalPathFirst() {
    var record = chain
    record.spans = (1...300).map { TraceSamples.call($0, "GET a", 0, $0, []) }
    record.cause = .span(300)
    let lines = record.waterfall.split(separator: "\n").map(String.init)
    #expect(lines.contains("  and 100 more spans"))
    #expect(lines.contains { $0.hasPrefix("* 300") })
  }

  @Test func emptyTracesHaveAllForms() throws {
    let record = TraceRecord(name: "", id: TraceSamples.id, start: TraceSamples.start)
    for format in TraceFormat.allCases { #expect(try !record.data(as: format).isEmpty) }
    #expect(record.summary == "0 ms")
  }

  /// Neither the graph nor its forms are walked by recursion, whose depth would be that of the chain.
  @Test func aChainOfTenThousandCallsHasAllForms() throws {
    var record = chain
    record.elapsed = .ms(10_000)
    record.spans = (1...10_000).map { id in
      TraceSamples.call(
        id, "GET \(id)", id - 1, id, cause: id == 1 ? .beginning : .span(id - 1),
        [TraceSegment(.server, id - 1, id)])
    }
    record.cause = .span(10_000)
    #expect(record.summary == "10 s: 100 % server")
    for format in TraceFormat.allCases {
      let data = try record.data(as: format)
      #expect(!data.isEmpty)
      if let folder = ProcessInfo.processInfo.environment["CATENA_TRACES"] {
        try data.write(to: URL(fileURLWithPath: folder).appendingPathComponent("long.\(format)"))
      }
    }
  }

  // MARK: Chrome

  @Test func slicesOfATrackNest() throws {
    for seed in 0..<200 {
      var random = RandomTrace(seed: UInt64(seed))
      let events = try json(random.record(), .chromeTrace)["traceEvents"].array ?? []
      var open: [Int: [Double]] = [:]
      for event in events where event["ph"].string == "X" {
        let (track, start) = (event["tid"].int ?? -1, event["ts"].double ?? -1)
        let end = start + (event["dur"].double ?? -1)
        var ends = open[track] ?? []
        while let last = ends.last, last <= start { ends.removeLast() }
        #expect(start >= 0 && end >= start && (ends.last ?? .infinity) >= end, "seed \(seed)")
        open[track] = ends + [end]
      }
    }
  }

  @Test func arrowsHaveBothEnds() throws {
    let events = try json(chain, .chromeTrace)["traceEvents"].array ?? []
    let starts = events.filter { $0["ph"].string == "s" }.compactMap { $0["id"].int }
    let ends = events.filter { $0["ph"].string == "f" }
    #expect(starts == [1, 2, 3, 4, 5] && ends.compactMap { $0["id"].int } == starts)
    #expect(ends.allSatisfy { $0["bp"].string == "e" })
  }

  // MARK: OpenTelemetry

  private func spans(_ record: TraceRecord) throws -> [JSON] {
    try json(record, .otlp)["resourceSpans"][0]["scopeSpans"][0]["spans"].array ?? []
  }

  private func attributes(_ span: JSON) -> [String: String] {
    var values: [String: String] = [:]
    for each in span["attributes"].array ?? [] {
      let value = each["value"]
      values[each["key"].string ?? ""] = value["stringValue"].string ?? value["intValue"].string
    }
    return values
  }

  @Test func eachHopIsAClientSpanWithTheIdentifierThatWasSent() throws {
    let spans = try spans(chain)
    let clients = spans.filter { $0["kind"].int == 3 }
    #expect(spans.count == 9 && clients.count == 3)
    #expect(clients[0]["spanId"].string == "b7ad6b7169203331")
    #expect(clients[0]["name"].string == "GET boards")
    #expect(clients[0]["startTimeUnixNano"].string == "1700000000000000000")
    #expect(clients[0]["endTimeUnixNano"].string == "1700000000700000000")
    let values = attributes(clients[0])
    #expect(values["http.request.method"] == "GET" && values["url.template"] == "boards")
    #expect(values["server.address"] == "api.example.com" && values["server.port"] == "443")
    #expect(values["http.response.status_code"] == "200" && values["error.type"] == nil)
    #expect(values["http.request.resend_count"] == nil)
    #expect(values["network.protocol.version"] == "2" && values["network.peer.port"] == "443")
  }

  @Test func parentsExistAndEncloseTheirStart() throws {
    for seed in 0..<200 {
      var random = RandomTrace(seed: UInt64(seed))
      let spans = try spans(random.record())
      var starts: [String: Int] = [:]
      for span in spans {
        starts[span["spanId"].string ?? ""] = Int(span["startTimeUnixNano"].string ?? "")
      }
      #expect(starts.count == spans.count && starts[String(repeating: "0", count: 16)] == nil)
      #expect(spans.filter { $0["parentSpanId"].string == nil }.count == 1)
      for span in spans {
        let start = Int(span["startTimeUnixNano"].string ?? "") ?? -1
        if let parent = span["parentSpanId"].string { #expect((starts[parent] ?? .max) <= start) }
        for link in span["links"].array ?? [] {
          #expect(starts[link["spanId"].string ?? ""] != nil)
        }
      }
    }
  }

  @Test func anotherAttemptIsCountedAndAnErrorIsNamed() throws {
    var hops: [TraceCall.Hop] = []
    for attempt in 1...2 {
      hops.append(
        TraceCall.Hop(
          attempt: attempt, start: .ms(attempt), end: .ms(attempt + 1), method: "PURGE",
          url: "http://[::1]:8080/a", status: attempt == 1 ? 503 : 200))
    }
    let span = TraceSpan(
      id: 1, kind: .call(TraceCall(hops: hops)), name: "PURGE a", start: .ms(1), end: .ms(3))
    let clients = try spans(TraceRecord(name: "retry", elapsed: .ms(3), spans: [span]))
      .filter { $0["kind"].int == 3 }
    #expect(attributes(clients[0])["error.type"] == "503" && clients[0]["status"]["code"].int == 2)
    #expect(attributes(clients[1])["http.request.resend_count"] == "1")
    #expect(attributes(clients[1])["http.request.method"] == "_OTHER")
    #expect(attributes(clients[1])["http.request.method_original"] == "PURGE")
    #expect(clients[1]["name"].string == "HTTP" && clients[1]["status"]["code"].int == nil)
  }

  // MARK: HTML

  @Test func markupInNamesIsText() throws {
    var record = chain
    let hostile = "</script><img src=x onerror=alert(1)>{script}'\"&<!--"
    record.name = hostile
    record.spans[0].name = hostile
    record.spans[0].attributes = ["header": .text(hostile)]
    let page = String(decoding: try record.data(as: .html), as: UTF8.self)
    #expect(!page.contains("<img") && !page.contains("<!--"))
    #expect(page.components(separatedBy: "</script>").count == 3)
    #expect(page.contains("&lt;/script&gt;&lt;img src=x"))
    let data = page.components(separatedBy: "id=\"data\">")[1].components(separatedBy: "</script>")[
      0]
    #expect(try JSON(parsing: Data(data.utf8))["spans"][0]["name"].string == hostile)
  }

  @Test func thePageLoadsNothing() throws {
    let page = String(decoding: try chain.data(as: .html), as: UTF8.self)
    #expect(page.contains("default-src &#39;none&#39;") && page.contains("sha256-"))
    for word in ["src=", "href=", "@import", "url(", "fetch(", "innerHTML"] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  // MARK: All forms

  @Test(arguments: TraceFormat.allCases)
  func noFormHasASecret(_ format: TraceFormat) throws {
    let data = try TraceSamples.record(withSecret: "c4n4ryS3cret91").data(as: format)
    let text = String(decoding: data, as: UTF8.self)
    #expect(!text.contains("c4n4ryS3cret91") && text.contains("***"))
  }

  @Test(arguments: TraceFormat.allCases)
  func aFormIsWrittenToAFile(_ format: TraceFormat) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).trace")
    defer { try? FileManager.default.removeItem(at: file) }
    try chain.write(to: file, as: format)
    #expect(try Data(contentsOf: file) == chain.data(as: format))
    // The comparison `tracing` of Tests/Differential reads the forms of this record.
    if let folder = ProcessInfo.processInfo.environment["CATENA_TRACES"] {
      let folder = URL(fileURLWithPath: folder)
      try chain.write(to: folder.appendingPathComponent("chain.\(format)"), as: format)
      var hostile = chain
      hostile.name = "</script><img src=x onerror='window.hacked=1'>"
      hostile.spans[0].name = hostile.name
      hostile.spans[0].attributes = ["header": .text(hostile.name)]
      try hostile.write(to: folder.appendingPathComponent("hostile.\(format)"), as: format)
    }
  }
}
