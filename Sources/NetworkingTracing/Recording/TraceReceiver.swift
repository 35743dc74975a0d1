import Promises

/// A receiver of the traces of a client: a store, an exporter, or the bridge to another tracing system.
///
/// ```swift
/// struct Bridge: TraceReceiver {
///   var parent: TraceParent? { OtherSystem.currentSpan.flatMap { TraceParent($0.traceparent) } }
///   func receive(_ record: TraceRecord) { OtherSystem.add(record) }
/// }
///
/// configuration.tracing = .sampled(0.1, to: Bridge())
/// ```
///
/// ``TraceExporter`` sends traces to an OpenTelemetry collector.
public protocol TraceReceiver: Sendable {
  /// The span of another tracing system in which the current code makes a call.
  ///
  /// It runs in the code that makes the call, in its task, and must not block. The trace of the call has the
  /// identifier of this span, its `tracestate`, and its decision about sampling. The default is `nil`.
  var parent: TraceParent? { get }

  /// Receives a finished trace.
  ///
  /// It runs on a serial queue of the ``CallTracing``, one trace at a time, in the order in which the
  /// traces end. While it is slow, traces wait up to a limit; further ones are dropped and counted.
  ///
  /// - Parameter record: The trace, without secrets.
  func receive(_ record: TraceRecord)
}

extension TraceReceiver {
  /// `nil`.
  public var parent: TraceParent? { nil }
}

/// A receiver that calls a closure.
struct ClosureReceiver: TraceReceiver {
  private let closure: IsolatedClosure<TraceRecord, Void>

  init(_ closure: @escaping @Sendable @isolated(any) (TraceRecord) -> Void) {
    self.closure = IsolatedClosure(closure)
  }

  /// The context of the actor to which the closure is isolated.
  var context: ExecutionContext? { closure.context }

  // `try?` ignores no error, because the closure does not throw.
  func receive(_ record: TraceRecord) { try? closure(record) }
}
