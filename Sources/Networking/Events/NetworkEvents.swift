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
  public var droppedCount: Int { subscription.queue.droppedCount }

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
      await subscription.queue.next(isolation: actor)
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
  let queue: EventQueue
  private let onEnd: @Sendable () -> Void

  init(_ queue: EventQueue, onEnd: @escaping @Sendable () -> Void) {
    self.queue = queue
    self.onEnd = onEnd
  }

  deinit {
    onEnd()
  }
}

extension NetworkEvents: BrieflyDescribed {}
