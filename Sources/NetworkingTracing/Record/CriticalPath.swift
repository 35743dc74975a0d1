/// The longest sequence of dependent work in a trace.
///
/// Its steps join without gap and overlap, from the start of the trace to its end. A change of a step
/// changes the duration of the trace; a change of other work does not, unless it becomes critical.
public struct CriticalPath: Sendable, Hashable {
  /// A part of the path.
  public struct Step: Sendable, Hashable {
    /// The identifier of the span, or `nil` for time between spans.
    public var span: Int?
    /// The segment of the span, cut to the time on the path.
    public var segment: TraceSegment

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - span: The identifier of the span.
    ///   - segment: The segment.
    public init(span: Int?, segment: TraceSegment) {
      self.span = span
      self.segment = segment
    }
  }

  /// The share of one kind of work in the path.
  public struct Share: Sendable, Hashable {
    /// The words for the work, such as `queue behind .limited(4)`.
    public let words: String
    /// The sum of the durations.
    public let duration: Duration
    /// The share in whole percents.
    ///
    /// The shares of a path sum to 100.
    public let percent: Int
  }

  /// The steps, in the order of time.
  public let steps: [Step]

  /// The shares of all kinds of work, the longest first.
  ///
  /// The percents are rounded by the largest remainder. A path without duration has no shares.
  public var shares: [Share] {
    var sums: [String: Int64] = [:]
    for step in steps { sums[step.segment.words, default: 0] += step.segment.duration.nanoseconds }
    let total = sums.values.reduce(0, +)
    guard total > 0 else { return [] }
    let sorted = sums.filter { $0.value > 0 }
      .sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
    // In 128 bits, because the product of a long time and 100 may not fit into 64.
    var percents = sorted.map { entry in
      let product = entry.value.multipliedFullWidth(by: 100)
      return total.dividingFullWidth(product)
    }
    let missing = Int(100 - percents.reduce(0) { $0 + $1.quotient })
    let byRemainder = percents.indices.sorted {
      let (left, right) = (percents[$0].remainder, percents[$1].remainder)
      return left == right ? $0 < $1 : left > right
    }
    for index in byRemainder.prefix(missing) { percents[index].quotient += 1 }
    return zip(sorted, percents).map { entry, percent in
      Share(
        words: entry.key, duration: .nanoseconds(entry.value), percent: Int(percent.quotient))
    }
  }
}

extension Duration {
  /// The duration in nanoseconds, limited to the range of `Int64`.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration with three digits and its unit, such as `1.84 s` or `420 ms`.
  var shortText: String {
    let nanoseconds = min(max(nanoseconds, 0), .max / 2)
    // The next unit, if the rounded number would have four digits.
    for (unit, size) in [("us", Int64(1_000)), ("ms", 1_000_000), ("s", 1_000_000_000)] {
      let hundredths = (nanoseconds &+ size / 200) / (size / 100)
      guard hundredths < 99_950 || unit == "s" else { continue }
      if nanoseconds == 0 { return "0 ms" }
      if hundredths >= 9_995 { return "\((hundredths + 50) / 100) \(unit)" }
      let digits = hundredths >= 1_000 ? (hundredths + 5) / 10 * 10 : hundredths
      let fraction = digits % 100
      if fraction == 0 { return "\(digits / 100) \(unit)" }
      let text = fraction < 10 ? "0\(fraction)" : "\(fraction)"
      return "\(digits / 100).\(text.last == "0" ? String(text.dropLast()) : text) \(unit)"
    }
    return ""
  }
}
