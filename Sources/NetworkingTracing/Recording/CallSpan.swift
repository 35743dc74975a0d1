import Networking

/// The span of a call, made from its events.
struct CallSpan {
  private let marks: [CallMark]
  private let mode: RequestMode
  private let origin: Duration
  private let calls: [NetworkEvent.CallID: Int]
  /// The call that has let each event happen.
  private let holders: [Int?]

  init(
    _ marks: [CallMark], of mode: RequestMode, origin: Duration,
    calls: [NetworkEvent.CallID: Int], holders: [Int?]
  ) {
    self.mode = mode
    self.marks = marks
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

  private var parts: [TraceSegment] {
    marks.indices.dropFirst().compactMap { index in
      let (previous, mark) = (marks[index - 1], marks[index])
      guard mark.time > previous.time else { return nil }
      let kind = mark.segment(after: previous)
      var segment = TraceSegment(
        kind, from: previous.time - origin, to: mark.time - origin, attempt: mark.attempt,
        hop: mark.hop)
      switch (kind, previous.kind) {
      case (_, .shared(let call?)): segment.heldBy = calls[call]
      case (.queue, _) where mark.isFinal: break
      case (.queue, _), (.refresh, _), (.code, _): segment.heldBy = holders[index]
      default: break
      }
      if kind == .queue { segment.detail = ".\(mode)" }
      return segment
    }
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
