extension Promise {
  /// What a promise is at one moment.
  ///
  /// Source: Promises/A+ 2.1.
  public enum State: Sendable {
    /// Neither fulfilled nor rejected yet.
    case pending
    /// Has its value, for good.
    case fulfilled(Value)
    /// Has its error, for good.
    case rejected(any Error)
  }

  /// The state at this moment, which may be another by the time it is looked at if it is `pending`.
  ///
  /// Looking does not count as handling a rejection.
  public var state: State {
    guard isSettled else { return .pending }
    if let error { return .rejected(error) }
    return .fulfilled(fulfilledValue)
  }
}
