/// The failure of an exchange, in terms that are the same for all transports.
public struct TransportFailure: Error, Sendable {
  /// The kind of failure.
  public var code: NetworkError.Code
  /// The message of the transport's library, without credentials, bodies, and full URLs.
  public var detail: String
  /// The measurements up to the failure.
  public var metrics: TransportMetrics
  /// The error that caused the failure, such as an error of a ``BodyStream``.
  public var underlying: (any Error)?

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - detail: The message of the transport's library, without secrets.
  ///   - metrics: The measurements up to the failure.
  ///   - underlying: The error that caused the failure.
  public init(
    code: NetworkError.Code, detail: String = "", metrics: TransportMetrics = TransportMetrics(),
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.detail = detail
    self.metrics = metrics
    self.underlying = underlying
  }
}
