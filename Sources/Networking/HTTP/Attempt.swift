/// One attempt of a call to send its request.
public struct Attempt: Sendable {
  /// The outcome of an attempt.
  public enum Outcome: Sendable {
    /// A response with this status.
    case status(Int)
    /// An error.
    case failure(any Error)
    /// The attempt had not ended when the call ended.
    case unfinished
  }

  /// The number of the attempt in the call, from 1.
  public let number: Int
  /// The delay before the attempt.
  ///
  /// 0 for the first attempt.
  public let delay: Duration
  /// The duration of the attempt, without ``delay``.
  public let duration: Duration
  /// The outcome of the attempt.
  public let outcome: Outcome

  /// The status of the response of the attempt.
  ///
  /// `nil` if the attempt has none.
  public var status: Int? { if case .status(let status) = outcome { status } else { nil } }

  /// The error of the attempt.
  ///
  /// `nil` if the attempt has a response, or had not ended.
  public var error: (any Error)? { if case .failure(let error) = outcome { error } else { nil } }

  /// Creates an attempt, for tests and for interceptors that return their own responses.
  ///
  /// - Parameters:
  ///   - number: The number of the attempt in the call, from 1.
  ///   - delay: The delay before the attempt.
  ///   - duration: The duration of the attempt.
  ///   - outcome: The outcome of the attempt.
  public init(
    number: Int, delay: Duration = .zero, duration: Duration = .zero, outcome: Outcome
  ) {
    self.number = number
    self.delay = delay
    self.duration = duration
    self.outcome = outcome
  }
}
