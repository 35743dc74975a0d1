extension Promise {
  /// The same promise with another default for the handlers attached from here on.
  ///
  /// ```swift
  /// download.on(.queue(parsing)).then(parse).then(index).on(.main).done(show)
  /// ```
  ///
  /// - Parameters:
  ///   - context: where handlers run that name no context of their own, here and down the chain.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise with this one's outcome, that carries `context`.
  public func on(
    _ context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let next = Promise(
      waitingFor: isSettled ? nil : self, on: self.context.replaced(by: context),
      at: CallSite(file, line))
    follow(with: next)
    return next
  }

  /// Has `next` settle as this promise does.
  ///
  /// - Parameters:
  ///   - next: settles after this one.
  ///   - moment: called in between; it is called, too, where somebody else has settled `next`.
  func follow(with next: Promise, after moment: Job? = nil) {
    guard let moment else {
      return attach(.everything, Reaction(for: next) { Promise.from($1).settle(like: .from($0)) })
    }
    attach(
      .everything,
      Reaction(for: nil) { settled, _ in
        moment()
        if next.settle(like: .from(settled)) { Trampoline.deliver(next) }
        return false
      })
  }
}
