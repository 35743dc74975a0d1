import Promises

extension RetryPolicy {
  /// Tries nothing again.
  public static let never = RetryPolicy.immediate(limit: 0)

  /// Tries again at once.
  ///
  /// - Parameter limit: how many times at the most.
  /// - Returns: the policy.
  public static func immediate(limit: Int) -> RetryPolicy {
    RetryPolicy(RetrySchedule.immediate(limit: limit))
  }

  /// Tries again after the same time each time.
  ///
  /// - Parameters:
  ///   - delay: how long to wait.
  ///   - limit: how many times at the most.
  /// - Returns: the policy.
  public static func delayed(_ delay: Duration, limit: Int) -> RetryPolicy {
    RetryPolicy(RetrySchedule.delayed(delay, limit: limit))
  }

  /// Waits longer each time, and not quite as long as everybody else.
  ///
  /// - Parameters:
  ///   - initial: the computed time before the first repetition.
  ///   - multiplier: how much longer each is than the one before.
  ///   - cap: what a computed time is never above.
  ///   - jitter: how a time is spread once it has been computed.
  ///   - limit: how many times at the most.
  /// - Returns: the policy.
  public static func exponential(
    initial: Duration, multiplier: Double = 2, cap: Duration = .seconds(60),
    jitter: RetrySchedule.Jitter = .equal, limit: Int
  ) -> RetryPolicy {
    RetryPolicy(
      RetrySchedule.exponential(
        initial: initial, multiplier: multiplier, cap: cap, jitter: jitter, limit: limit))
  }
}
