/// How many repetitions a client allows itself over all its calls, so that an outage is not multiplied.
///
/// It is a bucket of tokens, full at first. Each repetition takes one token, and each answer that need
/// not be repeated gives back a part of one. With no whole token left nothing is tried again, whatever
/// the policies say, until answers have come: so against a server that is down the repetitions are at
/// most ``capacity`` in all, and against one that fails now and then about ``refund`` of the answers.
///
/// Finagle's retry budgets and gRPC's retry throttling work this way; gRPC counts failures rather than
/// repetitions and stops at half a bucket.
///
/// Source: gRPC proposal A6, throttling retry attempts.
public struct RetryBudget: Sendable, Hashable {
  /// How many tokens the bucket holds; none is no repetition at all.
  public var capacity: Int
  /// What part of a token an answer gives back, to a thousandth.
  public var refund: Double

  /// Makes a budget.
  ///
  /// - Parameters:
  ///   - capacity: how many tokens the bucket holds.
  ///   - refund: what part of a token an answer gives back.
  public init(capacity: Int = 10, refund: Double = 0.1) {
    self.capacity = capacity
    self.refund = refund
  }
}
