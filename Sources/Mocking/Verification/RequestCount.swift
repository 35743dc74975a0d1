/// How many requests a verification expects.
public struct RequestCount: Sendable, Hashable {
  let least: Int
  /// Nil is without end.
  let most: Int?

  /// So many.
  ///
  /// - Parameter count: how many.
  /// - Returns: the expectation.
  public static func exactly(_ count: Int) -> RequestCount {
    RequestCount(least: count, most: count)
  }

  /// So many or more.
  ///
  /// - Parameter count: how many.
  /// - Returns: the expectation.
  public static func atLeast(_ count: Int) -> RequestCount {
    RequestCount(least: count, most: nil)
  }

  /// So many or fewer, even none.
  ///
  /// - Parameter count: how many.
  /// - Returns: the expectation.
  public static func atMost(_ count: Int) -> RequestCount {
    RequestCount(least: 0, most: count)
  }

  /// As many as a range has it.
  ///
  /// - Parameter range: how many, both ends included.
  /// - Returns: the expectation.
  public static func between(_ range: ClosedRange<Int>) -> RequestCount {
    RequestCount(least: range.lowerBound, most: range.upperBound)
  }

  /// None.
  public static let never = RequestCount.exactly(0)

  func contains(_ count: Int) -> Bool {
    count >= least && count <= most ?? .max
  }
}

extension RequestCount: CustomStringConvertible {
  /// What is expected, such as `exactly 2 requests`.
  public var description: String {
    func requests(_ count: Int) -> String { count == 1 ? "1 request" : "\(count) requests" }
    guard let most else { return "at least \(requests(least))" }
    if most == least { return least == 0 ? "no request" : "exactly \(requests(least))" }
    return least == 0 ? "at most \(requests(most))" : "\(least) to \(requests(most))"
  }
}
