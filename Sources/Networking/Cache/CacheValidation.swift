import Foundation

/// Conditional requests of a cache, and updates of stored responses.
///
/// Source: RFC 9111 sections 3.1, 3.2 and 4.3.
enum CacheValidation {
  /// The fields with which a caller makes a request conditional or partial itself.
  ///
  /// The cache does not handle such requests.
  static let conditions = [
    "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
  ]

  /// Adds the validators of a stored response to a request.
  static func add(_ rules: StoredResponse.Rules, to headers: inout HTTPHeaders) {
    if let etag = rules.etag { headers["If-None-Match"] = etag }
    if let date = rules.lastModified { headers["If-Modified-Since"] = date }
  }

  /// Returns whether a 304 response is about a stored response.
  ///
  /// An entity tag in it must be the stored one. Weak and strong tags with the same text are equal
  /// here.
  ///
  /// Source: RFC 9111 section 4.3.4; RFC 9110 section 8.8.3.2.
  static func confirms(_ head: HTTPResponseHead, _ rules: StoredResponse.Rules) -> Bool {
    if let etag = head.headers.values(for: "ETag").first {
      return rules.etag.map { opaque($0) == opaque(etag) } ?? false
    }
    if let date = head.headers.values(for: "Last-Modified").first, rules.etag == nil {
      return rules.lastModified == date
    }
    return true
  }

  /// Returns whether a response to a HEAD request is about a stored response.
  ///
  /// Source: RFC 9111 section 4.3.5.
  static func confirms(byHead head: HTTPResponseHead, _ stored: StoredResponse) -> Bool {
    func isEqual(_ name: String) -> Bool {
      guard let value = head.headers.values(for: name).first else { return true }
      return stored.head.headers.values(for: name).first == value
    }
    return isEqual("ETag") && isEqual("Last-Modified") && isEqual("Content-Length")
  }

  private static func opaque(_ etag: String) -> Substring {
    etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...]
  }

  /// Returns a stored response with the fields of a 304, or of a response to HEAD.
  ///
  /// - Parameters:
  ///   - stored: The stored response.
  ///   - head: The status and the fields of the new response.
  ///   - requestTime: The time at which the request was sent.
  ///   - responseTime: The time at which the new response was received.
  /// - Returns: The updated response.
  static func merged(
    _ stored: StoredResponse, with head: HTTPResponseHead, requestTime: Date, responseTime: Date
  ) -> StoredResponse {
    var new = storable(head.headers)
    for name in contentFields { new.remove(name) }
    var headers = stored.head.headers.merging(new)
    // The stored values belong to the earlier response.
    if !new.contains("Age") { headers.remove("Age") }
    if !new.contains("Date") { headers["Date"] = HTTPDate.text(of: responseTime) }
    // Again, because the new directives also apply to the stored fields.
    let merged = HTTPResponseHead(
      status: stored.head.status, version: stored.head.version, headers: storable(headers))
    return StoredResponse(
      merged, requestTime: requestTime, responseTime: responseTime, for: stored.selector,
      body: stored.body, bodyID: stored.bodyID)
  }

  /// The fields that describe the stored bytes, which a 304 does not change.
  private static let contentFields = ["Content-Encoding", "Content-Range", "Content-Length"]

  /// The fields that are not stored.
  ///
  /// `Set-Cookie` is left out because a cookie must be set once, when the response arrives.
  private static let unstored: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "proxy-connection", "set-cookie", "set-cookie2", "te", "trailer",
    "transfer-encoding", "upgrade",
  ]

  /// Returns the fields of a response that are stored.
  ///
  /// These are all but the fields of the connection, cookies, and the fields that a `no-cache`
  /// directive names. A stored response may be served without them.
  ///
  /// Source: RFC 9111 sections 3.1 and 5.2.2.4.
  static func storable(_ headers: HTTPHeaders) -> HTTPHeaders {
    var names = unstored
    names.formUnion(headers.values(for: "Connection").flatMap(\.listMembers))
    names.formUnion(CacheControl(headers).noCacheFields)
    return HTTPHeaders(headers.fields.filter { !names.contains($0.name.lowercased()) })
  }

  /// Returns the head of a response that is served from a cache, with its age.
  ///
  /// Source: RFC 9111 section 5.1.
  static func served(_ stored: StoredResponse, age: Double) -> HTTPResponseHead {
    copy(of: stored.head) {
      $0.headers["Age"] = String(Int64(min(age, Double(CacheControl.maximumSeconds))))
    }
  }
}
