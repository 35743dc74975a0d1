/// The progress of the bodies of a request and its response.
///
/// ```swift
/// networking.download(
///   .report(id: 1), to: file, .onProgress { bar.fraction = $0.received.fraction ?? 0 })
/// ```
///
/// The progress restarts at 0 for each redirect and each attempt. Each report differs from the one
/// before. For a request of `Request.upload(data:to:)` and its variants, only the bytes sent are
/// reported, so that the end of the upload is reported once. The progress of its response is reported
/// if `download` or `stream` receives it.
public struct TransferProgress: Sendable, Hashable {
  /// A handler of the progress.
  public typealias Handler = @Sendable @isolated(any) (_ progress: TransferProgress) -> Void

  /// The progress of one body.
  public struct Amount: Sendable, Hashable {
    /// The number of bytes so far.
    public var bytes: Int64
    /// The total number of bytes.
    ///
    /// `nil` if it is unknown.
    public var total: Int64?

    /// Creates an amount.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes so far.
    ///   - total: The total number of bytes. `nil` if it is unknown.
    public init(bytes: Int64 = 0, total: Int64? = nil) {
      self.bytes = bytes
      self.total = total
    }

    /// The completed fraction, from 0 to 1.
    ///
    /// `nil` if the total is unknown or 0.
    public var fraction: Double? {
      guard let total, total > 0 else { return nil }
      return min(Double(bytes) / Double(total), 1)
    }
  }

  /// The progress of the request body.
  public var sent: Amount
  /// The progress of the response body after content decoding.
  ///
  /// The total of an encoded body is unknown.
  public var received: Amount

  /// Creates a progress value.
  ///
  /// - Parameters:
  ///   - sent: The progress of the request body.
  ///   - received: The progress of the response body.
  public init(sent: Amount = Amount(), received: Amount = Amount()) {
    self.sent = sent
    self.received = received
  }
}
