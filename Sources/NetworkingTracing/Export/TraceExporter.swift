import CatenaSystem
import Dispatch
public import Foundation
public import Networking
import Promises

/// An exporter of traces to an OpenTelemetry collector, as JSON over HTTP.
///
/// ```swift
/// let exporter = TraceExporter(to: URL(string: "http://localhost:4318")!, service: "boards")
/// configuration.tracing = .sampled(0.1, to: exporter)
///
/// exporter.receive(trace.record)                  // the record of a `Trace`
/// await exporter.flush()                          // before the program ends
/// ```
///
/// - **Batches.** It collects traces until there are enough, or for some seconds, and sends one batch at a time.
/// - **Retries.** A batch is sent again after a failure of the connection and after the statuses 429, 502, 503 and
///   504, at most five times, and not before the `Retry-After` of the response.
/// - **Limits.** While the collector is slow or away, traces wait up to a limit. Further ones are dropped.
///   ``counts`` says how many.
/// - **Client.** It has a client of its own, which no trace records.
/// - **Sampling.** A trace whose ``TraceRecord/parent`` is not sampled is not exported.
///
/// A trace is an `INTERNAL` span, so is each call and handler. Each hop is a `CLIENT` span with the semantic
/// conventions of HTTP. Secrets are masked.
///
/// Source: OpenTelemetry Protocol 1.5, sections "OTLP/HTTP" and "JSON Protobuf Encoding".
public final class TraceExporter: TraceReceiver {
  /// The limits of an exporter, whose default values are those of OpenTelemetry's batch processor.
  public struct Limits: Sendable, Hashable {
    /// The number of spans that are sent at once. A larger trace is sent whole.
    public var batchSize = 512
    /// The time for which a trace waits for others.
    public var delay: Duration = .seconds(5)
    /// The maximum number of spans that wait. A larger trace waits alone.
    public var queueSize = 2_048

    /// Creates the default limits.
    public init() {}
  }

  /// The numbers of the spans so far.
  public struct Counts: Sendable, Hashable {
    /// The spans that wait, or are on their way.
    public var waiting = 0
    /// The spans that the collector has accepted.
    public var exported = 0
    /// The spans that were dropped because too many waited.
    public var dropped = 0
    /// The spans that the collector has rejected, or that it did not receive in spite of retries.
    public var failed = 0
    /// The last failure, without secrets.
    ///
    /// `nil` if there was none.
    public var lastFailure: String?
  }

  private let service: String
  private let client: Networking<Request>
  private let scheduler: any Scheduler
  private let context: ExecutionContext
  private let queue: Mutex<ExportQueue>

  /// Creates an exporter.
  ///
  /// - Parameters:
  ///   - collector: The URL of the collector, such as `http://localhost:4318`. Batches are sent to `v1/traces`
  ///     below it.
  ///   - service: The name of the program, which is the attribute `service.name`.
  ///   - limits: The limits of batches and of the queue.
  ///   - configuration: The configuration of the exporter's client, such as header fields with an API key, or
  ///     trusted certificates. The exporter has its own retries, and no cookies, cache, redirects and tracing.
  public init(
    to collector: URL, service: String, limits: Limits = Limits(),
    configuration: NetworkingConfiguration = NetworkingConfiguration()
  ) {
    var configuration = configuration
    configuration.tracing = nil
    configuration.redirects = .refuse
    configuration.cookies = .none
    configuration.caching.storage = .none
    configuration.offline = .none
    configuration.sharesRequests = false
    configuration.whenUnreachable = nil
    configuration.retryBudget = nil
    configuration.maximumBodySize = 1 << 20
    configuration.attemptTimeout = configuration.attemptTimeout ?? .seconds(10)
    configuration.retry = .exponential(initial: .seconds(1), cap: .seconds(30), limit: 5)
      .retrying(statuses: [429, 502, 503, 504])
    configuration.retry.retriesAnyMethod = true
    scheduler = configuration.scheduler ?? .live
    configuration.scheduler = scheduler
    client = Networking<Request>(baseURL: collector, configuration: configuration)
    context = scheduler.context(for: .queue(DispatchQueue(label: "Catena.TraceExporter")))
    queue = Mutex(ExportQueue(limits))
    self.service = service
  }

  /// The numbers of the spans so far.
  public var counts: Counts { queue.withLock { $0.counts } }

  /// Adds a trace to the next batch, and returns at once.
  ///
  /// - Parameter record: The trace.
  public func receive(_ record: TraceRecord) {
    guard record.parent?.isSampled != false else { return }
    perform(queue.withLock { $0.add(record) })
  }

  /// Sends all traces so far, and waits for the results.
  ///
  /// While the collector is away, it returns after the last retry, at the latest after about a minute and a half
  /// for each batch.
  public func flush() async {
    await TaskContinuation<Void>.wait { continuation in
      perform(queue.withLock { $0.flush { continuation.resume() } })
    }
  }

  private func perform(_ action: ExportQueue.Action) {
    switch action {
    case .none: break
    case .wait(let delay, let round):
      _ = scheduler.schedule(after: delay) { [self] in
        perform(queue.withLock { $0.expire(round) })
      }
    // On the queue, because it may take long, and because no trace follows there.
    case .send(let records): context.run { [self] in send(records) }
    case .finish(let flushes): for flush in flushes { flush() }
    }
  }

  private func send(_ records: [TraceRecord]) {
    let response: NetworkPromise = firstly {
      let body = try OTLPTrace.request(of: records, service: service).data()
      return client.request(
        .upload(data: body, to: "v1/traces", contentType: "application/json"))
    }
    response.always(on: .inline) { [self] result in
      perform(queue.withLock { $0.finish(ExportResult(result)) })
    }.fail(on: .inline, policy: .allErrors) { _ in }
  }
}

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
    case .failure(let error as NetworkError): self = .failed("\(error.code)")
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
    /// To call the closures of flushes.
    case finish([@Sendable () -> Void])
  }

  private let limits: TraceExporter.Limits
  private(set) var counts = TraceExporter.Counts()
  private var waiting = FIFO<TraceRecord>()
  /// The number of spans in ``waiting``.
  private var size = 0
  /// The number of spans on their way.
  private var sentSize = 0
  private var isSending = false
  /// The number of the current wait for further traces.
  private var round = 0
  private var isWaiting = false
  private var flushes: [@Sendable () -> Void] = []

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
    size += count
    counts.waiting += count
    guard !isSending else { return .none }
    if size >= limits.batchSize { return send() }
    guard !isWaiting else { return .none }
    isWaiting = true
    round += 1
    return .wait(limits.delay, round: round)
  }

  mutating func expire(_ round: Int) -> Action { isWaiting && round == self.round ? send() : .none }

  mutating func flush(_ action: @escaping @Sendable () -> Void) -> Action {
    flushes.append(action)
    return isSending ? .none : next()
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
    (isSending, sentSize) = (false, 0)
    if size > 0, flushes.isEmpty, size < limits.batchSize {
      isWaiting = true
      round += 1
      return .wait(limits.delay, round: round)
    }
    return next()
  }

  private mutating func next() -> Action {
    if size > 0 { return send() }
    defer { flushes = [] }
    return .finish(flushes)
  }

  private mutating func send() -> Action {
    (isSending, isWaiting) = (true, false)
    var records: [TraceRecord] = []
    while sentSize < limits.batchSize, let record = waiting.popFirst() {
      records.append(record)
      sentSize += record.exportedSpanCount
    }
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
