package import Promises

/// The recording of the calls of a client, by the product `NetworkingTracing`.
///
/// That product makes the values: `import NetworkingTracing`, and `configuration.tracing = .sampled(0.1) { … }`.
public struct CallTracing: Sendable {
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

/// The record of a call in a trace.
package protocol CallTrace: Sendable {
  /// The step of the call.
  var step: TraceStep { get }

  /// Records the request of the call.
  func describe(_ request: Request)

  /// Adds an event, whose header fields are not redacted.
  ///
  /// It is called under the lock of the call, on the thread on which the event happens.
  func add(_ event: NetworkEvent)

  /// Hands over the trace if the call has ended it.
  ///
  /// It is called after events were added, without a lock.
  func deliver()
}
