public import Foundation

/// The record of a trace: the calls of a chain, the code between them, and their dependence.
///
/// A recorder makes it. The forms read it: ``waterfall`` for a terminal, and ``write(to:as:)`` for
/// files.
///
/// All times are measured from the start of the trace. A record of a running trace is a snapshot.
public struct TraceRecord: Sendable, Hashable {
  /// The end of a trace.
  public enum Ending: Sendable, Hashable {
    /// The trace has not ended.
    case running
    /// The traced code has returned, or its promise is fulfilled.
    case finished
    /// The traced code or its promise has failed, for a reason without secrets.
    case failed(String)
    /// The traced code or its promise was cancelled.
    case cancelled
  }

  /// The name of the trace.
  public var name: String
  /// The identifier of the trace in `traceparent` fields and exports.
  public var id: TraceID
  /// The identifier of the span of the trace in exports, of which those of its calls and handlers are made.
  ///
  /// Records of one trace, such as those of a client and a server, have different ones.
  public var spanID: SpanID
  /// The wall clock time of the start.
  public var start: Date
  /// The time from the start to the end of the trace, or to the snapshot.
  public var elapsed: Duration
  /// The spans.
  ///
  /// The recorder numbers them in the order of their start; a timer begins earlier than spans with lower numbers.
  /// The forms sort them.
  public var spans: [TraceSpan]
  /// The number of events that were not recorded, because the trace had reached its limit.
  public var droppedCount: Int
  /// The end of the trace.
  public var ending: Ending
  /// The cause of the end: the span whose end ended the trace.
  ///
  /// `nil` is the span that ended last. The critical path starts here.
  public var cause: TraceSpan.Cause?
  /// The span of the caller in which the trace was made.
  ///
  /// `nil` if there is none.
  public var parent: TraceParent?

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - name: The name of the trace.
  ///   - id: The identifier of the trace.
  ///   - spanID: The identifier of the span of the trace.
  ///   - start: The wall clock time of the start.
  ///   - elapsed: The time from the start to the end.
  ///   - spans: The spans in the order of their start.
  ///   - droppedCount: The number of events that were not recorded.
  ///   - ending: The end of the trace.
  ///   - cause: The cause of the end.
  ///   - parent: The span of the caller.
  public init(
    name: String, id: TraceID = TraceID(), spanID: SpanID = SpanID(), start: Date = Date(),
    elapsed: Duration = .zero,
    spans: [TraceSpan] = [], droppedCount: Int = 0, ending: Ending = .finished,
    cause: TraceSpan.Cause? = nil, parent: TraceParent? = nil
  ) {
    self.name = name
    self.id = id
    self.spanID = spanID
    self.start = start
    self.elapsed = elapsed
    self.spans = spans
    self.droppedCount = droppedCount
    self.ending = ending
    self.cause = cause
    self.parent = parent
  }

  /// The longest sequence of dependent work, from the start to the end of the trace.
  public var criticalPath: CriticalPath { CheckedTrace(self).criticalPath }

  /// One sentence about the critical path, such as `1.84 s: 61 % server, 22 % queue behind
  /// .limited(4), 9 % TLS`.
  public var summary: String { CheckedTrace(self).summary }
}
