import Networking

/// A trace as JSON for Chrome's trace viewer and Perfetto.
///
/// The first track is the critical path. Each span is on a track without a concurrent one, because the
/// slices of a track must nest. Arrows are flow events.
///
/// Source: Trace Event Format, sections "Complete Events", "Flow Events" and "Metadata Events".
struct ChromeTrace {
  private let trace: CheckedTrace

  init(_ trace: CheckedTrace) { self.trace = trace }

  var json: JSON {
    let tracks = tracks
    var events = [
      metadata("process_name", of: 0, trace.record.name),
      metadata("thread_name", of: 0, "critical path"),
    ]
    if let last = tracks.max() {
      events += (1...last).map { metadata("thread_name", of: $0, "track \($0)") }
    }
    for step in trace.criticalPath.steps {
      events.append(slice(step.segment, on: 0, span: step.span))
    }
    var flow = 0
    for (index, checked) in trace.spans.enumerated() {
      events.append(slice(of: checked, on: tracks[index]))
      events += checked.segments.map { slice($0, on: tracks[index], span: checked.span.id) }
      for cause in (checked.cause.map { [$0] } ?? []) + checked.joined {
        flow += 1
        // A flow begins in the slice around its time, which does not contain its own end.
        let source = trace.spans[cause]
        let time = max(source.start, min(source.end - .nanoseconds(1), checked.start))
        events.append(self.flow("s", flow, at: time, on: tracks[cause]))
        events.append(self.flow("f", flow, at: checked.start, on: tracks[index]))
      }
    }
    return [
      "traceEvents": .array(events), "displayTimeUnit": "ms",
      "otherData": ["summary": .string(trace.summary), "dropped": .int(trace.record.droppedCount)],
    ]
  }

  /// The tracks of the spans, from 1, each the one that was free last.
  private var tracks: [Int] {
    let byEnd = trace.spans.indices.sorted {
      (trace.spans[$0].end, $0) < (trace.spans[$1].end, $1)
    }
    var (tracks, free, count, ended) = ([] as [Int], [] as [Int], 0, 0)
    for (index, span) in trace.spans.enumerated() {
      while ended < byEnd.count, byEnd[ended] < index, trace.spans[byEnd[ended]].end <= span.start {
        free.append(tracks[byEnd[ended]])
        ended += 1
      }
      if free.isEmpty { count += 1 }
      tracks.append(free.popLast() ?? count)
    }
    return tracks
  }

  private func microseconds(_ time: Duration) -> JSON {
    .double(Double(time.nanoseconds) / 1_000)
  }

  private func metadata(_ name: String, of track: Int, _ value: String) -> JSON {
    [
      "ph": "M", "name": .string(name), "pid": 1, "tid": .int(track),
      "args": ["name": .string(value)],
    ]
  }

  private func slice(_ segment: TraceSegment, on track: Int, span: Int?) -> JSON {
    var arguments: JSON = [:]
    if let span { arguments["span"] = .int(span) }
    if let held = segment.heldBy { arguments["heldBy"] = .int(held) }
    if segment.attempt > 0 { arguments["attempt"] = .int(segment.attempt) }
    if segment.hop > 0 { arguments["hop"] = .int(segment.hop) }
    return [
      "ph": "X", "name": .string(segment.words), "cat": .string(segment.kind.rawValue), "pid": 1,
      "tid": .int(track), "ts": microseconds(segment.start), "dur": microseconds(segment.duration),
      "args": arguments,
    ]
  }

  private func slice(of checked: CheckedTrace.Span, on track: Int) -> JSON {
    var arguments = JSON.dictionary(checked.span.attributes.mapValues { .string($0.description) })
    arguments["span"] = .int(checked.span.id)
    arguments["critical"] = .bool(checked.isCritical)
    if let site = checked.span.site { arguments["site"] = .string(site) }
    switch checked.span.outcome {
    case .succeeded: break
    case .running: arguments["outcome"] = "running"
    case .cancelled: arguments["outcome"] = "cancelled"
    case .failed(let reason): arguments["outcome"] = .string("failed: \(reason)")
    }
    if case .call(let call) = checked.span.kind, let hop = call.hops.last {
      arguments["url"] = .string(hop.url)
      if let status = hop.status { arguments["status"] = .int(status) }
    }
    return [
      "ph": "X", "name": .string(checked.span.name), "cat": .string(checked.span.kind.word),
      "pid": 1,
      "tid": .int(track), "ts": microseconds(checked.start),
      "dur": microseconds(checked.end - checked.start), "args": arguments,
    ]
  }

  private func flow(_ phase: String, _ id: Int, at time: Duration, on track: Int) -> JSON {
    var event: JSON = [
      "ph": .string(phase), "id": .int(id), "name": "cause", "cat": "cause", "pid": 1,
      "tid": .int(track), "ts": microseconds(time),
    ]
    if phase == "f" { event["bp"] = "e" }
    return event
  }
}
