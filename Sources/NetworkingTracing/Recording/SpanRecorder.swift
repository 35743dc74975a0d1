import CatenaSystem
import Foundation
import Networking
import Promises

/// The recorder of a trace.
///
/// It stores what happens, in the order in which it happens. ``record`` makes the spans of it.
final class SpanRecorder: CallRecorder {
  let name: String
  private let id = TraceID()
  private let limit: Int
  private let scheduler: any Scheduler
  private let state: Mutex<SpanRecords>

  init(_ name: String, limit: Int, scheduler: any Scheduler) {
    self.name = name
    self.limit = max(limit, 1)
    self.scheduler = scheduler
    state = Mutex(SpanRecords(limit: max(limit, 1)))
  }

  // MARK: The trace

  /// Begins the trace, or another operation of it.
  ///
  /// - Returns: The step of the code of the operation.
  func beginning() -> TraceStep {
    TraceStep.use()
    let (now, date) = (scheduler.now, Date())
    state.withLock { $0.begin(at: now, date: date) }
    return TraceStep(of: self, number: 0)
  }

  /// Ends an operation, whose last step is known if the trace can follow its end.
  func finish(_ error: (any Error)? = nil, after step: TraceStep?) {
    let now = scheduler.now
    state.withLock { $0.finish(Self.ending(error), after: number(of: step), at: now) }
  }

  /// Ends an operation with its promise, before code that awaits the promise can read the record.
  func finish<Value>(with promise: Promise<Value>) {
    promise.whenSettled { [self] in
      finish(promise.currentError, after: promise.settlementStep)
    }
  }

  private static func ending(_ error: (any Error)?) -> TraceRecord.Ending {
    guard let error else { return .finished }
    let isCancelled = error is CancellationError || (error as? NetworkError)?.isCancellation == true
    return isCancelled ? .cancelled : .failed(text(of: error))
  }

  private static func text(of error: any Error) -> String {
    guard let error = error as? NetworkError else { return "\(type(of: error))" }
    return "\(error.code)"
  }

  /// The number of a step of this trace.
  private func number(of step: TraceStep?) -> Int? {
    step.flatMap { $0.recorder === self ? $0.number : nil }
  }

  /// The record so far.
  var record: TraceRecord {
    let now = scheduler.now
    let records = state.withLock { $0 }
    return records.record(name: name, id: id, at: now)
  }

  // MARK: Steps

  func step(in scope: TraceStep) -> TraceStep {
    guard let task = TraceTask.current else { return scope }
    let now = scheduler.now
    let number = state.withLock { $0.step(of: task, in: scope.number, at: now) }
    return number == scope.number ? scope : TraceStep(of: self, number: number)
  }

  func enqueue(
    at site: CallSite?, in context: ExecutionContext?, after cause: TraceStep?, scope: TraceStep
  ) -> TraceStep? { add(.handler(site, context.map(HandlerPlace.init)), after: cause, in: scope) }

  func timer(at site: CallSite, after cause: TraceStep) -> @Sendable () -> TraceStep? {
    let start = scheduler.now
    return { [self] in
      let step = add(.timer(site), after: cause, in: cause, start: start)
      if let step { end(step) }
      return step
    }
  }

  /// Begins code that another trace records.
  ///
  /// - Parameters:
  ///   - name: The name of the other trace.
  ///   - scope: The step of the scope.
  /// - Returns: A closure that ends the code.
  func beginTrace(_ name: String, in scope: TraceStep) -> @Sendable () -> Void {
    let (start, cause) = (scheduler.now, step(in: scope))
    return { [self] in
      guard let step = add(.trace(name), after: cause, in: scope, start: start) else { return }
      end(step)
      taskContinues(with: step, in: scope)
    }
  }

  private func add(
    _ kind: SpanRecords.Kind, after cause: TraceStep?, in scope: TraceStep, start: Duration? = nil
  ) -> TraceStep? {
    let start = start ?? scheduler.now
    let joined = number(of: cause) == nil ? [] : cause?.joined ?? []
    return state.withLock {
      $0.add(kind, after: number(of: cause), joining: joined, in: scope.number, at: start)
    }.map { TraceStep(of: self, number: $0) }
  }

  func begin(_ step: TraceStep) {
    let (now, isOnMainThread) = (scheduler.now, ExecutionContext.isOnMainQueue)
    state.withLock { $0.start(step.number, at: now, isOnMainThread: isOnMainThread) }
  }

  func end(_ step: TraceStep) {
    let now = scheduler.now
    state.withLock { $0.end(step.number, at: now) }
  }

  func taskSuspends(in scope: TraceStep) {
    guard let task = TraceTask.current else { return }
    let now = scheduler.now
    state.withLock { $0.suspend(task, in: scope.number, at: now) }
  }

  func taskContinues(with step: TraceStep, in scope: TraceStep) {
    guard let task = TraceTask.current else { return }
    begin(step)
    state.withLock { $0.resume(task, in: scope.number, with: step.number) }
  }

  // MARK: Calls

  func record(_ call: NetworkEvent.CallID, in mode: RequestMode, after cause: TraceStep) -> (
    step: TraceStep, sink: any EventSink
  )? {
    let start = scheduler.now
    return add(.call(call, mode), after: cause, in: cause).map {
      ($0, CallSink($0, start: start, recorder: self))
    }
  }

  /// Adds an event of a call.
  func add(_ event: CallMark, to step: TraceStep) {
    let cause = number(of: TraceStep.current)
    state.withLock { $0.add(event, by: cause, to: step.number) }
  }
}

/// The identity of a task.
enum TraceTask {
  /// The identity of the current task, which a later task may have too.
  static var current: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

/// The receiver of the events of one call.
private final class CallSink: EventSink {
  private let step: TraceStep
  private let start: Duration
  private let recorder: SpanRecorder
  let bodyLimit = 0

  init(_ step: TraceStep, start: Duration, recorder: SpanRecorder) {
    self.step = step
    self.start = start
    self.recorder = recorder
  }

  func enqueue(_ event: NetworkEvent, _ body: Data?) {
    guard let mark = CallMark(event, start: start) else { return }
    recorder.add(mark, to: step)
  }

  func deliver() {}
  func whenDelivered(_ action: @escaping @Sendable () -> Void) { action() }
}
