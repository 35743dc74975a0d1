import NetworkingTracing

/// A generator of records, deterministic for a seed, and a reference for their critical paths.
struct RandomTrace: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// An xorshift generator.
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }

  /// Returns a record with up to 25 spans within 60 ms, some of which contradict each other.
  mutating func record() -> TraceRecord {
    let count = Int.random(in: 0...25, using: &self)
    let starts = (0..<count).map { _ in Int.random(in: 0...50, using: &self) }.sorted()
    let spans = starts.enumerated().map { index, start in span(index + 1, from: start) }
    let cause: TraceSpan.Cause? =
      switch Int.random(in: 0..<4, using: &self) {
      case 0: nil
      case 1: .unknown(after: Int.random(in: 0...25, using: &self))
      default: .span(max(count, 1))
      }
    return TraceRecord(
      name: "random", elapsed: .ms(.random(in: 40...60, using: &self)), spans: spans, cause: cause)
  }

  private mutating func span(_ id: Int, from start: Int) -> TraceSpan {
    let end = start + Int.random(in: 0...15, using: &self)
    let cause: TraceSpan.Cause =
      switch Int.random(in: 0..<6, using: &self) {
      case 0: .beginning
      case 1:
        .unknown(after: Bool.random(using: &self) ? nil : Int.random(in: 0..<id, using: &self))
      default: id > 1 ? .span(.random(in: 1..<id, using: &self)) : .beginning
      }
    var (parts, cursor) = ([] as [TraceSegment], start)
    while cursor < end, Int.random(in: 0..<5, using: &self) > 0 {
      let from = cursor + Int.random(in: -1...2, using: &self)
      let to = from + Int.random(in: 0...6, using: &self)
      parts.append(TraceSegment(.allCases.randomElement(using: &self) ?? .code, from, to))
      cursor = max(to, cursor)
    }
    let kinds: [TraceSpan.Kind] = [.call(TraceCall()), .code, .timer, .decoding]
    return TraceSpan(
      id: id, kind: kinds.randomElement(using: &self) ?? .code, name: "span \(id)",
      start: .ms(start),
      end: .random(using: &self) || end > 45 ? .ms(end) : nil, cause: cause, parts: parts)
  }

  /// One millisecond of a path.
  struct Instant: Equatable {
    var span: Int?
    var kind: TraceSegment.Kind
  }

  /// Returns the path as one instant for each millisecond.
  static func timeline(of path: CriticalPath) -> [Instant] {
    path.steps.flatMap { step in
      let count = Int(step.segment.duration / .ms(1))
      return Array(repeating: Instant(span: step.span, kind: step.segment.kind), count: count)
    }
  }

  /// Returns the path by a search for each millisecond on its own.
  static func reference(_ record: TraceRecord) -> [Instant] {
    func milliseconds(_ time: Duration) -> Int { Int(time / .ms(1)) }
    let length = milliseconds(record.elapsed)
    func end(_ span: TraceSpan) -> Int { min(span.end.map(milliseconds) ?? length, length) }
    func find(_ id: Int?, before limit: Int) -> TraceSpan? {
      record.spans.first { $0.id == id && $0.id < limit }
    }
    // The spans of the path with the times until which they matter, from the last to the first.
    var chain: [(span: TraceSpan, from: Int, to: Int)] = []
    var (time, cause) = (length, record.cause)
    var next: TraceSpan?
    switch record.cause {
    case .span(let id)?: next = find(id, before: .max)
    case .unknown(let id)?: next = find(id, before: .max)
    case .beginning?: next = nil
    case nil: next = record.spans.max { (end($0), $0.id) < (end($1), $1.id) }
    }
    while let span = next {
      chain.append((span, min(milliseconds(span.start), length), min(end(span), time)))
      time = min(time, milliseconds(span.start))
      cause = span.cause
      switch span.cause {
      case .beginning: next = nil
      case .span(let id): next = find(id, before: span.id)
      case .unknown(let id): next = find(id, before: span.id)
      }
    }
    return (0..<length).map { now in
      for (span, from, to) in chain where from <= now && now < to {
        // The first part with this millisecond counts.
        let part = span.parts.first { milliseconds($0.start) <= now && now < milliseconds($0.end) }
        let rest: TraceSegment.Kind =
          switch span.kind {
          case .call: .unknown
          case .timer: .timer
          case .decoding: .decode
          case .handler, .code: .code
          }
        return Instant(span: span.id, kind: part?.kind ?? rest)
      }
      if now < (chain.map(\.from).min() ?? length) {
        return Instant(span: nil, kind: cause == .beginning ? .code : .unknown)
      }
      // The cause of the first span after this time, or that of the end.
      let next = chain.last { $0.from > now }?.span.cause ?? record.cause
      guard case .span = next else { return Instant(span: nil, kind: .unknown) }
      return Instant(span: nil, kind: .code)
    }
  }
}
