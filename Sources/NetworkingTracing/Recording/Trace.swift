public import Promises

/// A recording of a chain: its calls, its handlers, and their dependence.
///
/// ```swift
/// let trace = Trace("open board")
/// try await trace.run { try await screen.load() }
/// print(trace.record.waterfall)
/// ```
///
/// - **Extent.** A trace records the calls that are made in its operation, in its tasks and task groups, and in
///   the handlers of promises that are attached there. It follows promises through all queues, actors and
///   contexts. Code that runs in a detached task, or in a block that is dispatched by hand, makes calls that are
///   not recorded; a promise that such code settles has an unknown cause. The time in which a task awaits such
///   code, or the main actor, counts as code of the task. An asynchronous operation of another trace is one span
///   of code; the promise of another trace has an unknown cause. Work that goes on after the end of the operation
///   is not recorded.
/// - **Limit.** It records at most 10,000 events. ``TraceRecord/droppedCount`` is the number of events that it
///   has not recorded.
/// - **Threads.** It is thread-safe. An operation may run after another one, or while another one does. All are in
///   the record, which ends with the last one.
/// - **Servers.** The calls of a client with ``NetworkingConfiguration/tracing`` send the identifier of
///   the trace in a `traceparent`.
///
/// A trace has no other effect on the calls.
public final class Trace: Sendable {
  let recorder: SpanRecorder

  /// Creates a trace, which has not begun.
  ///
  /// - Parameters:
  ///   - name: The name, which all forms show.
  ///   - parent: The span of the caller, such as that of the request that a server handles. The trace has its
  ///     identifier, its `tracestate`, and its decision about sampling. `nil` begins a new trace.
  ///   - limit: The maximum number of events, of which a call has about ten and a handler one.
  ///   - scheduler: The source of time, which should be that of the clients. In a virtual time, the default is
  ///     this time.
  public init(
    _ name: String, parent: TraceParent? = nil, limit: Int = 10_000,
    scheduler: some Scheduler = .live
  ) {
    recorder = SpanRecorder(name, parent: parent, limit: limit, scheduler: scheduler)
  }

  deinit {
    recorder.discard()
  }

  /// Records an asynchronous operation, until it returns or throws.
  ///
  /// The operation runs once, on the actor of the caller. An error by which it was cancelled ends the trace with
  /// ``TraceRecord/Ending/cancelled``.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller, which the operation keeps.
  ///   - operation: The operation.
  /// - Returns: The result of the operation.
  /// - Throws: The error of the operation.
  public func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    let outer = HandlerScope.innermost?.step
    let end = outer.flatMap {
      ($0.recorder as? SpanRecorder)?.beginTrace(recorder.name ?? "", in: $0)
    }
    defer { end?() }
    return try await HandlerScope(step: recorder.beginning()).run {
      do {
        let result = try await operation()
        recorder.finish(after: TraceStep.current)
        return result
      } catch {
        recorder.finish(error, after: TraceStep.current)
        throw error
      }
    }
  }

  /// Records the chain of a promise, until the promise settles.
  ///
  /// An error that the closure throws ends the trace, too.
  ///
  /// - Parameter operation: The closure that makes the promise. It runs once, at once, on the calling thread.
  /// - Returns: The promise.
  /// - Throws: The error that the closure throws.
  public func run<Value>(_ operation: () throws -> Promise<Value>) rethrows -> Promise<Value> {
    do {
      let promise = try HandlerScope(step: recorder.beginning()).run(operation)
      recorder.finish(with: promise)
      return promise
    } catch {
      recorder.finish(error, after: nil)
      throw error
    }
  }

  /// The spans so far.
  ///
  /// While an operation runs, it is a snapshot, with the ending ``TraceRecord/Ending/running``.
  public var record: TraceRecord { recorder.record }

  /// The identifier of the trace.
  public var id: TraceID { recorder.id }
}
