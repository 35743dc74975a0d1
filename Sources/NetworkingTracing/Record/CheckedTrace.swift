import Networking

/// A record that the forms can read without further checks.
///
/// - Spans are sorted, their times are within the trace, and their segments join without gaps.
/// - A cause is an earlier span, so that no sequence of causes has a cycle.
/// - Names, URLs and attributes are masked once more, and are one line. The forms have no other access
///   to a record, so none of them can show a secret that the recorder has missed.
struct CheckedTrace {
  /// A span with its checked relations, by positions in ``spans``.
  struct Span {
    var span: TraceSpan
    let start: Duration
    let end: Duration
    var segments: [TraceSegment] = []
    /// The position of the cause, or of the span before unknown code.
    var cause: Int?
    var joined: [Int] = []
    var isCritical = false
    var isRunning: Bool { span.end == nil }
  }

  let record: TraceRecord
  let elapsed: Duration
  private(set) var spans: [Span] = []
  private(set) var criticalPath = CriticalPath(steps: [])
  /// The number of visited spans and segments, which tests compare with the size of the record.
  private(set) var work = 0
  /// The positions of the spans by their identifiers.
  let positions: [Int: Int]

  init(_ record: TraceRecord) {
    let redactor = Redactor.standard
    var masked = record
    masked.name = redactor.maskedLine(record.name)
    if case .failed(let reason) = record.ending {
      masked.ending = .failed(redactor.maskedLine(reason))
    }
    masked.spans = []
    let elapsed = max(record.elapsed, .zero)
    (self.record, self.elapsed) = (masked, elapsed)

    func limited(_ time: Duration) -> Duration { min(max(time, .zero), elapsed) }
    var sorted = record.spans
    let isSorted = zip(sorted, sorted.dropFirst()).allSatisfy {
      ($0.start, $0.id) <= ($1.start, $1.id)
    }
    if !isSorted { sorted.sort { ($0.start, $0.id) < ($1.start, $1.id) } }
    var positions: [Int: Int] = [:]
    positions.reserveCapacity(sorted.count)
    for span in sorted where positions[span.id] == nil {
      positions[span.id] = spans.count
      let start = limited(span.start)
      spans.append(
        Span(
          span: redactor.masked(span), start: start, end: max(start, limited(span.end ?? elapsed))))
    }
    self.positions = positions
    for index in spans.indices {
      let span = spans[index].span
      func earlier(_ id: Int?) -> Int? {
        id.flatMap { positions[$0] }.flatMap { $0 < index ? $0 : nil }
      }
      switch span.cause {
      case .beginning: break
      case .span(let id): spans[index].cause = earlier(id)
      case .unknown(let id): spans[index].cause = earlier(id)
      }
      spans[index].joined = span.joined.compactMap(earlier)
      spans[index].segments = segments(of: spans[index])
    }
    findPath()
  }

  /// Returns the segments of a span without gaps and overlaps.
  private mutating func segments(of checked: Span) -> [TraceSegment] {
    let (span, end) = (checked.span, checked.end)
    var parts = span.parts
    if parts.isEmpty, case .handler(let context, let started) = span.kind {
      parts = [
        TraceSegment(context.wait, from: span.start, to: started ?? end, detail: context.name)
      ]
    }
    work += 1 + parts.count
    var (result, cursor) = ([] as [TraceSegment], checked.start)
    for part in parts {
      let (from, to) = (min(max(part.start, cursor), end), min(max(part.end, cursor), end))
      if from > cursor, to > from {
        result.append(TraceSegment(span.kind.rest, from: cursor, to: from))
      }
      guard to > from else { continue }
      var part = part
      (part.start, part.end) = (from, to)
      result.append(part)
      cursor = to
    }
    if cursor < end { result.append(TraceSegment(span.kind.rest, from: cursor, to: end)) }
    return result
  }

  /// The position of the span whose end ended the trace.
  private var last: Int? {
    switch record.cause {
    case .beginning?: return nil
    case .span(let id)?: return positions[id]
    case .unknown(let id)?: return id.flatMap { positions[$0] }
    case nil: return spans.indices.max { (spans[$0].end, $0) < (spans[$1].end, $1) }
    }
  }

  /// Walks from the end of the trace to its start.
  ///
  /// Each step visits an earlier span, so it ends.
  private mutating func findPath() {
    var (steps, cursor, next) = ([] as [CriticalPath.Step], elapsed, last)
    var cause = record.cause
    func addGap(from start: Duration, isCode: Bool) {
      guard start < cursor else { return }
      steps.append(
        CriticalPath.Step(
          span: nil, segment: TraceSegment(isCode ? .code : .unknown, from: start, to: cursor)))
      cursor = start
    }
    while let index = next {
      let span = spans[index]
      work += 1 + span.segments.count
      // After a known cause, the time is that of inline handlers and of the rest of a task.
      addGap(from: min(span.end, cursor), isCode: cause?.span != nil)
      for part in span.segments.reversed() where part.start < cursor {
        var segment = part
        segment.end = min(part.end, cursor)
        steps.append(CriticalPath.Step(span: span.span.id, segment: segment))
        cursor = segment.start
      }
      spans[index].isCritical = true
      (next, cause) = (span.cause, span.span.cause)
    }
    addGap(from: .zero, isCode: cause == .beginning)
    criticalPath = CriticalPath(steps: steps.reversed())
  }

  /// One sentence about the critical path: the work that fills nine tenths of it.
  var summary: String {
    let state =
      switch record.ending {
      case .finished: ""
      case .running: " so far"
      case .failed: ", failed"
      case .cancelled: ", cancelled"
      }
    var (shown, sum) = ([] as [String], 0)
    for share in criticalPath.shares where sum < 90 && share.percent > 0 {
      shown.append("\(share.percent) % \(share.words)")
      sum += share.percent
    }
    let dropped = record.droppedCount > 0 ? " (\(record.droppedCount) events not recorded)" : ""
    let shares = shown.isEmpty ? "" : ": " + shown.joined(separator: ", ")
    return elapsed.shortText + state + shares + dropped
  }
}

extension Redactor {
  /// Masks free text that a form shows in one line.
  fileprivate func maskedLine(_ text: String) -> String {
    NetworkError.singleLine(maskedText(text))
  }

  fileprivate func masked(_ span: TraceSpan) -> TraceSpan {
    var span = span
    span.name = maskedLine(span.name)
    span.site = span.site.map(maskedLine)
    if case .failed(let reason) = span.outcome { span.outcome = .failed(maskedLine(reason)) }
    var attributes: [String: TraceSpan.Value] = [:]
    for (name, value) in span.attributes {
      let plain = value.description
      let text = NetworkError.singleLine(maskedFieldValue(plain, name: name))
      attributes[maskedLine(name)] = text == plain ? value : .text(text)
    }
    span.attributes = attributes
    for index in span.parts.indices {
      span.parts[index].detail = span.parts[index].detail.map(maskedLine)
    }
    switch span.kind {
    case .call(var call):
      call.number = call.number.map(maskedLine)
      for index in call.hops.indices {
        let hop = call.hops[index]
        call.hops[index].url = NetworkError.singleLine(maskedURL(hop.url))
        call.hops[index].method = maskedLine(hop.method)
        call.hops[index].template = hop.template.map { NetworkError.singleLine(maskedURL($0)) }
        call.hops[index].errorType = hop.errorType.map(maskedLine)
        call.hops[index].httpVersion = hop.httpVersion.map(maskedLine)
        call.hops[index].address = hop.address.map(maskedLine)
      }
      span.kind = .call(call)
    case .handler(.actor(let name), let started):
      span.kind = .handler(.actor(maskedLine(name)), started: started)
    case .handler, .timer, .decoding, .code: break
    }
    return span
  }
}
