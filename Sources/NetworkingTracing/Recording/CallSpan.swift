import Networking

/// The span of a call, made from its events.
struct CallSpan {
  private let marks: [CallMark]
  private let start: Duration
  private let mode: RequestMode
  private let origin: Duration
  private let calls: [NetworkEvent.CallID: Int]
  /// The call that has let each event happen.
  private let holders: [Int?]

  init(
    _ marks: [CallMark], from start: Duration, of mode: RequestMode, origin: Duration,
    calls: [NetworkEvent.CallID: Int], holders: [Int?]
  ) {
    self.mode = mode
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
    case .finished(let status): span.attributes["http.response.status_code"] = "\(status)"
    case .failed(let reason, _): span.outcome = .failed(reason)
    case .cancelled: span.outcome = .cancelled
    default: break
    }
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
            attempt: mark.attempt, number: mark.hop, start: time, end: nil,
            method: mark.request?.method.rawValue ?? "", url: mark.request?.url ?? ""))
      case .connected(let address, let port):
        guard let last = hops.indices.last else { continue }
        (hops[last].address, hops[last].port) = (address, port)
      case .head(let status, let version):
        guard let last = hops.indices.last else { continue }
        hops[last].status = status
        hops[last].httpVersion = version
      case .body, .finished, .cancelled:
        if let last = hops.indices.last, hops[last].end == nil { hops[last].end = time }
      case .failed(_, let code):
        guard let last = hops.indices.last, hops[last].end == nil else { continue }
        (hops[last].end, hops[last].errorType) = (time, code ?? "error")
      default: break
      }
    }
    return hops
  }
}
