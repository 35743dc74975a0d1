/// One time that a request was sent, or tried to be, in the course of a call.
public struct Attempt: Sendable {
  /// What came of it.
  public enum Outcome: Sendable {
    /// A response of this status.
    case status(Int)
    /// This error, and no response.
    case failure(any Error)
    /// Nothing yet, when the call ended.
    case unfinished
  }

  /// Its number in the call, from 1.
  public let number: Int
  /// How long was waited before it; nothing before the first.
  public let delay: Duration
  /// How long it took, without ``delay``.
  public let duration: Duration
  /// What came of it.
  public let outcome: Outcome

  /// Makes an account of an attempt, for tests and for interceptors that answer themselves.
  ///
  /// - Parameters:
  ///   - number: its number in the call, from 1.
  ///   - delay: how long was waited before it.
  ///   - duration: how long it took.
  ///   - outcome: what came of it.
  public init(
    number: Int, delay: Duration = .zero, duration: Duration = .zero, outcome: Outcome
  ) {
    self.number = number
    self.delay = delay
    self.duration = duration
    self.outcome = outcome
  }
}
