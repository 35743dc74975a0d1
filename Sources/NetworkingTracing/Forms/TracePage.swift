import CCatenaTracing
import Foundation
import Networking

/// A trace as one HTML page without further files.
///
/// The markup, the style and the script are files of the module `CCatenaTracing`. The trace is a block
/// of JSON, and the script sets its texts as text only. The content security policy of the page allows
/// its own style and script, by their hashes, and nothing else.
///
/// Source: Content Security Policy Level 3, sections 2.3.1 and 6.7.2; HTML, "Restrictions for contents
/// of script elements".
struct TracePage {
  private let trace: CheckedTrace

  init(_ trace: CheckedTrace) { self.trace = trace }

  func data() throws -> Data {
    let style = String(cString: catena_trace_style())
    let script = String(cString: catena_trace_script())
    let policy = [
      "default-src 'none'", "script-src \(Self.source(of: script))",
      "style-src \(Self.source(of: style))", "base-uri 'none'", "form-action 'none'",
    ]
    let texts = [
      "policy": Self.escaped(policy.joined(separator: "; ")),
      "title": Self.escaped(trace.record.name), "summary": Self.escaped(trace.summary),
      "style": style, "script": script,
      "data": Self.escapedJSON(String(decoding: try json.data(), as: UTF8.self)),
    ]
    // In one pass, because a name may contain the text of a place.
    var page = ""
    var rest = String(cString: catena_trace_page())[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      page += rest[..<open]
      page += texts[String(rest[rest.index(after: open)..<close])] ?? ""
      rest = rest[rest.index(after: close)...]
    }
    return Data((page + rest).utf8)
  }

  /// Returns the source expression of an inline element with this text.
  private static func source(of text: String) -> String {
    guard let digits = DigestAlgorithm.sha256.hash(text) else { return "'none'" }
    let pairs = stride(from: 0, to: digits.utf8.count, by: 2).map { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
    }
    return "'sha256-\(Data(pairs).base64EncodedString())'"
  }

  /// Escapes text for an element or a quoted attribute of HTML, which unlike XML keeps line ends.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Escapes the characters of JSON with which markup begins.
  ///
  /// They occur only in its strings.
  private static func escapedJSON(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): bytes += #"\u003C"#.utf8
      case UInt8(ascii: ">"): bytes += #"\u003E"#.utf8
      case UInt8(ascii: "&"): bytes += #"\u0026"#.utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private var json: JSON {
    var ranges: [Int: [JSON]] = [:]
    for step in trace.criticalPath.steps {
      guard let id = step.span else { continue }
      ranges[id, default: []].append([time(step.segment.start), time(step.segment.end)])
    }
    var legend: [String: JSON] = [:]
    for kind in Set(trace.spans.flatMap { $0.segments.map(\.kind) }) {
      legend[kind.rawValue] = .string(kind.words)
    }
    var json: JSON = [
      "elapsed": time(trace.elapsed), "legend": .dictionary(legend),
      "spans": .array(trace.spans.map { span($0, on: ranges[$0.span.id] ?? []) }),
    ]
    if case .failed(let reason) = trace.record.ending { json["failure"] = .string(reason) }
    return json
  }

  private func time(_ time: Duration) -> JSON { .int(Int(clamping: time.nanoseconds)) }

  private func span(_ checked: CheckedTrace.Span, on path: [JSON]) -> JSON {
    let span = checked.span
    let causes = (checked.cause.map { [$0] } ?? []) + checked.joined
    var json: JSON = [
      "id": .int(span.id), "name": .string(span.name), "label": .string(span.name),
      "kind": .string(span.kind.word), "start": time(checked.start), "end": time(checked.end),
      "critical": .bool(checked.isCritical), "path": .array(path),
      "causes": .array(causes.map { .int($0) }), "parts": .array(checked.segments.map(part)),
      "attributes": .dictionary(span.attributes.mapValues { .string($0.description) }), "hops": [],
    ]
    if let site = span.site { json["site"] = .string(site) }
    if let cause = checked.cause { json["cause"] = .int(cause) }
    switch span.cause {
    case .beginning: json["causeText"] = "the start of the trace"
    case .unknown: json["causeText"] = "code that the trace cannot follow"
    case .span: break
    }
    switch span.outcome {
    case .running: json["outcome"] = "running"
    case .succeeded: json["outcome"] = "succeeded"
    case .failed(let reason): json["outcome"] = .string("failed: \(reason)")
    case .cancelled: json["outcome"] = "cancelled"
    }
    if case .call(let call) = span.kind {
      if let status = call.status { json["label"] = .string("\(span.name) \(status)") }
      json["hops"] = .array(call.hops.map(hop))
    }
    return json
  }

  private func part(_ segment: TraceSegment) -> JSON {
    var json: JSON = [
      "kind": .string(segment.kind.rawValue), "words": .string(segment.words),
      "start": time(segment.start), "end": time(segment.end), "attempt": .int(segment.attempt),
      "hop": .int(segment.hop),
    ]
    if let held = segment.heldBy { json["heldBy"] = .int(held) }
    return json
  }

  private func hop(_ hop: TraceCall.Hop) -> JSON {
    var json: JSON = ["request": .string("\(hop.method) \(hop.url)"), "attempt": .int(hop.attempt)]
    if let status = hop.status { json["status"] = .int(status) }
    if let error = hop.errorType { json["error"] = .string(error) }
    if let version = hop.httpVersion { json["HTTP"] = .string(version) }
    if let address = hop.address {
      json["server"] = .string(hop.port.map { "\(address) port \($0)" } ?? address)
    }
    if let span = hop.spanID { json["traceparent"] = .string("\(trace.record.id), \(span)") }
    return json
  }
}
