/// The number of requests that a verification expects.
public struct RequestCount: Sendable, Hashable {
  let minimum: Int
  /// The maximum, or `nil` if there is none.
  let maximum: Int?

  /// Expects an exact number of requests.
  ///
  /// - Parameter count: The number of requests.
  /// - Returns: The expected number.
  public static func exactly(_ count: Int) -> RequestCount {
    RequestCount(minimum: count, maximum: count)
  }

  /// Expects a number of requests or more.
  ///
  /// - Parameter count: The smallest number of requests.
  /// - Returns: The expected number.
  public static func atLeast(_ count: Int) -> RequestCount {
    RequestCount(minimum: count, maximum: nil)
  }

  /// Expects a number of requests or fewer, including none.
  ///
  /// - Parameter count: The largest number of requests.
  /// - Returns: The expected number.
  public static func atMost(_ count: Int) -> RequestCount {
    RequestCount(minimum: 0, maximum: count)
  }

  /// Expects a number of requests within a range.
  ///
  /// - Parameter range: The smallest and the largest number of requests.
  /// - Returns: The expected number.
  public static func between(_ range: ClosedRange<Int>) -> RequestCount {
    RequestCount(minimum: range.lowerBound, maximum: range.upperBound)
  }

  /// No request.
  public static let never = RequestCount.exactly(0)

  func contains(_ count: Int) -> Bool {
    count >= minimum && count <= maximum ?? .max
  }
}

extension RequestCount: CustomStringConvertible {
  /// The expected number in words, such as `exactly 2 requests`.
  public var description: String {
    func requests(_ count: Int) -> String { count == 1 ? "1 request" : "\(count) requests" }
    guard let maximum else { return "at least \(requests(minimum))" }
    if maximum == minimum { return minimum == 0 ? "no request" : "exactly \(requests(minimum))" }
    return minimum == 0 ? "at most \(requests(maximum))" : "\(minimum) to \(requests(maximum))"
  }
}
