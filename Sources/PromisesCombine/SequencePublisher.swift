#if canImport(Combine)
  import CatenaSystem
  public import Combine
  import Promises

  /// A publisher of the elements of an asynchronous sequence.
  ///
  /// - Each subscription iterates the sequence from its start, in a task of its own.
  /// - An element is read only after demand for it. A slow subscriber thus slows down the source, if the
  ///   sequence supports it. The end of the sequence is found, and delivered, only after demand for one
  ///   element more.
  /// - Elements are delivered one at a time, on a thread of the task. `receive(on:)` moves them to another
  ///   thread.
  /// - The cancellation of a subscription cancels its task. Nothing is delivered afterwards.
  ///
  /// Earlier systems do not know the type of the errors of a sequence.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  public struct SequencePublisher<Base: AsyncSequence & Sendable>: Publisher, Sendable {
    /// An element of the sequence.
    public typealias Output = Base.Element
    /// The error of the sequence.
    public typealias Failure = Base.Failure

    private let base: Base

    init(_ base: Base) {
      self.base = base
    }

    /// Starts a subscription.
    ///
    /// - Parameter subscriber: The subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let feed = SequenceFeed<Base>(AnySubscriber(subscriber))
      subscriber.receive(subscription: SequenceSubscription(feed))
      feed.start(base)
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  extension AsyncSequence where Self: Sendable {
    /// A publisher of the elements of this sequence.
    ///
    /// ```swift
    /// transfer.progress.publisher
    ///   .receive(on: DispatchQueue.main)
    ///   .sink { bar.fraction = $0.fraction ?? 0 }
    ///   .store(in: &cancellables)
    /// ```
    ///
    /// Requires macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
  }

  /// The subscription of a ``SequencePublisher``.
  ///
  /// Its release ends the iteration if no element is wanted, because none can be requested any more.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private final class SequenceSubscription<Base: AsyncSequence & Sendable>: Subscription {
    private let feed: SequenceFeed<Base>

    init(_ feed: SequenceFeed<Base>) {
      self.feed = feed
    }

    deinit {
      feed.release()
    }

    func request(_ demand: Subscribers.Demand) { feed.request(demand) }
    func cancel() { feed.cancel() }
  }

  /// The task that reads a sequence for a subscriber.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  // `@unchecked Sendable` because `downstream` is protected by the task, which alone calls it, and the
  // rest by locks. Subscribers are not `Sendable`.
  private final class SequenceFeed<Base: AsyncSequence & Sendable>: @unchecked Sendable {
    private let delivery = Mutex(SequenceDelivery())
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let downstream: AnySubscriber<Base.Element, Base.Failure>

    init(_ downstream: AnySubscriber<Base.Element, Base.Failure>) {
      self.downstream = downstream
    }

    func start(_ base: Base) {
      let task = Task { await run(base) }
      self.task.withLock { $0 = task }
      // It may have been cancelled before it was known.
      if delivery.withLock({ $0.isEnded }) { task.cancel() }
    }

    func request(_ demand: Subscribers.Demand) {
      delivery.withLock { $0.request(demand.max) }?(true)
    }

    func cancel() {
      let (_, waiter) = delivery.withLock { $0.end() }
      task.withLock { $0 }?.cancel()
      waiter?(false)
    }

    func release() {
      if delivery.withLock({ $0.isIdle }) { cancel() }
    }

    private func run(_ base: Base) async {
      var iterator = base.makeAsyncIterator()
      do throws(Base.Failure) {
        while await isNextWanted() {
          guard let element = try await iterator.next(isolation: nil) else {
            return complete(.finished)
          }
          guard delivery.withLock({ !$0.isEnded }) else { return }
          request(downstream.receive(element))
        }
      } catch {
        complete(.failure(error))
      }
    }

    private func isNextWanted() async -> Bool {
      await withCheckedContinuation { continuation in
        let isWanted = delivery.withLock { delivery in
          delivery.next { continuation.resume(returning: $0) }
        }
        if let isWanted { continuation.resume(returning: isWanted) }
      }
    }

    private func complete(_ completion: Subscribers.Completion<Base.Failure>) {
      if delivery.withLock({ $0.end().isFirst }) { downstream.receive(completion: completion) }
    }
  }
#endif
