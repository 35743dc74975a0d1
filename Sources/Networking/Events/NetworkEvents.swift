import Foundation
import Promises
import Synchronization

/// What happens to a client's calls, as an asynchronous sequence.
///
/// ```swift
/// let events = networking.events
/// let watching = Task {
///   for await event in events where event.isFinal { count(event) }
/// }
/// ```
///
/// - **Beginning.** It has whole calls: those that are made after it was, before anybody asks for the first event
///   already.
/// - **Buffer.** Events that nobody has asked for yet are kept, 10,000 of them unless said otherwise; of more
///   the oldest are dropped, and counted in ``droppedCount``. No call waits for a reader.
/// - **End.** It ends when the client has been released and the last of its calls is over, which it does not
///   put off, and in a task that is cancelled.
/// - **Readers.** Each ``Networking/events`` is a sequence of its own, with all events. Of several loops over one
///   and the same, each event goes to one.
///
/// Nobody is told any more when the sequence and its iterators have been released.
public struct NetworkEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = NetworkEvent
  /// It ends without an error.
  public typealias Failure = Never

  let subscription: EventSubscription

  /// How many events have been dropped until now, since they came faster than they were asked for.
  public var droppedCount: Int { subscription.buffer.droppedCount }

  /// Makes an iterator, which takes events from the sequence's one buffer.
  ///
  /// - Returns: the iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: subscription)
  }

  /// Takes events from the buffer of its sequence.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: EventSubscription

    /// The next event, once there is one.
    ///
    /// - Parameter actor: where the caller is.
    /// - Returns: the event; nil when there is none to come, or the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> NetworkEvent? {
      await subscription.buffer.next(isolation: actor)
    }
  }
}

/// What a sequence of events and its iterators share; with the last of them the subscription ends.
final class EventSubscription: Sendable {
  let buffer: EventBuffer
  private let onEnd: @Sendable () -> Void

  init(_ buffer: EventBuffer, onEnd: @escaping @Sendable () -> Void) {
    self.buffer = buffer
    self.onEnd = onEnd
  }

  deinit {
    onEnd()
  }
}

/// Feeds a sequence's buffer; the client and its calls hold it, and when the last of them lets go of it the
/// sequence has its end.
final class EventBufferSink: EventSink {
  private let buffer: EventBuffer

  init(_ buffer: EventBuffer) {
    self.buffer = buffer
  }

  deinit {
    buffer.finish()
  }

  let bodyLimit = 0

  func take(_ event: NetworkEvent, _ body: Data?) {
    buffer.add(event)
  }

  func deliver() {
    buffer.deliver()
  }
}

/// The buffer of a sequence of events.
final class EventBuffer: Sendable {
  private typealias Reader = CheckedContinuation<NetworkEvent?, Never>

  private let machine: Mutex<EventBufferMachine<Reader>>

  init(limit: Int) {
    machine = Mutex(EventBufferMachine(limit: limit))
  }

  var droppedCount: Int { machine.withLock { $0.dropped } }

  func add(_ event: NetworkEvent) {
    machine.withLock { $0.add(event) }
  }

  func finish() {
    machine.withLock { $0.finish() }
    deliver()
  }

  /// Answers those who wait.
  func deliver() {
    while let (reader, event) = machine.withLock({ $0.nextPendingRead() }) {
      reader.resume(returning: event)
    }
  }

  /// The next event; nil when there is none to come, or the task is cancelled.
  func next(isolation: isolated (any Actor)?) async -> NetworkEvent? {
    let id = machine.withLock { $0.makeID() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        machine.withLock { $0.wait(id, reader) }
        // The handler below may have come too early to find the reader.
        if Task.isCancelled { cancelRead(id) }
        deliver()
      }
    } onCancel: {
      cancelRead(id)
    }
  }

  private func cancelRead(_ id: UInt64) {
    machine.withLock { $0.cancelRead(id) }?.resume(returning: nil)
  }
}

/// The events that a sequence has not handed out yet, and those who wait for more.
struct EventBufferMachine<Reader> {
  /// A reader, and what it gets; nil at the end.
  typealias PendingRead = (reader: Reader, event: NetworkEvent?)

  private let limit: Int
  private var events = FIFO<NetworkEvent>()
  private var readers = FIFO<(id: UInt64, reader: Reader)>()
  private var lastID: UInt64 = 0
  private(set) var dropped = 0
  private var isFinished = false

  init(limit: Int) {
    self.limit = max(limit, 1)
  }

  /// The number of buffered events.
  var count: Int { events.count }

  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Keeps an event, and drops the oldest if they are too many.
  mutating func add(_ event: NetworkEvent) {
    events.append(event)
    guard count > limit else { return }
    _ = events.popFirst()
    dropped += 1
  }

  /// Nothing more will come.
  mutating func finish() {
    isFinished = true
  }

  /// The next one of those who wait and can be answered; nil when there is none.
  mutating func nextPendingRead() -> PendingRead? {
    guard isFinished || count > 0, let next = readers.popFirst() else { return nil }
    return (next.reader, events.popFirst())
  }

  /// Somebody waits for the next event, behind those who do already.
  mutating func wait(_ id: UInt64, _ reader: Reader) {
    readers.append((id, reader))
  }

  /// Somebody waits no longer.
  ///
  /// - Returns: who that is; nil when it has been answered.
  mutating func cancelRead(_ id: UInt64) -> Reader? {
    readers.removeFirst { $0.id == id }?.reader
  }
}
