import Networking

/// A request's head: the request line and the fields, and what follows from them.
struct RequestHead: Hashable {
  /// How the end of the body is found.
  enum Framing: Hashable {
    /// There is no body.
    case none
    /// `Content-Length`.
    case sized(Int)
    /// `Transfer-Encoding: chunked`.
    case chunked
  }

  var method: HTTPMethod
  /// As it stands in the request line.
  var target: String
  /// The minor version of HTTP/1.
  var minorVersion: Int
  var headers: HTTPHeaders = [:]
  var framing: Framing = .none
  /// Whether the connection is to stay open after the response.
  var keepsAlive = true
  /// Whether the client waits for a `100 Continue` before it sends the body.
  var expectsContinue = false
}
