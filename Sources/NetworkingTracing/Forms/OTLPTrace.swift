import Foundation
import Networking

/// A trace as the JSON of OpenTelemetry.
///
/// The trace is an INTERNAL span, so is each span of it, and each hop of a call is a CLIENT span. A span
/// that began while its cause was running is a child of the cause. Any other span is a child of the
/// trace, with a link to its cause.
///
/// Source: OpenTelemetry Protocol 1.5, "JSON Protobuf Encoding"; OpenTelemetry semantic conventions,
/// "Semantic conventions for HTTP spans".
struct OTLPTrace {
  private let trace: CheckedTrace
  private var id: TraceID { trace.record.id }
  private let start: Int64

  init(_ trace: CheckedTrace) {
    self.trace = trace
    let seconds = trace.record.start.timeIntervalSince1970
    // To microseconds, which a date has.
    start = (0..<9_000_000_000).contains(seconds) ? Int64((seconds * 1e6).rounded()) * 1_000 : 0
  }

  var json: JSON { Self.request([self], service: nil) }

  /// Returns an `ExportTraceServiceRequest` with several traces.
  ///
  /// - Parameters:
  ///   - records: The traces.
  ///   - service: The name of the program.
  /// - Returns: The request.
  static func request(of records: [TraceRecord], service: String) -> JSON {
    request(records.map { OTLPTrace(CheckedTrace($0)) }, service: service)
  }

  private static func request(_ traces: [OTLPTrace], service: String?) -> JSON {
    var attributes = [
      text("telemetry.sdk.name", "catena"), text("telemetry.sdk.language", "swift"),
    ]
    if let service { attributes.append(text("service.name", service)) }
    let scope: JSON = ["scope": ["name": "catena"], "spans": .array(traces.flatMap(\.spans))]
    return [
      "resourceSpans": [
        ["resource": ["attributes": .array(attributes)], "scopeSpans": [scope]]
      ]
    ]
  }

  private var spans: [JSON] {
    var spans = [root]
    for (index, checked) in trace.spans.enumerated() {
      spans.append(span(of: checked, at: index))
      if case .call(let call) = checked.span.kind {
        spans += call.hops.indices.map { hop(call.hops[$0], $0, of: checked, at: index) }
      }
    }
    return spans
  }

  /// The identifier of the trace's own span, of a span, or of one of its hops.
  private func spanID(_ index: Int? = nil, hop: Int? = nil) -> SpanID {
    let number = UInt64((index ?? -1) + 1) << 20 + UInt64((hop ?? -1) + 1)
    return number == 0
      ? trace.record.spanID : SpanID(number: number, below: trace.record.spanID)
  }

  private func time(_ time: Duration) -> JSON {
    .string("\(start.addingReportingOverflow(time.nanoseconds).partialValue)")
  }

  private var root: JSON {
    var attributes = [Self.text("catena.summary", trace.summary)]
    if trace.record.droppedCount > 0 {
      attributes.append(Self.number("catena.dropped_events", trace.record.droppedCount))
    }
    let outcome: TraceSpan.Outcome =
      switch trace.record.ending {
      case .running: .running
      case .finished: .succeeded
      case .failed(let reason): .failed(reason)
      case .cancelled: .cancelled
      }
    return span(
      spanID(), in: trace.record.parent?.spanID, name: trace.record.name, kind: 1, from: .zero,
      to: trace.elapsed, attributes,
      status: status(outcome))
  }

  private func span(of checked: CheckedTrace.Span, at index: Int) -> JSON {
    let span = checked.span
    var attributes = span.attributes.sorted { $0.key < $1.key }.map {
      Self.attribute($0.key, $0.value)
    }
    attributes.append(Self.text("catena.kind", span.kind.word))
    if let site = span.site { attributes.append(Self.text("catena.site", site)) }
    if checked.isCritical {
      attributes.append(["key": "catena.critical", "value": ["boolValue": true]])
    }
    if case .cancelled = span.outcome {
      attributes.append(Self.text("catena.outcome", "cancelled"))
    }
    let isChild = checked.cause.map { trace.spans[$0].end > checked.start } == true
    let linked = (isChild ? [] : checked.cause.map { [$0] } ?? []) + checked.joined
    let links = linked.map { cause -> JSON in
      ["traceId": .string("\(id)"), "spanId": .string("\(spanID(cause))")]
    }
    return self.span(
      spanID(index), in: isChild ? spanID(checked.cause) : spanID(), name: span.groupName, kind: 1,
      from: checked.start, to: checked.end, attributes, links: links, status: status(span.outcome))
  }

  private func hop(
    _ hop: TraceCall.Hop, _ position: Int, of checked: CheckedTrace.Span, at index: Int
  ) -> JSON {
    let known = Self.methods.contains(hop.method)
    var attributes = [
      Self.text("http.request.method", known ? hop.method : "_OTHER"),
      Self.text("url.full", hop.url),
    ]
    if !known { attributes.append(Self.text("http.request.method_original", hop.method)) }
    if let template = hop.template { attributes.append(Self.text("url.template", template)) }
    if let origin = URL(reference: hop.url, relativeTo: nil).flatMap(Origin.init) {
      attributes.append(Self.text("server.address", origin.host))
      attributes.append(Self.number("server.port", origin.port))
    }
    if let status = hop.status {
      attributes.append(Self.number("http.response.status_code", status))
    }
    if position > 0 { attributes.append(Self.number("http.request.resend_count", position)) }
    let error = hop.errorType ?? hop.status.flatMap { $0 >= 400 ? "\($0)" : nil }
    if let error { attributes.append(Self.text("error.type", error)) }
    if let version = hop.httpVersion {
      attributes.append(Self.text("network.protocol.version", version))
    }
    if let address = hop.address { attributes.append(Self.text("network.peer.address", address)) }
    if let port = hop.port { attributes.append(Self.number("network.peer.port", port)) }
    attributes.append(Self.number("catena.attempt", hop.attempt))
    let method = known ? hop.method : "HTTP"
    let start = min(max(hop.start, .zero), trace.elapsed)
    return span(
      hop.spanID ?? spanID(index, hop: position), in: spanID(index),
      name: hop.template.map { "\(method) \($0)" } ?? method, kind: 3, from: start,
      to: max(start, min(hop.end ?? trace.elapsed, trace.elapsed)), attributes,
      status: error == nil ? [:] : ["code": 2])
  }

  private func span(
    _ spanID: SpanID, in parent: SpanID? = nil, name: String, kind: Int, from start: Duration,
    to end: Duration, _ attributes: [JSON], links: [JSON] = [], status: JSON
  ) -> JSON {
    var json: JSON = [
      "traceId": .string("\(id)"), "spanId": .string("\(spanID)"), "name": .string(name),
      "kind": .int(kind), "startTimeUnixNano": time(start), "endTimeUnixNano": time(end),
      "attributes": .array(attributes), "status": status,
    ]
    if let parent { json["parentSpanId"] = .string("\(parent)") }
    if let state = trace.record.parent?.state { json["traceState"] = .string(state) }
    if !links.isEmpty { json["links"] = .array(links) }
    return json
  }

  private func status(_ outcome: TraceSpan.Outcome) -> JSON {
    guard case .failed(let reason) = outcome else { return [:] }
    return ["code": 2, "message": .string(reason)]
  }

  private static func attribute(_ name: String, _ value: TraceSpan.Value) -> JSON {
    switch value {
    case .text(let value): text(name, value)
    case .number(let value): number(name, value)
    }
  }

  private static func text(_ name: String, _ value: String) -> JSON {
    ["key": .string(name), "value": ["stringValue": .string(value)]]
  }

  /// Integers are texts, as in all JSON of Protocol Buffers.
  private static func number(_ name: String, _ value: Int) -> JSON {
    ["key": .string(name), "value": ["intValue": .string("\(value)")]]
  }

  /// The methods that have a name of their own.
  ///
  /// Source: RFC 9110 section 9, RFC 5789.
  private static let methods: Set<String> = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
  ]
}
