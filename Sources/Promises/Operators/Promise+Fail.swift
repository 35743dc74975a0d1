extension Promise {
  /// Looks at the error, and changes nothing about the promise.
  ///
  /// It counts as handling the rejection, of this promise and of those that it was derived from.
  ///
  /// - Parameters:
  ///   - context: where `handler` runs; the promise's own ``context`` when nil.
  ///   - policy: which errors it is for; a cancellation is not among them unless asked for.
  ///   - handler: gets the error; runs exactly once if the promise is rejected with such an error.
  /// - Returns: this promise, for the next handler.
  @discardableResult
  @inlinable
  public func fail(
    on context: ExecutionContext? = nil, policy: ErrorPolicy = .allErrorsExceptCancellation,
    _ handler: @escaping @Sendable (_ error: any Error) -> Void
  ) -> Promise {
    let context = self.context.adopting(context)
    observe(.rejection) { settled in
      guard let error = settled.error, policy.covers(error) else { return }
      context.run { handler(error) }
    }
    return self
  }

  /// Looks at the error on the main actor: the same for a handler marked `{ @MainActor error in … }`.
  ///
  /// - Parameters:
  ///   - policy: which errors it is for; a cancellation is not among them unless asked for.
  ///   - handler: gets the error, always on the main queue; runs exactly once if the promise is
  ///     rejected with such an error.
  /// - Returns: this promise, for the next handler.
  @discardableResult
  public func fail(
    policy: ErrorPolicy = .allErrorsExceptCancellation,
    _ handler: @escaping @MainActor @Sendable (_ error: any Error) -> Void
  ) -> Promise {
    fail(on: .main, policy: policy) { error in MainActor.assumeIsolated { handler(error) } }
  }
}
