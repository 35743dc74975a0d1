import Foundation

/// How often, when and after which errors something is tried again.
///
/// ```swift
/// .exponential(initial: .seconds(1), cap: .seconds(30), limit: 5).when { $0 is TemporaryError }
/// ```
///
/// A limit counts the repetitions: one of 3 allows four attempts in all. A cancellation is never tried
/// again.
public struct RetrySchedule: Sendable {
  /// How a wait is spread, so that many who failed together do not come back together.
  public enum Jitter: Sendable {
    /// Exactly the computed time.
    case none
    /// Anything between half the computed time and all of it.
    case equal
    /// Anything between nothing and the computed time.
    case full
  }

  /// How many times it is tried again at the most; 0 is never.
  public var limit: Int

  private let delay: @Sendable (_ repetition: Int, _ error: any Error) -> Duration?
  private var isRetryable: @Sendable (_ error: any Error) -> Bool = { _ in true }
  private var jitter = Jitter.none
  private var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }

  /// Tries again at once.
  ///
  /// - Parameter limit: how many times at the most.
  /// - Returns: the schedule.
  public static func immediate(limit: Int) -> RetrySchedule {
    RetrySchedule(limit: limit) { _, _ in .zero }
  }

  /// Tries again after the same time each time.
  ///
  /// - Parameters:
  ///   - delay: how long to wait before each repetition.
  ///   - limit: how many times at the most.
  /// - Returns: the schedule.
  public static func delayed(_ delay: Duration, limit: Int) -> RetrySchedule {
    RetrySchedule(limit: limit) { _, _ in delay }
  }

  /// Waits longer each time: `initial`, then that times `multiplier`, and so on.
  ///
  /// - Parameters:
  ///   - initial: the computed time before the first repetition.
  ///   - multiplier: how much longer each is than the one before.
  ///   - cap: what a computed time is never above.
  ///   - jitter: how a time is spread once it has been computed.
  ///   - limit: how many times at the most.
  /// - Returns: the schedule.
  public static func exponential(
    initial: Duration, multiplier: Double = 2, cap: Duration = .seconds(60),
    jitter: Jitter = .equal, limit: Int
  ) -> RetrySchedule {
    var schedule = RetrySchedule(limit: limit) { repetition, _ in
      let longest = cap.seconds
      let time = initial.seconds * pow(multiplier, Double(repetition - 1))
      return .seconds(min(longest, time))
    }
    schedule.jitter = jitter
    return schedule
  }

  /// Asks each time.
  ///
  /// - Parameters:
  ///   - limit: how many times at the most.
  ///   - delay: gets the number of the repetition, from 1, and the error it follows; returns how long
  ///     to wait, or nil to give up with that error.
  /// - Returns: the schedule.
  public static func custom(
    limit: Int = .max,
    _ delay: @escaping @Sendable (_ repetition: Int, _ error: any Error) -> Duration?
  ) -> RetrySchedule {
    RetrySchedule(limit: limit, delay: delay)
  }

  /// The same schedule for some errors only; others are passed on at once.
  ///
  /// - Parameter isRetryable: says of an error whether to try again; all conditions given this way
  ///   have to hold.
  /// - Returns: the narrower schedule.
  public func when(
    _ isRetryable: @escaping @Sendable (_ error: any Error) -> Bool
  ) -> RetrySchedule {
    var copy = self
    copy.isRetryable = { [before = self.isRetryable] in before($0) && isRetryable($0) }
    return copy
  }

  /// The same schedule with another source of chance, for tests.
  ///
  /// - Parameter random: returns a number in the range that it gets.
  /// - Returns: the schedule with that source.
  public func randomized(
    by random: @escaping @Sendable (_ range: ClosedRange<Double>) -> Double
  ) -> RetrySchedule {
    var copy = self
    copy.random = random
    return copy
  }

  /// Says how long to wait before a repetition.
  ///
  /// - Parameters:
  ///   - repetition: its number, from 1.
  ///   - error: what the attempt before has failed with.
  /// - Returns: the time to wait, jitter included; nil to give up.
  public func delay(beforeRetry repetition: Int, after error: any Error) -> Duration? {
    guard repetition <= limit, !error.isCancellation, isRetryable(error),
      let delay = delay(repetition, error)
    else { return nil }
    let time = max(delay, .zero)
    switch jitter {
    case .none: return time
    case .equal: return time / 2 + time / 2 * random(0...1)
    case .full: return time * random(0...1)
    }
  }

  private init(
    limit: Int, delay: @escaping @Sendable (_ repetition: Int, _ error: any Error) -> Duration?
  ) {
    self.limit = limit
    self.delay = delay
  }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
