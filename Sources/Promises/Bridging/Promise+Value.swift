extension Promise {
  /// Awaits the value.
  ///
  /// ```swift
  /// let board = try await fetch(board: 7).value
  /// ```
  ///
  /// The task is a consumer of the promise like any other: when it is cancelled while it waits it gets
  /// a `CancellationError` at once, and the promise is cancelled unless somebody else waits for it.
  /// The task goes on wherever its own actor says, not in the promise's context.
  ///
  /// - Throws: the promise's error.
  public var value: Value {
    get async throws { try await result.get() }
  }

  /// Awaits the outcome, without throwing.
  ///
  /// It counts as handling a rejection. Of cancellation the same holds as for ``value``: the result is
  /// then a failure with `CancellationError`.
  public var result: Result<Value, any Error> {
    get async {
      if isDelivered {
        isHandled.store(true, ordering: .relaxed)
        return outcome
      }
      // A promise of the task's own, by which it can leave without taking the others along.
      let mine = derived(at: site) as Promise
      follow(with: mine)
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          mine.observe(.rejection) { continuation.resume(returning: $0.outcome) }
        }
      } onCancel: {
        mine.cancel()
      }
    }
  }
}
