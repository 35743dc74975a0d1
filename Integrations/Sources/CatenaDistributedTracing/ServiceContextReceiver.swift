import Networking
public import NetworkingTracing
import Tracing

/// A receiver of a client's traces that continues the span in which a call is made.
///
/// ```swift
/// let exporter = TraceExporter(to: collector, service: "boards")
/// configuration.tracing = .sampled(0.1, to: ServiceContextReceiver(forwardingTo: exporter))
/// ```
///
/// The trace of a call has the identifier of the current `ServiceContext`, its `tracestate`, and its decision about
/// sampling, if the instrument of the program injects a `traceparent`. Without one, the call is a trace of its own. The
/// spans of the client go to the other receiver, so that both have one trace in the collector.
///
/// A client that records its hops by the tracer of the program has a ``TracingInterceptor`` instead.
public struct ServiceContextReceiver: TraceReceiver {
  private let receiver: any TraceReceiver

  /// Creates a receiver.
  ///
  /// - Parameter receiver: The receiver of the traces, such as a `TraceExporter`.
  public init(forwardingTo receiver: any TraceReceiver) { self.receiver = receiver }

  /// The span of the current `ServiceContext`.
  ///
  /// `nil` without a context, or if the instrument of the program injects no `traceparent`.
  public var parent: TraceParent? {
    guard let context = ServiceContext.current else { return receiver.parent }
    return TraceParent(InstrumentationSystem.instrument.fields(for: context))
  }

  /// Forwards a finished trace.
  ///
  /// - Parameter record: The trace, without secrets.
  public func receive(_ record: TraceRecord) { receiver.receive(record) }
}

extension Instrument {
  /// Returns the header fields that carry a context.
  func fields(for context: ServiceContext) -> HTTPHeaders {
    var fields = HTTPHeaders()
    inject(context, into: &fields, using: HeaderInjector())
    return fields
  }
}

/// An injector of the values of a context into header fields.
private struct HeaderInjector: Injector {
  func inject(_ value: String, forKey key: String, into fields: inout HTTPHeaders) {
    fields[key] = value
  }
}
