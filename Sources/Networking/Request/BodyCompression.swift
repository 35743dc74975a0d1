/// The compression of the body of a request.
///
/// ```swift
/// .post("logs", parameters: entries, .compression(.gzip))
/// .upload(file: log, to: "logs", .compression(.gzip, fallsBack: true))
/// ```
///
/// - **Bodies in memory** are compressed before they are sent, on a background thread, and have a
///   `Content-Length`. Files, streams and forms with files are compressed in pieces while they are
///   sent, so their length is unknown. A request without a body, or with an empty one, is not changed.
/// - **Header fields.** The coding is added to `Content-Encoding`.
/// - **Order.** The client's interceptors of calls receive the original body. Retries, redirects and
///   interceptors of attempts and hops, such as those that sign requests, receive the compressed one.
/// - **Repeatability.** A compressed body can be sent again if the original one can.
/// - **Linux without libcurl** cannot compress: the request is rejected with
///   ``NetworkError/Code-swift.enum/unsupported``.
/// - **Servers.** Few servers accept compressed requests by default, so nothing is compressed unless the
///   request says so. A server that does not accept the coding responds with 415.
///
/// Source: RFC 9110 section 8.4; RFC 7694.
public struct BodyCompression: Sendable, Hashable, Codable {
  /// A content coding.
  public enum Coding: String, Sendable, Hashable, Codable {
    /// The coding `gzip`.
    ///
    /// Source: RFC 1952.
    case gzip
  }

  /// The content coding.
  public var coding: Coding
  /// Whether the request is sent once more without compression if the status of the response is 415.
  ///
  /// A body that cannot be sent again is not.
  public var fallsBack: Bool

  /// Creates a compression.
  ///
  /// - Parameters:
  ///   - coding: The content coding.
  ///   - fallsBack: Whether the request is sent once more without compression if the status of the
  ///     response is 415.
  public init(_ coding: Coding, fallsBack: Bool = false) {
    self.coding = coding
    self.fallsBack = fallsBack
  }
}
