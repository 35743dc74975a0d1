/// How far the bodies of a request and of its response have come.
///
/// ```swift
/// networking.download(.report(id: 1), to: file) { progress in
///   bar.fraction = progress.received.fraction ?? 0
/// }
/// ```
///
/// A further hop, after a redirect, or a further attempt counts from 0 again.
public struct TransferProgress: Sendable, Hashable {
  /// How much of one body.
  public struct Amount: Sendable, Hashable {
    /// The bytes until now.
    public var bytes: Int64
    /// The bytes in all; nil when that is not known.
    public var total: Int64?

    /// Makes an amount.
    ///
    /// - Parameters:
    ///   - bytes: the bytes until now.
    ///   - total: the bytes in all; nil when that is not known.
    public init(bytes: Int64 = 0, total: Int64? = nil) {
      self.bytes = bytes
      self.total = total
    }

    /// From 0 to 1; nil when the bytes in all are not known, or none.
    public var fraction: Double? {
      guard let total, total > 0 else { return nil }
      return min(Double(bytes) / Double(total), 1)
    }
  }

  /// How much has been sent.
  public var sent: Amount
  /// How much has been received, decoded from any content coding, which leaves the total unknown.
  public var received: Amount

  /// Makes a progress.
  ///
  /// - Parameters:
  ///   - sent: how much has been sent.
  ///   - received: how much has been received.
  public init(sent: Amount = Amount(), received: Amount = Amount()) {
    self.sent = sent
    self.received = received
  }
}
