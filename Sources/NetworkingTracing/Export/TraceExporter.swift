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
    /// The number of spans that are sent at once.
    ///
    /// A larger trace is sent whole.
    public var batchSize = 512
    /// The time for which a trace waits for others.
    public var delay: Duration = .seconds(5)
    /// The maximum number of spans that wait.
    ///
    /// A larger trace waits alone.
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
  public convenience init(
    to collector: URL, service: String, limits: Limits = Limits(),
    configuration: NetworkingConfiguration = NetworkingConfiguration()
  ) {
    self.init(to: collector, over: nil, service: service, limits, configuration)
  }

  /// Creates an exporter over a transport.
  ///
  /// `nil` is that of the platform.
  init(
    to collector: URL, over transport: (any Transport)?, service: String, _ limits: Limits,
    _ configuration: NetworkingConfiguration
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
    client =
      if let transport {
        Networking<Request>(
          baseURL: collector, transport: transport, configuration: configuration)
      } else {
        Networking<Request>(baseURL: collector, configuration: configuration)
      }
    context = scheduler.context(for: .queue(DispatchQueue(label: "Catena.TraceExporter")))
    queue = Mutex(ExportQueue(limits))
    self.service = service
  }

  /// The numbers of the spans so far.
  public var counts: Counts { queue.withLock { $0.counts } }

  /// Adds a trace to the next batch, and returns at once.
  ///
  /// It may be called on any thread.
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
    for flush in queue.withLock({ $0.takeFlushes() }) { flush() }
    switch action {
    case .none: break
    case .wait(let delay, let round):
      _ = scheduler.schedule(after: delay) { [self] in
        perform(queue.withLock { $0.expire(round) })
      }
    // On the queue, because it may take long, and because no trace follows there.
    case .send(let records): context.run { [self] in send(records) }
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
