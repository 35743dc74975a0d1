@testable import NetworkingTracing

extension TraceRecord {
  /// The spans and the critical path as text, with one line a span.
  ///
  /// A line is `1 GET a/100 200 <start 0-100: server 0-100`: the number, the name, the cause, the time, and the
  /// segments. Calls that begin at the same time are numbered by their names, because tasks run in parallel.
  var text: String {
    func order(_ span: TraceSpan) -> (Duration, Duration, String, Int) {
      (span.start, span.end ?? elapsed, span.end == span.start ? "" : span.name, span.id)
    }
    let sorted = spans.sorted { order($0) < order($1) }
    var numbers: [Int: Int] = [:]
    for (index, span) in sorted.enumerated() { numbers[span.id] = index + 1 }
    func name(_ id: Int?) -> String { id.map { numbers[$0].map(String.init) ?? "#\($0)" } ?? "" }
    func name(_ cause: TraceSpan.Cause?) -> String {
      switch cause {
      case .beginning?: "start"
      case .span(let id)?: name(id)
      case .unknown(let id)?: "?\(name(id))"
      case nil: "-"
      }
    }
    func text(_ part: TraceSegment) -> String {
      let place = (part.attempt, part.hop) <= (1, 1) ? "" : "#\(part.attempt).\(part.hop)"
      return "\(part.words)\(place) \(part.start.digits)-\(part.end.digits)"
        + (part.heldBy.map { " by \(name($0))" } ?? "")
    }
    var lines = sorted.map { span in
      var line = "\(name(span.id)) \(span.name)"
      if let status = span.attributes["http.response.status_code"] { line += " \(status)" }
      switch span.outcome {
      case .succeeded: break
      case .failed(let reason): line += " failed(\(reason))"
      case .cancelled: line += " cancelled"
      case .running: line += " running"
      }
      line += " <\(name(span.cause))"
      if !span.joined.isEmpty {
        line +=
          " +"
          + span.joined.map { numbers[$0] ?? 0 }.sorted().map(String.init).joined(separator: ",")
      }
      line += " \(span.start.digits)-\(span.end?.digits ?? "")"
      var parts = span.parts
      if case .handler(let context, let started) = span.kind, let started, started > span.start {
        parts = [TraceSegment(context.wait, from: span.start, to: started, detail: context.name)]
      }
      return line + (parts.isEmpty ? "" : ": " + parts.map(text).joined(separator: ", "))
    }
    let path = criticalPath.steps.map { step in
      "\(name(step.span).isEmpty ? "-" : name(step.span)) \(step.segment.words) \(step.segment.duration.digits)"
    }
    let end =
      switch ending {
      case .running: " running"
      case .finished: ""
      case .failed(let reason): " failed(\(reason))"
      case .cancelled: " cancelled"
      }
    let dropped = droppedCount > 0 ? " dropped \(droppedCount)" : ""
    lines.append(
      "\(elapsed.digits)\(end)\(dropped) <\(name(cause)) = \(path.joined(separator: ", "))")
    return lines.joined(separator: "\n")
  }

  /// Whether the segments of each span, and the steps of the critical path, join without gap and sum to the whole.
  var isComplete: Bool {
    let checked = CheckedTrace(self)
    let areSpans = checked.spans.allSatisfy { span in
      guard case .call = span.span.kind else { return true }
      var cursor = span.start
      for part in span.span.parts {
        guard part.start == cursor else { return false }
        cursor = part.end
      }
      return cursor == span.end
    }
    var cursor = Duration.zero
    for step in criticalPath.steps {
      guard step.segment.start == cursor, step.segment.end > cursor else { return false }
      cursor = step.segment.end
    }
    return areSpans && cursor == max(elapsed, .zero)
  }
}

extension Duration {
  /// The duration in milliseconds.
  var digits: String {
    let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    let (count, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest == 0 ? "\(count)" : "\(Double(nanoseconds) / 1e6)"
  }
}
