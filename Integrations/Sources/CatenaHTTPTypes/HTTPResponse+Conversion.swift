public import HTTPTypes
public import Networking

extension HTTPResponse {
  /// Creates a response of swift-http-types.
  ///
  /// - Parameter head: The status and the header fields, of which none is left out.
  /// - Throws: `NetworkError` with the code `malformedResponse` if the status has not three digits, or `invalidHeader`
  ///   for a field that cannot be sent.
  public init(_ head: HTTPResponseHead) throws {
    guard (100...999).contains(head.status) else {
      throw NetworkError(.malformedResponse, "the status has not three digits", response: head)
    }
    self.init(status: Status(code: head.status), headerFields: try HTTPFields(head.headers))
  }

  /// Creates the head of a server's response that sends on a response of Catena, such as that of a proxy.
  ///
  /// The client has decoded the body. So the fields `Content-Encoding` and `Content-Length` are left out, and those
  /// that describe the connection, such as `Transfer-Encoding`.
  ///
  /// - Parameter response: The response, whose body is `data` or `bytes`.
  /// - Throws: `NetworkError` with the code `malformedResponse` or `invalidHeader`.
  public init(forwarding response: Response) throws {
    var head = response.head
    head.headers = head.headers.withoutConnectionFields()
    head.headers.remove("Content-Encoding")
    try self.init(head)
  }
}

extension HTTPResponseHead {
  /// Creates the head of a response of Catena, such as that of an interceptor or a transport.
  ///
  /// - Parameters:
  ///   - response: The response of swift-http-types.
  ///   - version: The HTTP version: `1.0`, `1.1`, `2` or `3`.
  public init(_ response: HTTPResponse, version: String = "1.1") {
    self.init(
      status: response.status.code, version: version,
      headers: HTTPHeaders(response.headerFields))
  }
}
