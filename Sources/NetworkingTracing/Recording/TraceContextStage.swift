import CatenaSystem
import Foundation
import Networking
import Promises

/// A recorder whose trace continues in the servers.
protocol ContextRecorder: CallRecorder {
  /// Begins a hop of a call.
  ///
  /// - Returns: The parent of the server's span: the trace, and the span of the hop.
  func beginHop(of call: TraceStep) -> TraceParent
}

/// The innermost stage of a client with tracing, which adds `traceparent` and `tracestate`.
///
/// It is inside the cache and the sharing of requests, whose keys have no such fields.
///
/// Source: W3C Trace Context.
struct TraceContextStage: BuiltInStage {
  /// The origins that receive the fields, beside that of the base URL.
  let origins: Set<Origin>
  let identifiers: TraceIdentifiers
  let delivery: TraceDelivery

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard !exchange.request.headers.contains("traceparent"), isTrusted(exchange) else {
      return next(exchange)
    }
    let step = exchange.traceStep
    let recorder = step?.recorder as? any ContextRecorder
    let parent =
      step.flatMap { recorder?.beginHop(of: $0) }
      ?? TraceParent(
        traceID: identifiers.makeTraceID(), spanID: identifiers.makeSpanID(), isSampled: false)
    var exchange = exchange
    exchange.request.headers["traceparent"] = "\(parent)"
    // The field has no meaning without a `traceparent`, so the request's own one is replaced.
    exchange.request.headers["tracestate"] = parent.state
    return next(exchange)
  }

  private func isTrusted(_ exchange: Exchange) -> Bool {
    guard !exchange.hasLeftOrigin, let origin = Origin(exchange.request.url) else { return false }
    return origins.contains(origin) || exchange.baseOrigin == origin
  }
}

/// A source of random identifiers.
final class TraceIdentifiers: Sendable {
  /// The identifiers of the system's generator.
  static let system = TraceIdentifiers(SystemRandomNumberGenerator())

  private let generator: Mutex<any RandomNumberGenerator & Sendable>

  init(_ generator: some RandomNumberGenerator & Sendable) {
    self.generator = Mutex(generator)
  }

  func makeTraceID() -> TraceID {
    generator.withLock { TraceID(high: $0.next(), low: $0.next()) }
  }

  func makeSpanID() -> SpanID { generator.withLock { SpanID(bits: $0.next()) } }
}

/// The recorder of a call that is not sampled, but whose caller has a trace.
///
/// It records nothing. The hops of the call continue the trace.
final class UnsampledRecorder: ContextRecorder {
  private let parent: TraceParent
  private let identifiers: TraceIdentifiers

  init(_ parent: TraceParent, _ identifiers: TraceIdentifiers) {
    self.parent = parent
    self.identifiers = identifiers
  }

  func beginHop(of call: TraceStep) -> TraceParent { parent.with(identifiers.makeSpanID()) }

  func record(_ call: NetworkEvent.CallID, in mode: RequestMode, after cause: TraceStep)
    -> (any CallTrace)?
  { cause.number == 0 ? UnsampledCall(step: TraceStep(of: self, number: 1)) : nil }

  func step(in scope: TraceStep) -> TraceStep { scope }
  func enqueue(
    at site: CallSite?, in context: ExecutionContext?, after cause: TraceStep?, scope: TraceStep
  ) -> TraceStep? { nil }
  func timer(at site: CallSite, after cause: TraceStep) -> @Sendable () -> TraceStep? { { nil } }
  func begin(_ step: TraceStep) {}
  func end(_ step: TraceStep) {}
  func taskSuspends(in scope: TraceStep) {}
  func taskContinues(with step: TraceStep, in scope: TraceStep) {}
}

/// The record of a call that is not sampled.
private struct UnsampledCall: CallTrace {
  let step: TraceStep

  func describe(_ request: Request) {}
  func add(_ event: NetworkEvent) {}
  func deliver() {}
}
