import CatenaSystem
import Foundation
import Promises

/// An asynchronous sequence of the events of a client's calls.
///
/// ```swift
/// let events = networking.events
/// let counting = Task {
///   for await event in events where event.isFinal { count(event) }
/// }
/// ```
///
/// - **Start.** The sequence contains all events of the calls that are created after it, including
///   those before the first iteration.
/// - **Buffer.** It buffers events until they are read, 10,000 by default. When the buffer is full,
///   it drops the oldest event and increments ``droppedCount``. No call waits for a reader.
/// - **End.** It ends when the client has been released and the last of its calls is over. It does
///   not keep the client alive. It also ends in a task that is cancelled.
/// - **Readers.** Each ``Networking/events`` is an independent sequence with all events. Several
///   loops over the same sequence share its events: each event goes to one of them.
///
/// The subscription ends when the sequence and its iterators have been released.
public struct NetworkEvents: AsyncSequence, Sendable {
  /// The type of the elements: an event.
  public typealias Element = NetworkEvent
  /// The sequence does not throw.
  public typealias Failure = Never

  let subscription: EventSubscription

  /// The number of events dropped so far because they were not read in time.
  public var droppedCount: Int { subscription.buffer.droppedCount }

  /// Creates an iterator that reads from the buffer of the sequence.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// An iterator that reads from the buffer of its sequence.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: EventSubscription

    /// Returns the next event.
    ///
    /// Waits if the buffer is empty.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The event. `nil` at the end of the sequence, or if the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> NetworkEvent? {
      await subscription.buffer.next(isolation: actor)
    }

    /// Returns the next event, on systems before macOS 15 and iOS 18.
    ///
    /// - Returns: The event, as from ``next(isolation:)``.
    @_disfavoredOverload
    public mutating func next() async -> NetworkEvent? { await next(isolation: nil) }
  }
}

/// The subscription of a sequence and its iterators.
///
/// It ends when the last of them is released.
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

/// An event sink that fills the buffer of a sequence.
///
/// The client and its calls hold the sink. Its release ends the sequence.
final class EventBufferSink: EventSink {
  private let buffer: EventBuffer

  init(_ buffer: EventBuffer) {
    self.buffer = buffer
  }

  deinit {
    buffer.finish()
  }

  let bodyLimit = 0

  func enqueue(_ event: NetworkEvent, _ body: Data?) { buffer.add(event) }

  func deliver() { buffer.deliver() }

  /// The buffer has the events; its readers take them when they ask for them.
  func whenDelivered(_ action: @escaping @Sendable () -> Void) { action() }
}

/// A thread-safe buffer of events with asynchronous readers.
final class EventBuffer: Sendable {
  private typealias Reader = TaskContinuation<NetworkEvent?>

  private let machine: Mutex<EventBufferMachine<Reader>>

  init(limit: Int) {
    machine = Mutex(EventBufferMachine(limit: limit))
  }

  var droppedCount: Int { machine.withLock { $0.dropped } }

  func add(_ event: NetworkEvent) { machine.withLock { $0.add(event) } }

  func finish() {
    machine.withLock { $0.finish() }
    deliver()
  }

  /// Resumes the readers that can receive an event or the end.
  func deliver() {
    while let (reader, event) = machine.withLock({ $0.nextPendingRead() }) {
      reader.resume(returning: event)
    }
  }

  /// Returns the next event; `nil` at the end of the sequence, or if the task is cancelled.
  func next(isolation: isolated (any Actor)?) async -> NetworkEvent? {
    let id = machine.withLock { $0.makeID() }
    let event = await withTaskCancellationHandler {
      await TaskContinuation.wait(isolation: isolation) { reader in
        machine.withLock { $0.wait(id, reader) }
        // The cancellation handler may have run before the reader was registered.
        if Task.isCancelled { cancelRead(id) }
        deliver()
      }
    } onCancel: {
      cancelRead(id)
    }
    // On the reader's thread.
    return event?.redacted()
  }

  private func cancelRead(_ id: UInt64) {
    machine.withLock { $0.cancelRead(id) }?.resume(returning: nil)
  }
}

/// The state machine of an event buffer: the unread events and the waiting readers.
struct EventBufferMachine<Reader> {
  /// A reader and its event.
  ///
  /// The event is `nil` at the end of the sequence.
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

  /// Appends an event.
  ///
  /// Drops the oldest event if the buffer is full.
  mutating func add(_ event: NetworkEvent) {
    events.append(event)
    guard count > limit else { return }
    _ = events.popFirst()
    dropped += 1
  }

  /// Ends the sequence after the buffered events.
  mutating func finish() {
    isFinished = true
  }

  /// Removes the first waiting reader that can be resumed; `nil` if there is none.
  mutating func nextPendingRead() -> PendingRead? {
    guard isFinished || count > 0, let next = readers.popFirst() else { return nil }
    return (next.reader, events.popFirst())
  }

  /// Appends a reader to the waiting readers.
  mutating func wait(_ id: UInt64, _ reader: Reader) { readers.append((id, reader)) }

  /// Removes a waiting reader.
  ///
  /// - Returns: The reader. `nil` if it has already been resumed.
  mutating func cancelRead(_ id: UInt64) -> Reader? { readers.removeFirst { $0.id == id }?.reader }
}

extension NetworkEvents: BrieflyDescribed {}
