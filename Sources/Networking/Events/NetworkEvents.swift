/// What happens to a client's calls, as an asynchronous sequence.
///
/// ```swift
/// let events = networking.events
/// let watching = Task {
///   for await event in events where event.isEnd { count(event) }
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
