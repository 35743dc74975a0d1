import Dispatch
import Foundation
import Networking
import Promises

/// The state of a recorder: all that has happened, and the steps of the tasks.
struct SpanRecords: Sendable {
  enum Kind: Sendable {
    case call(NetworkEvent.CallID, RequestMode)
    /// A handler with the place of its promise, or the code of a task.
    case handler(CallSite?, HandlerPlace?)
    case timer(CallSite)
    /// Code that another trace records.
    case trace(String)
  }

  /// A step, by its number minus one.
  struct Entry: Sendable {
    let kind: Kind
    let cause: TraceSpan.Cause
    let joined: [Int]
    let start: Duration
    var started: Duration?
    var isOnMainThread = false
    var end: Duration?
    var latest: Duration
    var marks: [CallMark] = []
    var path: RequestPath?
    /// The identifier that the next hop sends.
    var nextHop: SpanID?
    /// The number of events that were not recorded.
    var lostCount = 0
  }

  /// The steps of the tasks that were started in the code of one step.
  ///
  /// Swift has no relation from a task to the one that has started or awaits it. A task without a step of its own
  /// belongs to the step of these tasks that has continued last and does not await a promise: its parent has just
  /// continued, or its child has just ended. A task with a step belongs to that one for a millisecond only, because
  /// nothing says whether it has awaited other tasks since.
  private struct Tasks: Sendable {
    var steps: [Int: Int] = [:]
    /// The tasks in the order in which they have continued.
    var continued: [(task: Int, step: Int)] = []

    var last: Int? {
      mutating get {
        while let last = continued.last, steps[last.task] != last.step { continued.removeLast() }
        return continued.last?.step
      }
    }
  }

  private let limit: Int
  private var eventCount = 0
  private var droppedCount = 0
  private(set) var entries: [Entry] = []
  private var tasks: [Int: Tasks] = [:]
  private var origin: (time: Duration, date: Date)?
  private var runningCount = 0
  private var hasTakenEnd = false
  /// The call that was cancelled by the event before, which frees its place in the queue.
  private var lastCancelled: Int?
  private var ending: (ending: TraceRecord.Ending, cause: TraceSpan.Cause?, time: Duration)?
  /// The longest time that one step of a task runs between two events without a wait.
  private static let turn = Duration.milliseconds(1)

  init(limit: Int) {
    self.limit = limit
  }

  // MARK: The trace

  mutating func begin(at now: Duration, date: Date) {
    origin = origin ?? (now, date)
    runningCount += 1
  }

  mutating func finish(_ end: TraceRecord.Ending, after step: Int?, at now: Duration) {
    runningCount -= 1
    // A full trace has lost the steps of its tasks.
    let step = droppedCount > 0 ? nil : step
    ending = (end, step.map { $0 == 0 ? .beginning : .span($0) }, now)
  }

  var hasEnded: Bool { runningCount == 0 && ending != nil }

  /// Returns whether the trace has ended, once.
  mutating func takeEnd() -> Bool {
    defer { hasTakenEnd = hasTakenEnd || ending != nil }
    return ending != nil && !hasTakenEnd
  }

  // MARK: Steps

  private mutating func takeEvent() -> Bool {
    eventCount += 1
    return eventCount <= limit
  }

  /// Releases what only the record needs.
  mutating func discard() {
    guard runningCount == 0 else { return }
    (entries, tasks) = ([], [:])
  }

  var isFull: Bool { eventCount >= limit }

  /// Adds a step.
  ///
  /// - Returns: Its number. `nil` if the trace has ended, or is full.
  mutating func add(
    _ kind: Kind, after cause: Int?, joining joined: [Int], in scope: Int, at now: Duration
  ) -> Int? {
    guard runningCount > 0 else { return nil }
    guard takeEvent() else {
      droppedCount += 1
      return nil
    }
    let relation: TraceSpan.Cause =
      switch cause {
      case 0?: .beginning
      case let number?: .span(number)
      case nil: .unknown(after: scope > 0 ? scope : nil)
      }
    if let cause { touch(cause, at: now) }
    entries.append(Entry(kind: kind, cause: relation, joined: joined, start: now, latest: now))
    // The usual number of events of a call, so that the array does not grow with each of them.
    if case .call = kind { entries[entries.count - 1].marks.reserveCapacity(8) }
    return entries.count
  }

  private mutating func touch(_ step: Int, at now: Duration) {
    guard entries.indices.contains(step - 1) else { return }
    entries[step - 1].latest = max(entries[step - 1].latest, now)
  }

  mutating func start(_ step: Int, at now: Duration, isOnMainThread: Bool) {
    guard runningCount > 0, entries.indices.contains(step - 1),
      case .handler = entries[step - 1].kind
    else { return }
    entries[step - 1].started = entries[step - 1].started ?? now
    entries[step - 1].isOnMainThread = isOnMainThread
    touch(step, at: now)
  }

  mutating func end(_ step: Int, at now: Duration) {
    guard entries.indices.contains(step - 1), entries[step - 1].end == nil else { return }
    if case .call = entries[step - 1].kind { return }
    // The handler that has ended the trace returns later.
    entries[step - 1].end = runningCount > 0 ? now : min(now, ending?.time ?? now)
  }

  // MARK: Tasks

  /// Returns the step of the current code.
  ///
  /// - Parameters:
  ///   - task: The current task.
  ///   - scope: The number of the step of its scope.
  ///   - now: The time. `nil` if it is not known yet.
  /// - Returns: The number of the step. `nil` if it depends on the time.
  mutating func step(of task: Int, in scope: Int, at now: Duration? = nil) -> Int? {
    // In place, because a copy would take a time proportional to the number of tasks.
    guard let last = tasks[scope]?.last else { return scope }
    guard let own = tasks[scope]?.steps[task], own != last else { return last }
    return now.map { $0 - entries[own - 1].latest <= Self.turn ? own : last }
  }

  mutating func suspend(_ task: Int, in scope: Int, at now: Duration) {
    let last = tasks[scope]?.last
    guard let step = tasks[scope]?.steps.removeValue(forKey: task) else { return }
    // If another task has continued since, this one has awaited it.
    end(step, at: step == last ? now : entries[step - 1].latest)
  }

  mutating func resume(_ task: Int, in scope: Int, with step: Int) {
    tasks[scope, default: Tasks()].steps[task] = step
    tasks[scope]?.continued.append((task, step))
  }

  // MARK: Calls

  mutating func add(_ mark: consuming CallMark, by cause: Int?, to step: Int) {
    guard runningCount > 0 else { return }
    let (isFull, index) = (!takeEvent(), step - 1)
    var cause = cause
    if case .started = mark.kind { cause = lastCancelled ?? cause }
    if case .cancelled = mark.kind { lastCancelled = step } else { lastCancelled = nil }
    let isKnown = entries.indices.contains(index)
    guard isKnown, !isFull || mark.isFinal else {
      droppedCount += 1
      if isKnown { entries[index].lostCount += 1 }
      return
    }
    (mark.cause, mark.isAfterGap) = (cause, entries[index].lostCount > 0)
    if case .sending = mark.kind { mark.spanID = entries[index].nextHop.take() }
    entries[index].latest = mark.time
    if mark.isFinal { entries[index].end = mark.time }
    entries[index].marks.append(mark)
  }

  mutating func describe(_ call: Int, _ path: RequestPath) {
    if entries.indices.contains(call - 1) { entries[call - 1].path = path }
  }

  mutating func beginHop(_ span: SpanID, of call: Int) {
    if entries.indices.contains(call - 1) { entries[call - 1].nextHop = span }
  }

  // MARK: The record

  /// Makes the record so far.
  ///
  /// Without a name, the trace has that of its call.
  func record(
    name: String?, id: TraceID, _ spanID: SpanID, parent: TraceParent?, at now: Duration
  ) -> TraceRecord {
    guard let origin else {
      return TraceRecord(
        name: name ?? "call", id: id, spanID: spanID, ending: .running, parent: parent)
    }
    let end = runningCount > 0 ? now : ending?.time ?? now
    var numbers: [NetworkEvent.CallID: Int] = [:]
    for (index, entry) in entries.enumerated() {
      if case .call(let call, _) = entry.kind { numbers[call] = index + 1 }
    }
    let isRunning = runningCount > 0 || ending == nil
    var effective = Set(entries.compactMap { $0.cause.span })
    if let last = ending?.cause?.span { effective.insert(last) }
    let spans = entries.indices.compactMap { index -> TraceSpan? in
      // The end of a task, after its last `await`.
      if case .handler(_, nil) = entries[index].kind, entries[index].end == nil,
        !effective.contains(index + 1)
      {
        return nil
      }
      return span(index, origin: origin.time, calls: numbers)
    }
    return TraceRecord(
      name: name ?? spans.first?.groupName ?? "call", id: id, spanID: spanID, start: origin.date,
      elapsed: end - origin.time, spans: spans, droppedCount: droppedCount,
      ending: isRunning ? .running : ending?.ending ?? .running,
      cause: isRunning ? nil : ending?.cause, parent: parent)
  }

  /// Returns the call that a step belongs to, or that has let it begin.
  func call(of step: Int?) -> Int? {
    var next = step
    while let number = next, entries.indices.contains(number - 1) {
      if case .call = entries[number - 1].kind { return number }
      next = entries[number - 1].cause.span
    }
    return nil
  }

  /// Returns the call that has let an event of another one happen, if that has waited for it.
  private func holder(of mark: Int, in entry: Entry) -> Int? {
    guard mark > 0, let call = call(of: entry.marks[mark].cause) else { return nil }
    guard let end = entries[call - 1].end else { return call }
    return end > entry.marks[mark - 1].time ? call : nil
  }

  private func span(
    _ index: Int, origin: Duration, calls: [NetworkEvent.CallID: Int]
  ) -> TraceSpan {
    let entry = entries[index]
    var span = TraceSpan(
      id: index + 1, kind: .code, name: "", start: entry.start - origin,
      end: entry.end.map { $0 - origin }, cause: entry.cause, joined: entry.joined)
    switch entry.kind {
    case .call(let call, let mode):
      CallSpan(
        entry.marks, from: entry.start, of: mode, template: entry.path?.template, origin: origin,
        calls: calls,
        holders: entry.marks.indices.map { mark in
          holder(of: mark, in: entry).flatMap { $0 == index + 1 ? nil : $0 }
        }
      ).fill(&span, call)
    case .trace(let name): span.name = "trace \(name)"
    case .timer(let site):
      (span.kind, span.name, span.site) = (.timer, "timer", site.description)
    case .handler(let site, let place):
      span.name = place == nil ? "task" : site?.kind.operatorName ?? "handler"
      span.site = site?.description
      let context = place?.context ?? (entry.isOnMainThread ? .mainThread : .background)
      span.kind = .handler(context, started: entry.started.map { $0 - origin })
      if site?.kind == .decode {
        span.kind = .decoding
        let started = (entry.started ?? entry.latest) - origin
        span.parts = [TraceSegment(context.wait, from: span.start, to: started)]
      }
      // The code of a task that has not awaited again ends with its last effect.
      if span.end == nil, entry.started != nil { span.end = entry.latest - origin }
    }
    if span.end == nil { span.outcome = .running }
    return span
  }
}

/// The queue or the actor of a handler.
enum HandlerPlace: Sendable {
  case main, background
  case queue(DispatchQueue)
  // Not the actor, which the trace does not keep.
  case actor(any Actor.Type)

  init(_ context: ExecutionContext) {
    switch context.target {
    case .main: self = .main
    case .queue(let queue): self = .queue(queue)
    case .actor(let actor): self = actor === MainActor.shared ? .main : .actor(type(of: actor))
    case .custom(let custom):
      self = (custom as? TrackedContext).map { HandlerPlace($0.base) } ?? .background
    case .inline: self = .background
    }
  }

  /// The context that a form shows.
  var context: TraceSpan.HandlerContext {
    switch self {
    case .main: .mainThread
    case .actor(let type): .actor("\(type)")
    // The global queues are no places of their own.
    case .queue(let queue) where !queue.label.hasPrefix("com.apple.root"): .actor(queue.label)
    case .queue, .background: .background
    }
  }
}
