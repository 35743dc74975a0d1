/// The effect of pins that do not match.
///
/// ```swift
/// .pinnedKeys(pins, mode: .reported { mismatch in report(mismatch.host, mismatch.seen) })
/// ```
public enum PinMode: Sendable {
  /// The request fails with ``NetworkError/Code-swift.enum/pinMismatch``.
  case enforced
  /// The request continues, and the closure receives the mismatch.
  ///
  /// The closure runs on an I/O thread at each full handshake with a mismatch and must not block.
  /// ``TLSMetrics/hasReportedPinMismatch`` is then `true`.
  case reported(@Sendable (_ mismatch: PinMismatch) -> Void)
}

/// A server whose certificates do not have any of the pins.
///
/// The cause is an attack, or a key that was renewed without its pin.
public struct PinMismatch: Sendable, Hashable {
  /// The host.
  public let host: String
  /// The pins of the certificates that were compared, the server's first.
  public let seen: [PublicKeyPin]
  /// The pins that were expected; for pinned certificates, those of their keys.
  public let expected: [PublicKeyPin]
}
