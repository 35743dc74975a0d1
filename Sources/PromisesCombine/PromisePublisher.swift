#if canImport(Combine)
  import CatenaSystem
  public import Combine
  public import Promises

  /// A publisher of the outcome of a promise: one value and the end, or a failure.
  ///
  /// - Each subscription is a consumer of the promise, like a task that awaits ``Promise/value``. The
  ///   cancellation of a subscription cancels the promise only if it has no other consumers.
  /// - A value that arrives before there is demand is kept. A failure needs no demand.
  /// - Values and completions are delivered on the thread that settles the promise, or within
  ///   `request(_:)` if the promise has settled before. `receive(on:)` moves them to another thread.
  /// - If the promise is cancelled, the failure is a `CancellationError`.
  public struct PromisePublisher<Output: Sendable>: Publisher, Sendable {
    /// The error of the promise.
    public typealias Failure = any Error

    private let promise: Promise<Output>

    init(_ promise: Promise<Output>) {
      self.promise = promise
    }

    /// Starts a subscription.
    ///
    /// - Parameter subscriber: The subscriber. It receives one value at most.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == any Error {
      PromiseSubscription(to: promise, for: AnySubscriber(subscriber)).start()
    }
  }

  extension Promise where Value: Sendable {
    /// A publisher of the outcome of this promise.
    ///
    /// ```swift
    /// networking.request(.boards).decode([Board].self).publisher
    ///   .receive(on: DispatchQueue.main)
    ///   .sink(receiveCompletion: { _ in }, receiveValue: { boards = $0 })
    ///   .store(in: &cancellables)
    /// ```
    public var publisher: PromisePublisher<Value> { PromisePublisher(self) }
  }

  /// A subscription to a promise.
  ///
  /// `@unchecked Sendable` because `downstream`, which is not `Sendable`, is protected by the phases of
  /// `delivery`: only the thread that has moved it to the next phase, under its lock, calls `downstream`.
  private final class PromiseSubscription<Output: Sendable>: Subscription, @unchecked Sendable {
    private let delivery = Mutex(SingleDelivery<Output>())
    private let downstream: AnySubscriber<Output, any Error>
    /// The promise of this subscription alone, whose cancellation does not affect other consumers.
    private let consumer: Promise<Output>

    init(to promise: Promise<Output>, for downstream: AnySubscriber<Output, any Error>) {
      self.downstream = downstream
      consumer = promise.on(.inline)
    }

    func start() {
      downstream.receive(subscription: self)
      consumer.always(on: .inline) { [self] result in
        switch result {
        case .success(let value):
          if let value = delivery.withLock({ $0.settle(value) }) { deliver(value) }
        case .failure(let error): complete(.failure(error))
        }
      }
    }

    func request(_ demand: Subscribers.Demand) {
      guard demand > .none else { return }
      if let value = delivery.withLock({ $0.request() }) { deliver(value) }
    }

    func cancel() {
      _ = delivery.withLock { $0.end() }
      consumer.cancel()
    }

    private func deliver(_ value: Output) {
      _ = downstream.receive(value)
      complete(.finished)
    }

    private func complete(_ completion: Subscribers.Completion<any Error>) {
      if delivery.withLock({ $0.end() }) { downstream.receive(completion: completion) }
    }
  }
#endif
