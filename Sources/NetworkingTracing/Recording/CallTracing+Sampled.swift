public import Foundation
public import Networking
import Promises

extension CallTracing {
  /// Records a share of a client's calls, and passes each finished trace to a closure.
  ///
  /// ```swift
  /// var configuration = NetworkingConfiguration()
  /// configuration.tracing = .sampled(0.1) { record in print(record.summary) }
  /// ```
  ///
  /// - **Calls.** Each call that is made outside of ``Trace/run(isolation:_:)`` is a trace of its own. Calls in a
  ///   ``Trace`` belong to that one.
  /// - **Servers.** Each hop sends a `traceparent` with the identifier of the trace and a new identifier of its
  ///   own, which is ``TraceCall/Hop/spanID``. The hop of a call that is not recorded says so in the flags, and
  ///   has a trace of its own. The fields are sent to the origin of the base URL and to the listed ones only,
  ///   never to another origin after a redirect. A request with a `traceparent` keeps it. The requests of a
  ///   background session have no such fields.
  /// - **Keys.** The fields are added after the cache and the sharing of requests, which do not see them.
  /// - **Cost.** A call that is not recorded costs two random numbers, and three for each hop.
  ///
  /// - Parameters:
  ///   - share: The share of the recorded calls, from 0 to 1. With 0, only the calls of a ``Trace`` are recorded.
  ///   - origins: The URLs of further origins that receive `traceparent` and `tracestate`. A URL without a host
  ///     is ignored.
  ///   - pendingLimit: The maximum number of traces that wait while the closure is slow. Further ones are
  ///     counted in ``droppedCount``.
  ///   - randomness: The generator of the identifiers. The lower half of a trace's identifier decides whether
  ///     the trace is recorded, so a generator with a seed makes the same decisions again.
  ///   - receive: The closure. It runs on the actor in whose code it is written or, without one, on a serial
  ///     queue, one trace at a time. It may take its time.
  /// - Returns: The value for ``NetworkingConfiguration/tracing``.
  public static func sampled(
    _ share: Double, origins: [URL] = [], pendingLimit: Int = 100,
    randomness: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    @_inheritActorContext _ receive:
      @escaping @Sendable @isolated(any) (_ record: TraceRecord) -> Void
  ) -> CallTracing {
    sampled(
      share, origins: origins, pendingLimit: pendingLimit, randomness: randomness,
      to: ClosureReceiver(receive))
  }

  /// Records a share of a client's calls, and passes each finished trace to a receiver.
  ///
  /// ```swift
  /// let exporter = TraceExporter(to: collector, service: "boards")
  /// configuration.tracing = .sampled(0.1, to: exporter)
  /// ```
  ///
  /// - Parameters:
  ///   - share: The share of the recorded calls, from 0 to 1. The ``TraceReceiver/parent`` of a call overrides it.
  ///   - origins: The URLs of further origins that receive `traceparent` and `tracestate`.
  ///   - pendingLimit: The maximum number of traces that wait while the receiver is slow.
  ///   - randomness: The generator of the identifiers.
  ///   - receiver: The receiver.
  /// - Returns: The value for ``NetworkingConfiguration/tracing``.
  public static func sampled(
    _ share: Double, origins: [URL] = [], pendingLimit: Int = 100,
    randomness: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    to receiver: some TraceReceiver
  ) -> CallTracing {
    let identifiers = TraceIdentifiers(randomness)
    let delivery = TraceDelivery(to: receiver, limit: pendingLimit)
    let stage = TraceContextStage(
      origins: Set(origins.compactMap { Origin($0) }), identifiers: identifiers, delivery: delivery)
    let rule = SamplingRule(share)
    return CallTracing(
      begin: { scheduler in
        let parent = receiver.parent
        if let parent, !parent.isSampled {
          return TraceStep(of: UnsampledRecorder(parent, identifiers), number: 0)
        }
        let id = parent?.traceID ?? identifiers.makeTraceID()
        guard parent != nil || rule.includes(id) else { return nil }
        return SpanRecorder(id, parent: parent, identifiers, delivery, scheduler: scheduler)
          .beginning()
      }, stage: stage)
  }

  /// The number of traces that were dropped because too many waited for the receiver.
  public var droppedCount: Int { (stage as? TraceContextStage)?.delivery.droppedCount ?? 0 }

  /// Waits until the receiver has handled the traces of all calls that have ended.
  ///
  /// A program calls it before it ends, and then ``TraceExporter/flush()`` if it exports the traces.
  public func flush() async {
    guard let delivery = (stage as? TraceContextStage)?.delivery else { return }
    await TaskContinuation<Void>.wait { continuation in
      delivery.flush { continuation.resume() }
    }
  }
}

/// The decision whether a new trace is recorded.
///
/// It compares the lower half of the identifier with the share, as the sampler `TraceIdRatioBased` of
/// OpenTelemetry does.
struct SamplingRule {
  /// The number of the lower halves that are recorded.
  ///
  /// `nil` means all.
  private let bound: UInt64?

  init(_ share: Double) {
    // NaN counts as 0.
    bound = share >= 1 ? nil : share > 0 ? UInt64((share * 0x1p64).rounded(.down)) : 0
  }

  func includes(_ trace: TraceID) -> Bool { bound.map { trace.low < $0 } ?? true }
}
