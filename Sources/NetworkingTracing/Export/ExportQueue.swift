import Foundation
import Networking
import Promises

/// The result of a batch.
///
/// Source: OpenTelemetry Protocol 1.5, sections "Full Success", "Partial Success" and "Failures".
enum ExportResult: Equatable {
  /// The collector has accepted the batch, but this number of spans.
  case accepted(rejected: Int, String?)
  case failed(String)

  init(_ result: Result<Response, any Error>) {
    switch result {
    case .success(let response) where (200..<300).contains(response.status):
      let partial = (try? JSON(parsing: response.data))?["partialSuccess"] ?? .null
      let text = partial["errorMessage"].string
      self = .accepted(
        // Numbers of 64 bits are texts in the JSON of Protocol Buffers.
        rejected: max(
          partial["rejectedSpans"].int ?? partial["rejectedSpans"].string.flatMap { Int($0) } ?? 0,
          0),
        text.map { Redactor.standard.maskedText(String($0.prefix(200))) })
    case .success(let response):
      self = .failed("the collector has responded with \(response.status)")
    case .failure(let error as NetworkError): self = .failed(error.code.errorType)
    case .failure(let error): self = .failed("\(type(of: error))")
    }
  }
}

/// The queue of an exporter: a state machine that sends one batch at a time.
struct ExportQueue {
  enum Action {
    case none
    /// To call ``expire(_:)`` after a delay.
    case wait(Duration, round: Int)
    case send([TraceRecord])
  }

  private let limits: TraceExporter.Limits
  private(set) var counts = TraceExporter.Counts()
  private var waiting = FIFO<TraceRecord>()
  /// The number of spans in ``waiting``.
  private var size = 0
  /// The number of spans on their way.
  private var sentSize = 0
  /// The number of traces on their way.
  private var sentCount = 0
  private var isSending = false
  /// The numbers of all traces that were added, and whose results are known.
  private var (addedCount, endedCount) = (0, 0)
  /// The number of the current wait for further traces.
  private var round = 0
  private var isWaiting = false
  /// The closures to call when the results of a number of traces are known.
  private var flushes: [(count: Int, action: @Sendable () -> Void)] = []

  init(_ limits: TraceExporter.Limits) {
    self.limits = limits
  }

  mutating func add(_ record: TraceRecord) -> Action {
    let count = record.exportedSpanCount
    guard size == 0 || size + count <= limits.queueSize else {
      counts.dropped += count
      return .none
    }
    waiting.append(record)
    addedCount += 1
    size += count
    counts.waiting += count
    guard !isSending else { return .none }
    if size >= limits.batchSize { return send() }
    return isWaiting ? .none : wait()
  }

  mutating func expire(_ round: Int) -> Action { isWaiting && round == self.round ? send() : .none }

  /// Sends the waiting traces, and calls a closure when the results of all traces so far are known.
  mutating func flush(_ action: @escaping @Sendable () -> Void) -> Action {
    flushes.append((addedCount, action))
    return isSending || size == 0 ? .none : send()
  }

  /// Removes the closures of flushes that have ended.
  mutating func takeFlushes() -> [@Sendable () -> Void] {
    let count = flushes.prefix { $0.count <= endedCount }.count
    defer { flushes.removeFirst(count) }
    return flushes.prefix(count).map(\.action)
  }

  mutating func finish(_ result: ExportResult) -> Action {
    switch result {
    case .accepted(let rejected, let text):
      let rejected = min(rejected, sentSize)
      counts.exported += sentSize - rejected
      counts.failed += rejected
      if rejected > 0 { counts.lastFailure = text ?? "the collector has rejected spans" }
    case .failed(let text):
      counts.failed += sentSize
      counts.lastFailure = text
    }
    counts.waiting -= sentSize
    endedCount += sentCount
    (isSending, sentSize, sentCount) = (false, 0, 0)
    guard size > 0 else { return .none }
    if size >= limits.batchSize || flushes.contains(where: { $0.count > endedCount }) {
      return send()
    }
    return wait()
  }

  /// Begins a wait for further traces.
  private mutating func wait() -> Action {
    isWaiting = true
    round += 1
    return .wait(limits.delay, round: round)
  }

  private mutating func send() -> Action {
    (isSending, isWaiting) = (true, false)
    var records: [TraceRecord] = []
    while sentSize < limits.batchSize, let record = waiting.popFirst() {
      records.append(record)
      sentSize += record.exportedSpanCount
    }
    sentCount = records.count
    size -= sentSize
    return .send(records)
  }
}

extension TraceRecord {
  /// The number of spans in an export: that of the trace, and those of the spans and hops.
  var exportedSpanCount: Int {
    spans.reduce(1) { count, span in
      if case .call(let call) = span.kind { count + 1 + call.hops.count } else { count + 1 }
    }
  }
}
