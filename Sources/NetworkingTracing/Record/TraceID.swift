/// An identifier of a trace: 128 bits, not zero.
///
/// It is the `trace-id` of a `traceparent` field, and the trace of all exported spans.
///
/// Source: W3C Trace Context section 3.2.2.3.
public struct TraceID: Sendable, Hashable, CustomStringConvertible {
  /// The upper 64 bits.
  public let high: UInt64
  /// The lower 64 bits.
  public let low: UInt64

  /// Creates a random identifier.
  public init() {
    self.init(high: .random(in: 0 ... .max), low: .random(in: 1 ... .max))
  }

  /// Creates an identifier.
  ///
  /// - Parameters:
  ///   - high: The upper 64 bits.
  ///   - low: The lower 64 bits. 1 replaces 0 if the upper bits are 0, too.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = high | low == 0 ? 1 : low
  }

  /// The identifier as 32 hexadecimal digits in lower case.
  public var description: String { high.hexadecimal + low.hexadecimal }
}

extension UInt64 {
  /// 16 hexadecimal digits in lower case.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
