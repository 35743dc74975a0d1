/// The limit for the retries of all calls of a client together, so that retries do not multiply the
/// load of an outage.
///
/// It is a token bucket, which starts full. Each retry takes one token. Each response that is not
/// retried adds a part of a token. Without a whole token no request is retried, regardless of its
/// policy. A server that is down therefore receives at most ``capacity`` retries in all; one that
/// fails occasionally receives retries for about ``refund`` of the responses.
///
/// Finagle's retry budgets and gRPC's retry throttling work in a similar way. gRPC counts failures
/// instead of retries, and stops at half a bucket.
///
/// Source: gRPC proposal A6, throttling retry attempts.
public struct RetryBudget: Sendable, Hashable {
  /// The size of the bucket, in tokens.
  ///
  /// 0 disables retries.
  public var capacity: Int
  /// The part of a token that a response adds, rounded to a thousandth.
  public var refund: Double

  /// Makes a budget.
  ///
  /// - Parameters:
  ///   - capacity: The size of the bucket, in tokens.
  ///   - refund: The part of a token that a response adds.
  public init(capacity: Int = 10, refund: Double = 0.1) {
    self.capacity = capacity
    self.refund = refund
  }
}
