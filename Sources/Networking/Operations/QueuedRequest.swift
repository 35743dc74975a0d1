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
  /// - Parameters:
  ///   - isOrdered: whether `whenOver` has to wait until the handlers of the promise have run or are on
  ///     their way, so that what the next request comes to does not overtake them; otherwise it comes
  ///     before them.
  ///   - whenOver: called when the answer is there; maybe at once.
  /// - Returns: whether it has been started; otherwise `whenOver` is not called.
  func start(isOrdered: Bool, whenOver: @escaping @Sendable () -> Void) -> Bool {
    guard !resolver.isSettled else { return false }
    let answer = begin()
    if isOrdered {
      resolver.resolve(answer)
      answer.trailing(whenOver)
    } else {
      answer.always(on: .inline) { _ in whenOver() }
      resolver.resolve(answer)
    }
    return true
  }

  func cancel() {
    promise.cancel()
  }
}
