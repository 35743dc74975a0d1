import CatenaSystem
import Foundation
import Networking
import Promises

/// The recorder of a trace.
///
/// It stores the events and steps in the order in which they happen. ``record`` makes the spans of them.
final class SpanRecorder: ContextRecorder {
  let scheduler: any Scheduler
  /// The name of the trace.
  ///
  /// `nil` for the trace of one call, whose name is that of the call.
  let name: String?
  let id: TraceID
  /// The identifier of the span of the trace, which no other record of the trace has.
  private let spanID: SpanID
  private let parent: TraceParent?
  private let identifiers: TraceIdentifiers
  /// The delivery of the trace of one call, at its end.
  private let delivery: TraceDelivery?
  private let state: Mutex<SpanRecords>
  /// Whether a task has continued with a step of its own, so that ``state`` knows the steps of tasks.
  private let hasTasks = Atomic(false)

  init(_ name: String, parent: TraceParent?, limit: Int, scheduler: any Scheduler) {
    self.name = name
    self.parent = parent
    self.scheduler = scheduler
    (id, spanID) = (parent?.traceID ?? TraceID(), SpanID())
    (identifiers, delivery) = (.system, nil)
    state = Mutex(SpanRecords(limit: max(limit, 1)))
  }

  /// Creates the recorder of one call.
  init(
    _ id: TraceID, parent: TraceParent?, _ identifiers: TraceIdentifiers, _ delivery: TraceDelivery,
    scheduler: any Scheduler
  ) {
    name = nil
    (self.id, self.parent, self.identifiers, self.delivery) = (id, parent, identifiers, delivery)
    spanID = identifiers.makeSpanID()
    self.scheduler = scheduler
    state = Mutex(SpanRecords(limit: 10_000))
  }

  // MARK: The trace

  /// Begins the trace, or another operation of it.
  ///
  /// - Returns: The step of the code of the operation.
  func beginning() -> TraceStep {
    // The handlers of a single call are not in its trace.
    if delivery == nil { TraceStep.beginUse() }
    let (now, date) = (scheduler.now, Date())
    state.withLock { $0.begin(at: now, date: date) }
    return TraceStep(of: self, number: 0)
  }

  /// Ends an operation, whose last step is known if the trace can follow its end.
  func finish(_ error: (any Error)? = nil, after step: TraceStep?) {
    let now = scheduler.now
    state.withLock { $0.finish(Self.ending(error), after: number(of: step), at: now) }
    if delivery == nil { TraceStep.endUse() }
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
    (error as? NetworkError)?.code.errorType ?? "\(type(of: error))"
  }

  /// The number of a step of this trace.
  private func number(of step: TraceStep?) -> Int? {
    step.flatMap { $0.recorder === self ? $0.number : nil }
  }

  /// The record so far.
  var record: TraceRecord {
    let now = scheduler.now
    let records = state.withLock { $0 }
    return records.record(name: name, id: id, spanID, parent: parent, at: now)
  }

  /// Releases the spans of a trace that has ended, because promises and tasks keep the recorder.
  func discard() { state.withLock { $0.discard() } }

  // MARK: Steps

  func step(in scope: TraceStep) -> TraceStep {
    guard hasTasks.load(ordering: .acquiring), let task = TraceTask.current else { return scope }
    var number = state.withLock { $0.step(of: task, in: scope.number) }
    if number == nil {
      let now = scheduler.now
      number = state.withLock { $0.step(of: task, in: scope.number, at: now) }
    }
    guard let number, number != scope.number else { return scope }
    return TraceStep(of: self, number: number)
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
    guard delivery == nil || cause?.number == 0 else { return nil }
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
    hasTasks.store(true, ordering: .releasing)
    state.withLock { $0.resume(task, in: scope.number, with: step.number) }
  }

  // MARK: Calls

  func record(_ call: NetworkEvent.CallID, in mode: RequestMode, after cause: TraceStep)
    -> (any CallTrace)?
  {
    let start = scheduler.now
    let (hasEnded, isFull) = state.withLock { ($0.hasEnded, $0.isFull) }
    guard !hasEnded else { return nil }
    // The hops of a call that a full trace does not record belong to the trace.
    let unrecorded = isFull && delivery == nil ? TraceStep(of: self, number: 0) : nil
    return (add(.call(call, mode), after: cause, in: cause, start: start) ?? unrecorded).map {
      CallMarks(step: $0, start: start, recorder: self)
    }
  }

  fileprivate func describe(_ call: TraceStep, _ request: Request) {
    state.withLock { $0.describe(call.number, request.path) }
  }

  func beginHop(of call: TraceStep) -> TraceParent {
    let span = identifiers.makeSpanID()
    state.withLock { $0.beginHop(span, of: call.number) }
    return TraceParent(
      traceID: id, spanID: span, isSampled: parent?.isSampled ?? true, state: parent?.state)
  }

  /// Adds an event of a call.
  fileprivate func add(_ event: CallMark, to step: TraceStep) {
    let cause = number(of: TraceStep.current)
    state.withLock { state in
      state.add(event, by: cause, to: step.number)
      guard delivery != nil, let ending = event.ending else { return }
      state.finish(ending, after: step.number, at: event.time)
    }
  }

  /// Hands the trace of a single call over, once it has ended.
  fileprivate func deliver() {
    guard let delivery, state.withLock({ $0.takeEnd() }) else { return }
    delivery.add(self)
  }
}

/// The identity of a task.
enum TraceTask {
  /// The identity of the current task, which a later task may have too.
  static var current: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

/// The receiver of the events of one call.
private struct CallMarks: CallTrace {
  let step: TraceStep
  let start: Duration
  let recorder: SpanRecorder

  func add(_ event: NetworkEvent) {
    guard let mark = CallMark(event, start: start) else { return }
    recorder.add(mark, to: step)
  }

  func describe(_ request: Request) { recorder.describe(step, request) }
  func deliver() { recorder.deliver() }
}
