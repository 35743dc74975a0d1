#if canImport(Combine)
  import CatenaSystem
  public import Combine
  public import Promises

  extension Publisher where Output: Sendable {
    /// Returns a promise for the first value of this publisher.
    ///
    /// The subscription starts immediately, requests one value, and is cancelled after it. It is also
    /// cancelled when the promise is cancelled or loses its last consumer.
    ///
    /// - Parameters:
    ///   - context: The context of the promise.
    ///   - file: The source file of the caller, for diagnostics.
    ///   - line: The source line of the caller, for diagnostics.
    /// - Returns: The promise. It is rejected with the failure of the publisher, with
    ///   ``PromiseError/missingValue`` if the publisher finishes without a value, or with
    ///   ``PromiseError/abandoned`` if it releases its subscriber.
    public func promise(
      on context: ExecutionContext = .main, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Output> {
      let (promise, resolver) = Promise<Output>.pending(on: context, file: file, line: line)
      let subscriber = FirstValue<Output, Failure>(resolver)
      // Weak, so that the promise is rejected if the publisher releases its subscriber.
      resolver.onCancel { [weak subscriber] in subscriber?.cancel() }
      subscribe(subscriber)
      return promise
    }

    /// Returns a promise for all values of this publisher, in order, after it has finished.
    ///
    /// The values are kept in memory. The subscription starts immediately, and is cancelled when the
    /// promise is cancelled or loses its last consumer.
    ///
    /// - Parameters:
    ///   - context: The context of the promise.
    ///   - file: The source file of the caller, for diagnostics.
    ///   - line: The source line of the caller, for diagnostics.
    /// - Returns: The promise. It is rejected with the failure of the publisher, or with
    ///   ``PromiseError/abandoned`` if the publisher releases its subscriber.
    public func promiseOfAll(
      on context: ExecutionContext = .main, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<[Output]> {
      collect().promise(on: context, file: file, line: line)
    }
  }

  /// A subscriber that fulfills a promise with the first value.
  ///
  /// `@unchecked Sendable` because `state` is protected by its lock.
  private final class FirstValue<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    /// `@unchecked Sendable` because a subscription may be cancelled and requested on any thread, although its
    /// type is not marked as `Sendable`.
    private struct State: @unchecked Sendable {
      var subscription: (any Subscription)?
      var resolver: Resolver<Input>?
    }

    private let state: Mutex<State>

    init(_ resolver: Resolver<Input>) {
      state = Mutex(State(resolver: resolver))
    }

    func receive(subscription: any Subscription) {
      // `nonisolated(unsafe)` because any thread may use a subscription.
      nonisolated(unsafe) let subscription = subscription
      let isWanted = state.withLock { state in
        guard state.resolver != nil, state.subscription == nil else { return false }
        state.subscription = subscription
        return true
      }
      if isWanted { subscription.request(.max(1)) } else { subscription.cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      let taken = take()
      taken.subscription?.cancel()
      taken.resolver?.fulfill(input)
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      let resolver = take().resolver
      switch completion {
      case .finished: resolver?.reject(PromiseError.missingValue)
      case .failure(let error): resolver?.reject(error)
      }
    }

    func cancel() {
      take().subscription?.cancel()
    }

    private func take() -> State {
      state.withLock { state in
        defer { state = State() }
        return state
      }
    }
  }
#endif
