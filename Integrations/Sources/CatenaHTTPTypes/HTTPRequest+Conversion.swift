import Foundation
public import HTTPTypes
public import Networking

// This import decides which of two types `HTTPRequest` is.
public import struct Networking.HTTPRequest

extension HTTPRequest {
  /// Creates a wire request of Catena.
  ///
  /// The fields that only the transport may set, such as `Host` and `Content-Length`, are left out.
  ///
  /// - Parameters:
  ///   - request: The request of swift-http-types, with a scheme, an authority and a path.
  ///   - body: The body.
  /// - Throws: `NetworkError` with the code `invalidURL` if the request has no URL, such as `CONNECT` and `OPTIONS *`,
  ///   or if its URL has a character that must be percent-encoded.
  public init(_ request: HTTPTypes.HTTPRequest, body: HTTPBody = .none) throws {
    guard let url = request.url, let text = request.absoluteText, url.absoluteString == text else {
      throw NetworkError(.invalidURL, "the request has no URL, or one that is malformed")
    }
    self.init(
      method: HTTPMethod(request.method), url: url,
      headers: HTTPHeaders(request.headerFields).withoutConnectionFields(), body: body)
  }
}

extension HTTPTypes.HTTPRequest {
  /// Creates a request of swift-http-types.
  ///
  /// - Parameter request: The wire request of Catena. Its body is not part of the new request.
  /// - Throws: `NetworkError` with the code `invalidURL`, `invalidMethod` or `invalidHeader` for a part that cannot be
  ///   sent.
  public init(_ request: HTTPRequest) throws {
    guard request.url.scheme != nil, Origin(request.url) != nil else {
      throw NetworkError(.invalidURL, "the URL of the request is not absolute")
    }
    self.init(
      method: try Method(request.method), url: request.url,
      headerFields: try HTTPFields(request.headers))
  }

  /// The scheme, the authority and the path as one text.
  ///
  /// `nil` if one of them is missing.
  fileprivate var absoluteText: String? {
    guard let scheme, let authority, let path else { return nil }
    return "\(scheme)://\(authority)\(path)"
  }
}

extension Request {
  /// Creates a request of Catena, for `networking.request(_:)`.
  ///
  /// A request with an authority has an absolute URL. One without has a path relative to the client's base URL, and a
  /// path with a leading slash starts at the root of its host. So a proxy removes the authority:
  ///
  /// ```swift
  /// var head = request.head
  /// head.authority = nil
  /// let response = try await networking.request(Request(head)).value
  /// ```
  ///
  /// The fields that only the transport may set, such as `Host` and `Content-Length`, are left out. A malformed URL
  /// rejects the request when it is made.
  ///
  /// - Parameters:
  ///   - request: The request of swift-http-types.
  ///   - payload: The body. `nil` sends none.
  public init(_ request: HTTPTypes.HTTPRequest, payload: Payload? = nil) {
    let isAbsolute = request.authority != nil
    let text = isAbsolute ? request.absoluteText : request.path
    self.init(
      HTTPMethod(request.method), RequestPath(raw: text ?? request.path ?? ""),
      headers: HTTPHeaders(request.headerFields).withoutConnectionFields(), payload: payload)
  }
}
