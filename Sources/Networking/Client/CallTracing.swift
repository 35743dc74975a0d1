package import Promises

/// The recording of the calls of a client, by the product `NetworkingTracing`.
///
/// That product makes the values: `import NetworkingTracing`, and `configuration.tracing = .sampled(0.1) { … }`.
public final class CallTracing: Sendable {
  /// Begins the trace of a call that belongs to no other one, or returns `nil` if it is not recorded.
  ///
  /// It runs in the code that makes the call.
  package let begin: Begin
  /// The stage that adds header fields to each hop.
  ///
  /// `nil` adds none.
  package let stage: (any Interceptor)?

  package typealias Begin = @Sendable (_ scheduler: any Scheduler) -> TraceStep?

  package init(begin: @escaping Begin, stage: (any Interceptor)?) {
    self.begin = begin
    self.stage = stage
  }
}

/// A recorder of traces that records calls.
package protocol CallRecorder: TraceRecorder {
  /// Begins to record a call.
  ///
  /// - Parameters:
  ///   - call: The identifier of the call.
  ///   - mode: The mode of the client's queue.
  ///   - cause: The step in which the call is made.
  /// - Returns: The record of the call. `nil` if the trace has ended or is full.
  func record(_ call: NetworkEvent.CallID, in mode: RequestMode, after cause: TraceStep)
    -> (any CallTrace)?
}

extension CallEvents {
  /// Creates the reporter of a new call.
  ///
  /// Returns `nil` if nothing receives the events.
  convenience init?(_ eventSinks: [EventSink], _ runner: CallRunner) {
    guard !eventSinks.isEmpty || runner.tracing != nil || TraceStep.isUsed else { return nil }
    // Lazy, because a call without receivers has a number of its own.
    lazy var call = NetworkEvent.CallID()
    func record(_ cause: TraceStep?) -> (any CallTrace)? {
      cause.flatMap { cause in
        (cause.recorder as? any CallRecorder)?.record(call, in: runner.mode, after: cause)
      }
    }
    // A call after the end of a trace is in no trace.
    let trace = record(TraceStep.current) ?? record(runner.tracing?.begin(runner.scheduler))
    guard trace != nil || !eventSinks.isEmpty else { return nil }
    self.init(
      call, eventSinks, trace, scheduler: runner.scheduler, redactingBy: runner.redactor)
  }
}
