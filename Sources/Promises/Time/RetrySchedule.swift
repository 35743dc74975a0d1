import Foundation

/// The number of retries, the delays between them and the errors to retry.
///
/// ```swift
/// .exponential(initial: .seconds(1), cap: .seconds(30), limit: 5).when { $0 is TemporaryError }
/// ```
///
/// The limit counts retries: a limit of 3 allows four attempts in total. A cancellation is never
/// retried.
public struct RetrySchedule: Sendable {
  /// The randomization of delays, which prevents clients that fail together from retrying together.
  public enum Jitter: Sendable {
    /// The computed delay, without randomization.
    case none
    /// A random delay between half the computed delay and the computed delay.
    case equal
    /// A random delay between zero and the computed delay.
    case full
  }

  /// The maximum number of retries.
  ///
  /// Zero disables retries.
  public var limit: Int

  private let delay: @Sendable (_ retryNumber: Int, _ error: any Error) -> Duration?
  private var isRetryable: @Sendable (_ retriesLeft: Int, _ error: any Error) -> Bool = { _, _ in
    true
  }
  private var jitter = Jitter.none
  private var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }

  /// Returns a schedule that retries immediately.
  ///
  /// - Parameter limit: The maximum number of retries.
  /// - Returns: The schedule.
  public static func immediate(limit: Int) -> RetrySchedule {
    RetrySchedule(limit: limit) { _, _ in .zero }
  }

  /// Returns a schedule with a constant delay.
  ///
  /// - Parameters:
  ///   - delay: The delay before each retry.
  ///   - limit: The maximum number of retries.
  /// - Returns: The schedule.
  public static func delayed(_ delay: Duration, limit: Int) -> RetrySchedule {
    RetrySchedule(limit: limit) { _, _ in delay }
  }

  /// Returns a schedule with growing delays: `initial`, `initial` times `multiplier`, and so on.
  ///
  /// - Parameters:
  ///   - initial: The computed delay before the first retry. Zero or a negative value disables all
  ///     delays.
  ///   - multiplier: The ratio of each computed delay to the previous one.
  ///   - cap: The maximum computed delay.
  ///   - jitter: The randomization of computed delays.
  ///   - limit: The maximum number of retries.
  /// - Returns: The schedule.
  public static func exponential(
    initial: Duration, multiplier: Double = 2, cap: Duration = .seconds(60),
    jitter: Jitter = .equal, limit: Int
  ) -> RetrySchedule {
    var schedule = RetrySchedule(limit: limit) { retryNumber, _ in
      // The power is infinite after enough retries, and zero times infinity is not a number.
      guard initial > .zero else { return .zero }
      let time = initial / .seconds(1) * pow(multiplier, Double(retryNumber - 1))
      // Compared as numbers, because not every number is a duration.
      return time < cap / .seconds(1) ? .seconds(max(0, time)) : cap
    }
    schedule.jitter = jitter
    return schedule
  }

  /// Returns a schedule that computes each delay with a closure.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of retries.
  ///   - delay: The closure that receives the number of the retry, from 1, and the error of the
  ///     previous attempt. It returns the delay, or `nil` to give up with that error.
  /// - Returns: The schedule.
  public static func custom(
    limit: Int = .max,
    _ delay: @escaping @Sendable (_ retryNumber: Int, _ error: any Error) -> Duration?
  ) -> RetrySchedule {
    RetrySchedule(limit: limit, delay: delay)
  }

  /// Returns a copy of this schedule that retries only some errors.
  ///
  /// After any other error, there is no retry.
  ///
  /// - Parameter isRetryable: The closure that returns whether to retry after an error. If this
  ///   method is called repeatedly, all closures must return `true`.
  /// - Returns: The restricted schedule.
  public func when(
    _ isRetryable: @escaping @Sendable (_ error: any Error) -> Bool
  ) -> RetrySchedule {
    when { _, error in isRetryable(error) }
  }

  /// Returns a copy of this schedule that retries depending on the error and the retries that are
  /// left.
  ///
  /// - Parameter isRetryable: The closure that returns whether to retry after an error. It receives
  ///   the number of retries that the limit still allows, at least 1, which includes the one in
  ///   question. If this method is called repeatedly, all closures must return `true`.
  /// - Returns: The restricted schedule.
  public func when(
    _ isRetryable: @escaping @Sendable (_ retriesLeft: Int, _ error: any Error) -> Bool
  ) -> RetrySchedule {
    var copy = self
    copy.isRetryable = { [previous = self.isRetryable] retriesLeft, error in
      previous(retriesLeft, error) && isRetryable(retriesLeft, error)
    }
    return copy
  }

  /// Returns a copy of this schedule with another random number generator, for tests.
  ///
  /// - Parameter random: The closure that returns a number in the given range.
  /// - Returns: The schedule with that generator.
  public func randomized(
    by random: @escaping @Sendable (_ range: ClosedRange<Double>) -> Double
  ) -> RetrySchedule {
    var copy = self
    copy.random = random
    return copy
  }

  /// Returns the delay before a retry.
  ///
  /// - Parameters:
  ///   - retryNumber: The number of the retry, from 1.
  ///   - error: The error of the previous attempt.
  /// - Returns: The delay, with jitter. `nil` to give up.
  public func delay(beforeRetry retryNumber: Int, after error: any Error) -> Duration? {
    guard retryNumber <= limit, !error.isCancellation,
      (error as? any RetryRefusing)?.refusesRetry != true,
      isRetryable(limit - (retryNumber - 1), error),
      let delay = delay(retryNumber, error)
    else { return nil }
    let time = max(delay, .zero)
    switch jitter {
    case .none: return time
    case .equal: return time / 2 + time / 2 * random(0...1)
    case .full: return time * random(0...1)
    }
  }
}
