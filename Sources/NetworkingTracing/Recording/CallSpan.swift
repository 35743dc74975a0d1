import Foundation
import Networking

/// The span of a call, made from its events.
struct CallSpan {
  private let marks: [CallMark]
  private let start: Duration
  private let mode: RequestMode
  private let template: String?
  private let origin: Duration
  private let calls: [NetworkEvent.CallID: Int]
  /// The call that has let each event happen.
  private let holders: [Int?]

  init(
    _ marks: [CallMark], from start: Duration, of mode: RequestMode, template: String?,
    origin: Duration,
    calls: [NetworkEvent.CallID: Int], holders: [Int?]
  ) {
    self.mode = mode
    self.template = template
    self.marks = marks
    self.start = start
    self.origin = origin
    self.calls = calls
    self.holders = holders
  }

  /// Adds the request, the segments and the outcome to a span.
  func fill(_ span: inout TraceSpan, _ call: NetworkEvent.CallID) {
    span.kind = .call(TraceCall(number: call.description, hops: hops))
    span.name = marks.lazy.compactMap(\.request).first.map { "\($0.method) \($0.url)" } ?? "call"
    span.parts = parts
    guard let last = marks.last else { return }
    switch last.kind {
    case .finished(let status): span.attributes["http.response.status_code"] = .number(status)
    case .failed(let reason, let code):
      span.outcome = .failed(reason)
      span.attributes["error.type"] = .text(code ?? "_OTHER")
    case .cancelled: span.outcome = .cancelled
    default: break
    }
  }

  /// Returns the template with the path of the base URL, which is the start of the path of the URL.
  private func absoluteTemplate(_ url: String?) -> String? {
    guard let template, !template.hasPrefix("/"), let url,
      let path = URL(reference: url, relativeTo: nil)?.path(percentEncoded: true)
    else { return template }
    let own = template.split(separator: "/", omittingEmptySubsequences: false)
    let all = path.split(separator: "/", omittingEmptySubsequences: false)
    guard all.count > own.count,
      zip(own, all.suffix(own.count)).allSatisfy({ $0 == $1 || $0 == "{}" })
    else { return template }
    return all.dropLast(own.count).map { "\($0)/" }.joined() + template
  }

  /// The segments, which join without a gap from the start of the span.
  private var parts: [TraceSegment] {
    var parts: [TraceSegment] = []
    for (index, mark) in marks.enumerated() {
      let previous = marks[max(index - 1, 0)]
      let start = index == 0 ? self.start : previous.time
      guard mark.time > start else { continue }
      var kind = index == 0 ? .code : mark.segment(after: previous)
      // Such a client has no queue.
      if kind == .queue, mode == .async { kind = .code }
      var segment = TraceSegment(
        kind, from: start - origin, to: mark.time - origin, attempt: mark.attempt, hop: mark.hop)
      switch (kind, previous.kind) {
      case (_, .shared(let call?)): segment.heldBy = calls[call]
      case (.queue, _) where mark.isFinal: break
      case (.queue, _), (.refresh, _), (.code, _): segment.heldBy = holders[index]
      default: break
      }
      if kind == .queue { segment.detail = ".\(mode)" }
      if let last = parts.last, (last.kind, last.heldBy) == (.code, segment.heldBy), kind == .code {
        segment.start = last.start
        parts.removeLast()
      }
      parts.append(segment)
    }
    return parts
  }

  private var hops: [TraceCall.Hop] {
    var hops: [TraceCall.Hop] = []
    for mark in marks {
      let time = mark.time - origin
      switch mark.kind {
      case .sending:
        if let last = hops.indices.last, hops[last].end == nil { hops[last].end = time }
        hops.append(
          TraceCall.Hop(
            spanID: mark.spanID, attempt: mark.attempt, number: mark.hop, start: time, end: nil,
            method: mark.request?.method.rawValue ?? "", url: mark.request?.url ?? "",
            template: mark.hop == 1 ? absoluteTemplate(mark.request?.url) : nil))
      case .connected(let address, let port):
        guard let last = hops.indices.last else { continue }
        (hops[last].address, hops[last].port) = (address, port)
      case .head(let status, let version):
        guard let last = hops.indices.last else { continue }
        hops[last].status = status
        hops[last].httpVersion = version
      case .body, .finished, .cancelled:
        if let last = hops.indices.last, hops[last].end == nil { hops[last].end = time }
      case .failed(_, let code), .retrying(let code):
        guard let last = hops.indices.last, hops[last].end == nil else { continue }
        (hops[last].end, hops[last].errorType) = (time, code ?? "error")
      default: break
      }
    }
    return hops
  }
}

extension NetworkError.Code {
  /// The name of the code without text of a server, such as `timedOut.connect`.
  var errorType: String {
    if case .timedOut(let phase) = self { return "timedOut.\(phase)" }
    return String("\(self)".prefix { $0 != "(" })
  }
}

extension RequestPath {
  /// The path with placeholders for its interpolated values, such as `boards/{}/cards`, without origin and query.
  ///
  /// `nil` if the values are unknown, as in a path from a string. Interpolated values are percent-encoded, so each
  /// slash is a part of the literal.
  var template: String? {
    let path = text.prefix { $0 != "?" && $0 != "#" }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    guard variables >> 63 == 1, segments.count < 62 else { return nil }
    let isAbsolute = segments.count > 2 && segments[0].hasSuffix(":") && segments[1].isEmpty
    let parts = segments.enumerated().dropFirst(isAbsolute ? 3 : 0).map {
      variables >> UInt64($0) & 1 == 1 ? "{}" : String($1)
    }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }
}
