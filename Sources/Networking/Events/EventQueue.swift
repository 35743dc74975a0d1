import CatenaSystem
import Dispatch
import Foundation
import Promises

/// The queue of the events for one receiver: a monitor, a log or a sequence.
///
/// To wake a thread costs more than to make and deliver the events of a call. So the receiver is
/// woken once for the events of several calls: ``delay`` after the first of them. The end of a call
/// wakes it at once, unless it was woken within this time. If the scheduler waits for handlers, as
/// virtual time does, each event wakes the receiver, so that no delivery depends on the system clock.
///
/// A monitor receives all pending events in one turn of its context, in order. Events that occur
/// meanwhile wait for another turn, so that an actor can do other work between them.
final class EventQueue: Sendable {
  /// An event, with properties that only logs use.
  struct Entry: Sendable {
    var event: NetworkEvent
    /// The body that was sent or received with the event; not redacted.
    var body: Data?
    /// The level of the log.
    var level = LoggingConfiguration.Level.none
    /// Whether the entry is about the decoding of a response, after the final event of its call.
    var isDecodingNote = false
  }

  /// A closure that handles an entry whose event is redacted.
  typealias Observer = @Sendable (_ entry: Entry) -> Void
  private typealias Reader = TaskContinuation<NetworkEvent?>

  private struct State: ~Copyable {
    var machine: EventQueueMachine<Reader>
    /// The monitor or log; `nil` for a sequence, and after the removal of the monitor.
    var observe: Observer?
  }

  /// The time that events wait for others.
  static let delay = Duration.milliseconds(5)

  private let context: ExecutionContext
  private let state: Mutex<State>

  /// Creates a queue for a closure that receives the entries one at a time.
  ///
  /// - Parameters:
  ///   - actorContext: The actor of the closure. `nil` uses a serial queue.
  ///   - isImmediate: Whether the closure runs on the thread of the event, without delay, instead.
  ///   - scheduler: The client's scheduler. A `TestScheduler` does not advance its time while the
  ///     closure runs.
  ///   - observe: The closure.
  init(
    on actorContext: ExecutionContext? = nil, isImmediate: Bool = false, scheduler: any Scheduler,
    _ observe: @escaping Observer
  ) {
    context = scheduler.context(
      for: isImmediate
        ? .inline : actorContext ?? .queue(DispatchQueue(label: "Catena.NetworkMonitor")))
    let delay = isImmediate ? .zero : Self.delay(scheduler)
    state = Mutex(State(machine: .init(delay: delay), observe: observe))
  }

  /// Creates a queue for the tasks that call ``next(isolation:)``.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of events.
  ///   - scheduler: The client's scheduler.
  init(limit: Int, scheduler: any Scheduler) {
    context = .inline
    state = Mutex(State(machine: .init(limit: limit, delay: Self.delay(scheduler))))
  }

  private static func delay(_ scheduler: any Scheduler) -> Duration {
    scheduler.beginActivity() == nil ? delay : .zero
  }

  // MARK: Producers

  /// Stores an entry.
  ///
  /// - Returns: Whether ``deliver()`` must be called, without a lock.
  func add(_ entry: Entry) -> Bool { state.withLock { $0.machine.add(entry) } }

  /// Wakes the receiver, now or later.
  func deliver() {
    let now = LiveScheduler.system.now
    switch state.withLock({ $0.machine.wake(at: now) }) {
    case .due: context.run { self.run() }
    case .waiting:
      _ = LiveScheduler.system.schedule(after: Self.delay) {
        if self.state.withLock({ $0.machine.wakeAfterDelay() }) { self.context.run { self.run() } }
      }
    default: break
    }
  }

  /// Calls a closure when all events that have been stored so far have been delivered.
  ///
  /// - Parameter action: The closure. It runs once, in the context of the receiver.
  func flush(_ action: @escaping @Sendable () -> Void) {
    // The context is serial, so earlier events have been delivered when the closure runs.
    context.run {
      self.run()
      action()
    }
  }

  /// Discards the pending events and releases the monitor.
  ///
  /// At most one event that has already been selected may still be delivered.
  func close() {
    let old = state.withLock { state in
      state.machine.close()
      return state.observe.take()
    }
    // Released outside the lock, because it may run a user's `deinit`.
    withExtendedLifetime(old) {}
  }

  /// Ends the sequence after the stored events.
  func finish() {
    state.withLock { $0.machine.finish() }
    resumeReaders()
  }

  // MARK: Receivers

  private func run() {
    let now = LiveScheduler.system.now
    var (entries, observe) = state.withLock { ($0.machine.begin(at: now), $0.observe) }
    guard let observe else { return resumeReaders() }
    while var entry = entries.popFirst() {
      // Checked before each event, under the lock that `close` takes, so that `close` stops delivery.
      guard state.withLock({ $0.observe != nil }) else { return }
      entry.event.redact()
      observe(entry)
    }
  }

  /// Resumes the readers that can receive an event or the end.
  private func resumeReaders() {
    while let (reader, event) = state.withLock({ $0.machine.nextPendingRead() }) {
      reader.resume(returning: event)
    }
  }

  /// The number of events that were dropped because the queue was full.
  var droppedCount: Int { state.withLock { $0.machine.dropped } }

  /// Returns the next event; `nil` at the end of the sequence, or if the task is cancelled.
  func next(isolation: isolated (any Actor)?) async -> NetworkEvent? {
    let id = state.withLock { $0.machine.makeID() }
    var event = await withTaskCancellationHandler {
      await TaskContinuation.wait(isolation: isolation) { reader in
        state.withLock { $0.machine.wait(id, reader) }
        // The cancellation handler may have run before the reader was registered.
        if Task.isCancelled { cancelRead(id) }
        resumeReaders()
      }
    } onCancel: {
      cancelRead(id)
    }
    // On the reader's thread.
    event?.redact()
    return event
  }

  private func cancelRead(_ id: UInt64) {
    state.withLock { $0.machine.cancelRead(id) }?.resume(returning: nil)
  }
}

/// The state machine of an event queue: the pending events, the waiting readers, and the time of the
/// next delivery.
///
/// ```
///          the first event                 the delay is over,
/// idle ----------------------> waiting -------------------------> due --turn--> idle
///   |                             |        or a call has ended    ^
///   +-----------------------------+---- without a delay ----------+
/// ```
struct EventQueueMachine<Reader> {
  /// A reader and its event.
  ///
  /// The event is `nil` at the end of the sequence.
  typealias PendingRead = (reader: Reader, event: NetworkEvent?)

  /// A phase of the delivery.
  enum Phase {
    case idle
    /// A timer runs, after which ``wakeAfterDelay()`` is called.
    case waiting
    /// The receiver has been woken, but its turn has not begun.
    case due
    /// The receiver has been removed.
    case closed
  }

  /// The maximum number of pending events; `nil` for a receiver that takes all of them.
  private let limit: Int?
  private let delay: Duration
  private var phase = Phase.idle
  /// The start of the last turn.
  private var lastTurn: Duration?
  /// Whether a pending event is the end of a call.
  private var hasEnd = false
  private var entries = FIFO<EventQueue.Entry>()
  private var readers = FIFO<(id: UInt64, reader: Reader)>()
  private var lastID: UInt64 = 0
  private(set) var dropped = 0
  private var isFinished = false

  /// - Parameters:
  ///   - limit: The maximum number of events for readers. The oldest event is dropped. `nil` is for a
  ///     receiver that takes all events.
  ///   - delay: The time that events wait for others.
  init(limit: Int? = nil, delay: Duration) {
    self.limit = limit.map { max($0, 1) }
    self.delay = delay
  }

  /// The number of pending events.
  var count: Int { entries.count }

  // MARK: Wakes

  /// Appends an event.
  ///
  /// Drops the oldest event if the queue is full.
  ///
  /// - Returns: Whether ``wake(at:)`` must be called.
  mutating func add(_ entry: EventQueue.Entry) -> Bool {
    guard phase != .closed else { return false }
    let isEnd = entry.event.isFinal
    entries.append(entry)
    if let limit, entries.count > limit {
      _ = entries.popFirst()
      dropped += 1
    }
    if isEnd { hasEnd = true }
    guard limit == nil || !readers.isEmpty else { return false }
    return phase == .idle || isEnd && phase == .waiting
  }

  /// Decides when the receiver of the pending events is woken.
  ///
  /// - Returns: The new phase, ``Phase/waiting`` or ``Phase/due``. `nil` if the phase is unchanged.
  mutating func wake(at now: Duration) -> Phase? {
    guard phase == .idle || phase == .waiting, count > 0 else { return nil }
    let isRested = lastTurn.map { now - $0 >= delay } ?? true
    if delay == .zero || hasEnd && isRested {
      phase = .due
    } else {
      guard phase == .idle else { return nil }
      phase = .waiting
    }
    return phase
  }

  /// Returns whether the receiver must be woken now that the delay is over.
  mutating func wakeAfterDelay() -> Bool {
    guard phase == .waiting else { return false }
    phase = .due
    return true
  }

  /// Begins a turn of the receiver.
  ///
  /// - Returns: The pending events if the receiver takes all; otherwise readers take them.
  mutating func begin(at now: Duration) -> FIFO<EventQueue.Entry> {
    guard phase != .closed else { return FIFO() }
    phase = .idle
    lastTurn = now
    hasEnd = false
    guard limit == nil else { return FIFO() }
    defer { entries = FIFO() }
    return entries
  }

  /// Discards the pending events, and all later ones.
  mutating func close() {
    phase = .closed
    entries = FIFO()
  }

  // MARK: Readers

  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Ends the sequence after the pending events.
  mutating func finish() { isFinished = true }

  /// Removes the first waiting reader that can be resumed; `nil` if there is none.
  mutating func nextPendingRead() -> PendingRead? {
    guard isFinished || count > 0, let next = readers.popFirst() else { return nil }
    return (next.reader, entries.popFirst()?.event)
  }

  /// Appends a reader to the waiting readers.
  mutating func wait(_ id: UInt64, _ reader: Reader) { readers.append((id, reader)) }

  /// Removes a waiting reader.
  ///
  /// - Returns: The reader. `nil` if it has already been resumed.
  mutating func cancelRead(_ id: UInt64) -> Reader? { readers.removeFirst { $0.id == id }?.reader }
}
