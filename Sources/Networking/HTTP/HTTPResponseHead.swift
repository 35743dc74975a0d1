/// The head of a response: the status, the version and the header fields.
public struct HTTPResponseHead: Sendable, Hashable {
  /// The status code: any number of three digits that the server sends, usually 200 to 599.
  ///
  /// The transport handles interim responses (1xx) and does not report them.
  public var status: Int
  /// The HTTP version: `1.0`, `1.1`, `2` or `3`.
  public var version: String
  /// The header fields, in the order in which they were received.
  ///
  /// A transport that decodes the body does not change `Content-Encoding` and `Content-Length`.
  public var headers: HTTPHeaders

  /// Creates a head.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - version: The HTTP version.
  ///   - headers: The header fields.
  public init(status: Int, version: String = "1.1", headers: HTTPHeaders = [:]) {
    self.status = status
    self.version = version
    self.headers = headers
  }
}
