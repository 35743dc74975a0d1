/// A trace as a table with bars for a terminal.
///
/// Bars have ASCII characters only. Names are those of the program and its servers; they contain no
/// control characters, because a checked trace has none.
struct WaterfallText {
  private let trace: CheckedTrace
  private let style: WaterfallStyle
  private let nameWidth: Int
  private let barWidth: Int
  private let idWidth: Int

  init(_ trace: CheckedTrace, _ style: WaterfallStyle) {
    (self.trace, self.style) = (trace, style)
    idWidth = max(2, trace.spans.reduce(0) { max($0, "\($1.span.id)".count) })
    // The mark, the identifier, that of the cause, the duration, and spaces.
    let rest = style.columns - (2 + idWidth + 1 + max(5, idWidth) + 1 + 1 + 7 + 1)
    barWidth = rest * 3 / 5
    nameWidth = rest - barWidth
  }

  var text: String {
    var lines = ["\(trace.record.name)  \(trace.summary)"]
    if case .failed(let reason) = trace.record.ending { lines.append("failed: \(reason)") }
    let shown = shownSpans
    if !shown.isEmpty {
      let end = trace.elapsed.shortText
      let scale = "0" + String(repeating: " ", count: max(barWidth - 1 - end.count, 1)) + end
      lines += ["", row(" ", "#", "after", "span", "time", scale)]
      lines += shown.map(row)
      let hidden = trace.spans.count - shown.count
      if hidden > 0 { lines.append("  and \(hidden) more spans") }
      lines += ["", legend(shown)]
    }
    if !trace.criticalPath.steps.isEmpty { lines += ["", "critical path"] + pathLines }
    return lines.joined(separator: "\n")
  }

  /// The positions of the spans of the table.
  private var shownSpans: [Int] {
    let all = trace.spans.indices
    guard all.count > style.rows else { return Array(all) }
    var free = style.rows
    var isShown = Array(repeating: false, count: all.count)
    for isCritical in [true, false] {
      for index in all where free > 0 && trace.spans[index].isCritical == isCritical {
        isShown[index] = true
        free -= 1
      }
    }
    return all.filter { isShown[$0] }
  }

  private func row(
    _ mark: String, _ id: String, _ cause: String, _ name: String, _ time: String, _ bar: String
  ) -> String {
    let line = [
      mark + " " + id.leftPadded(to: idWidth), cause.padded(to: max(5, idWidth)),
      name.padded(to: nameWidth), time.leftPadded(to: 7), bar,
    ].joined(separator: " ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  private func row(_ index: Int) -> String {
    let checked = trace.spans[index]
    let cause =
      switch checked.span.cause {
      case .beginning: ""
      case .span: checked.cause.map { "\(trace.spans[$0].span.id)" } ?? "?"
      case .unknown: checked.cause.map { "?\(trace.spans[$0].span.id)" } ?? "?"
      }
    let name = label(checked.span)
    let line = row(
      checked.isCritical ? "*" : " ", "\(checked.span.id)", cause, name,
      (checked.end - checked.start).shortText, bar(checked))
    // Bold red, and faint.
    return style.usesColor ? "\u{1B}[\(checked.isCritical ? "1;31" : "2")m\(line)\u{1B}[0m" : line
  }

  /// The name and the end of a span, of which the end is never cut off.
  private func label(_ span: TraceSpan) -> String {
    var end = ""
    if case .call(let call) = span.kind, let status = call.status { end += " \(status)" }
    switch span.outcome {
    case .running: end += " running"
    case .failed: end += " failed"
    case .cancelled: end += " cancelled"
    case .succeeded: break
    }
    return span.name.cut(to: nameWidth - end.count) + end
  }

  /// The bar of a span: in each column, the kind of the segment that is in its middle.
  private func bar(_ checked: CheckedTrace.Span) -> String {
    let (total, width) = (
      max(trace.elapsed / .seconds(1), .leastNonzeroMagnitude), Double(barWidth)
    )
    func column(_ time: Duration) -> Double { time / .seconds(1) / total * width }
    let first = min(Int(column(checked.start)), barWidth - 1)
    let last = max(first, min(Int(column(checked.end).rounded(.up)), barWidth) - 1)
    var (text, part) = (String(repeating: " ", count: first), 0)
    let segments = checked.segments
    for cell in first...last {
      // The last segment that has begun before the middle of the column, so that none is visited twice.
      while part + 1 < segments.count, column(segments[part].end) <= Double(cell) + 0.5 {
        part += 1
      }
      text.append(segments.isEmpty ? "|" : segments[part].kind.mark)
    }
    return text
  }

  private func legend(_ shown: [Int]) -> String {
    var used: Set<TraceSegment.Kind> = []
    for index in shown { used.formUnion(trace.spans[index].segments.map(\.kind)) }
    var lines = ["* critical path"]
    for kind in TraceSegment.Kind.allCases where used.contains(kind) {
      let entry = "  \(kind.mark) \(kind.words)"
      if lines[lines.count - 1].count + entry.count > style.columns { lines.append(" ") }
      lines[lines.count - 1] += entry
    }
    return lines.joined(separator: "\n")
  }

  /// A line for each span of the path.
  private var pathLines: [String] {
    var (lines, steps) = ([] as [String], trace.criticalPath.steps[...])
    while let first = steps.first {
      let group = steps.prefix { $0.span == first.span }
      steps = steps.dropFirst(group.count)
      if lines.count >= style.rows {
        lines.append("  and \(steps.count + group.count) more steps")
        break
      }
      let name = first.span.flatMap { trace.positions[$0] }.map { label(trace.spans[$0].span) }
      let parts = group.map {
        let holder = $0.segment.heldBy.map { " (held by \($0))" } ?? ""
        return "\($0.segment.words) \($0.segment.duration.shortText)\(holder)"
      }
      let start = first.segment.start.shortText.leftPadded(to: 8)
      let place = first.span.map { "\($0) \(name ?? "")" } ?? "between spans"
      var line = "\(start)  \(place):"
      for (number, part) in parts.enumerated() {
        let word = " \(part)\(number + 1 < parts.count ? "," : "")"
        if line.columns + word.columns > style.columns {
          lines.append(line)
          line = String(repeating: " ", count: 11)
        }
        line += word
      }
      lines.append(line.cut(to: style.columns))
    }
    return lines
  }
}

extension Unicode.Scalar {
  /// The number of columns of a scalar in a terminal.
  ///
  /// Source: Unicode Standard Annex 11, the wide ranges of East Asian scripts and emoji.
  fileprivate var columns: Int {
    guard value >= 0x300 else { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}

extension String {
  fileprivate var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// Returns the text, or its start and a tilde, in at most this number of columns.
  fileprivate func cut(to limit: Int) -> String {
    var (result, width) = ("", 0)
    for scalar in unicodeScalars {
      if width + scalar.columns > limit - 1 {
        return columns <= limit ? self : result + "~"
      }
      width += scalar.columns
      result.unicodeScalars.append(scalar)
    }
    return self
  }

  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - columns, 0))
  }

  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(width - columns, 0)) + self
  }
}
