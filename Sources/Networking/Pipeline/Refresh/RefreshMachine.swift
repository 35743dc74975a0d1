import Promises

/// One refresh at a time, for however many callers.
///
/// Epochs are numbered by the refreshes that have ended, well or badly. A caller notes the epoch before
/// it is sent. When it is refused later in the same epoch a refresh is due; in a later one a refresh has
/// been tried since, and its outcome is the caller's as well.
struct RefreshMachine {
  /// What a refused caller is to do.
  enum Action {
    /// Start a refresh, under this number, and wait for it.
    case start(number: Int)
    /// Wait for the one under way.
    case join(Promise<Void>)
    /// Go again: there has been one meanwhile.
    case resend
    /// Fail: there has been one meanwhile, and it failed with this.
    case fail(any Error)
  }

  /// How many refreshes have ended.
  private(set) var epoch = 0
  private var number = 0
  private var current: Promise<Void>?
  private var failure: (any Error)?

  /// Whether the refresh of a number has begun and not ended.
  func isUnderWay(_ number: Int) -> Bool { current != nil && number == self.number }

  /// A caller was refused that had been sent in an epoch.
  ///
  /// - Parameters:
  ///   - epoch: when it was sent.
  ///   - promise: makes the promise that those who join wait for, when a refresh is to be started.
  /// - Returns: what the caller is to do.
  mutating func refused(sentIn epoch: Int, _ promise: () -> Promise<Void>) -> Action {
    guard epoch == self.epoch else { return failure.map(Action.fail) ?? .resend }
    if let current { return .join(current) }
    number += 1
    current = promise()
    return .start(number: number)
  }

  /// A refresh has ended; one that is not under way any more says nothing.
  mutating func ended(_ number: Int, _ failure: (any Error)?) {
    guard number == self.number, current != nil else { return }
    current = nil
    epoch += 1
    self.failure = failure
  }

  /// All who waited for a refresh have gone, so that it was broken off: the next caller starts another.
  mutating func abandoned(_ number: Int) {
    if number == self.number { current = nil }
  }
}
