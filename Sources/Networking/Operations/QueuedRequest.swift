import Promises

/// One request of a client's queue: waiting until its turn, then under way until its promise settles.
final class QueuedRequest: Sendable {
  private let promise: NetworkPromise
  private let resolver: Resolver<Response>
  private let begin: @Sendable () -> NetworkPromise

  /// Makes a request that waits.
  ///
  /// - Parameters:
  ///   - pending: the promise that the caller has, and its resolver.
  ///   - begin: starts the request when its turn has come.
  init(
    _ pending: (promise: NetworkPromise, resolver: Resolver<Response>),
    _ begin: @escaping @Sendable () -> NetworkPromise
  ) {
    promise = pending.promise
    resolver = pending.resolver
    self.begin = begin
  }

  /// Starts the request, unless it was cancelled before its turn.
  ///
  /// - Returns: its answer, which the promise does not follow yet; nil where it was cancelled.
  func start() -> NetworkPromise? {
    resolver.isSettled ? nil : begin()
  }

  /// Has the promise become what the answer is.
  func follow(_ answer: NetworkPromise) {
    resolver.resolve(answer)
  }

  /// The same, and tells when the answer is there.
  ///
  /// - Parameters:
  ///   - answer: what ``start()`` has returned.
  ///   - isOrdered: whether `whenOver` has to wait until the handlers of the promise have run or are on
  ///     their way, so that what the next request comes to does not overtake them; otherwise it comes
  ///     before them.
  ///   - whenOver: called when the answer is there; maybe at once.
  func follow(
    _ answer: NetworkPromise, isOrdered: Bool, whenOver: @escaping @Sendable () -> Void
  ) {
    if isOrdered {
      resolver.resolve(answer)
      answer.trailing(whenOver)
    } else {
      resolver.resolve(answer, after: whenOver)
    }
  }

  func cancel() {
    promise.cancel()
  }
}
