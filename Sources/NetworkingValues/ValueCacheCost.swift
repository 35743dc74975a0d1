/// A limit for the cost of the values in a ``ValueCache``.
///
/// The cost of a decoded response is the number of bytes of its body.
public struct ValueCacheCost: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// The cost.
  public var bytes: Int

  /// Creates a limit.
  ///
  /// - Parameter bytes: The cost.
  public init(bytes: Int) {
    self.bytes = bytes
  }

  /// Creates a limit from a literal.
  ///
  /// - Parameter value: The cost.
  public init(integerLiteral value: Int) {
    bytes = value
  }

  /// Returns a limit in units of 1,024 bytes.
  ///
  /// - Parameter count: The number of units.
  /// - Returns: The limit.
  public static func kilobytes(_ count: Int) -> ValueCacheCost { scaled(count, 1 << 10) }

  /// Returns a limit in units of 1,024 kilobytes.
  ///
  /// - Parameter count: The number of units.
  /// - Returns: The limit.
  public static func megabytes(_ count: Int) -> ValueCacheCost { scaled(count, 1 << 20) }

  private static func scaled(_ count: Int, _ unit: Int) -> ValueCacheCost {
    let (bytes, overflows) = count.multipliedReportingOverflow(by: unit)
    return ValueCacheCost(bytes: overflows ? .max : bytes)
  }
}
