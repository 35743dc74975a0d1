/// An identifier of a span within its trace: 64 bits, not zero.
///
/// It is the `parent-id` of the `traceparent` field that a hop sends.
///
/// Source: W3C Trace Context section 3.2.2.4.
public struct SpanID: Sendable, Hashable, CustomStringConvertible {
  /// The bits.
  public let bits: UInt64

  /// Creates a random identifier.
  public init() {
    self.init(bits: .random(in: 1 ... .max))
  }

  /// Creates an identifier.
  ///
  /// - Parameter bits: The bits. 1 replaces 0.
  public init(bits: UInt64) {
    self.bits = max(bits, 1)
  }

  /// Creates the identifier of a span that the recorder has given none, such as that of a handler.
  ///
  /// Different numbers have different identifiers, and the same number always has the same one, so
  /// that two exports of a trace are equal. This is the finalizer of SplitMix64, which is a bijection.
  ///
  /// - Parameters:
  ///   - number: The number of the span.
  ///   - root: The span of the trace.
  init(number: UInt64, below root: SpanID) {
    var bits = root.bits &+ number &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    self.init(bits: bits ^ (bits >> 31))
  }

  /// The identifier as 16 hexadecimal digits in lower case.
  public var description: String { bits.hexadecimal }
}
