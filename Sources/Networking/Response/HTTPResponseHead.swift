/// What comes before a response's body: the status and the header fields.
public struct HTTPResponseHead: Sendable, Hashable {
  /// The status code, 200 to 599 and whatever else a server sends in three digits; interim responses,
  /// 1xx, are for the transport and not reported.
  public var status: Int
  /// The version spoken, `1.0`, `1.1`, `2` or `3`.
  public var version: String
  /// The header fields in the order received.
  ///
  /// A transport that decodes the body leaves `Content-Encoding` and `Content-Length` as the server
  /// sent them.
  public var headers: HTTPHeaders

  /// Makes a head.
  ///
  /// - Parameters:
  ///   - status: the status code.
  ///   - version: the version spoken.
  ///   - headers: the header fields.
  public init(status: Int, version: String = "1.1", headers: HTTPHeaders = [:]) {
    self.status = status
    self.version = version
    self.headers = headers
  }
}
