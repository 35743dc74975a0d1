import Networking
import Promises

/// The default rules for connecting again after a stream of events has ended.
///
/// The server can replace ``delay`` by a `retry` field, which is raised to 500 milliseconds, or to
/// ``delay`` if that is shorter. The delay doubles with each failure in a row, up to ``maximumDelay``,
/// and starts again after an event. It is never less than 100 milliseconds, whatever the client and
/// the server set, and never less than the `Retry-After` of a response with a temporary failure. A
/// `Retry-After` above ``maximumDelay`` ends the stream.
struct EventReconnection: Sendable {
  /// The delay before the first attempt, until the server sets another one.
  ///
  /// Less than 100 milliseconds counts as that: a server that closes each connection would otherwise
  /// make its clients connect again without a pause.
  var delay = Duration.seconds(3)
  /// The maximum delay, unless the server sets a longer one.
  var maximumDelay = Duration.seconds(60)
  /// The randomization, which only makes a delay longer: by up to half with `equal`, and by up to the
  /// same time with `full`.
  var jitter = RetrySchedule.Jitter.equal
  /// The maximum number of failures in a row.
  var limit = Int.max

  /// The minimum of the server's delay, unless the client's own delay is shorter.
  ///
  /// Browsers have similar limits.
  private static let minimumServerDelay = Duration.milliseconds(500)
  /// The minimum of the client's own delay.
  ///
  /// Twice a delay of zero is zero, and a delay starts again after each event. So there would be no
  /// pause between the connections to a server that sends one event and closes.
  private static let minimumDelay = Duration.milliseconds(100)

  /// Returns the delay before an attempt.
  ///
  /// - Parameters:
  ///   - number: The number of the failure in a row, from 1.
  ///   - serverDelay: The time of the server's `retry` field, if there was one.
  ///   - random: A number from 0 to 1.
  /// - Returns: The delay. `nil` beyond the limit.
  func delay(
    beforeAttempt number: Int, serverDelay: Duration?, random: Double = .random(in: 0...1)
  ) -> Duration? {
    let ownDelay = max(delay, Self.minimumDelay)
    let initial = max(serverDelay ?? ownDelay, min(ownDelay, Self.minimumServerDelay))
    let schedule = RetrySchedule.exponential(
      initial: initial, cap: max(initial, maximumDelay), jitter: .none, limit: limit)
    let error = NetworkError(.connectionLost)
    guard let delay = schedule.delay(beforeRetry: number, after: error) else { return nil }
    return switch jitter {
    case .none: delay
    case .equal: delay + delay / 2 * random
    case .full: delay + delay * random
    }
  }

  /// Returns the delay of a retry policy, raised to that of the server and to the minimum.
  static func bounded(_ delay: Duration, serverDelay: Duration?) -> Duration {
    max(delay, serverDelay ?? .zero, minimumDelay)
  }
}
