#if canImport(Combine)
  public import Combine

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
      let consumer = promise.on(.inline)
      Future<Output, any Error> { complete in
        // The promise calls it once, and the lock of the future protects its state.
        nonisolated(unsafe) let complete = complete
        consumer.always(on: .inline) { complete($0) }
      }
      .handleEvents(receiveCancel: { consumer.cancel() })
      .receive(subscriber: subscriber)
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
#endif
