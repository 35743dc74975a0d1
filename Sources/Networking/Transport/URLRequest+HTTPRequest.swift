import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// A request as `URLSession` takes it, without its body.
  ///
  /// - Throws: why it cannot be performed.
  init(checking request: HTTPRequest) throws(TransportFailure) {
    self.init(url: try Self.checked(request.url), cachePolicy: .reloadIgnoringLocalCacheData)
    guard request.method.rawValue.isToken else {
      throw TransportFailure(code: .unsupported, detail: "The method is no token")
    }
    if request.method == .head, request.body != .none {
      throw TransportFailure(code: .unsupported, detail: "A HEAD request cannot have a body")
    }
    if request.method == .get, request.body != .none, request.body.byteCount != 0 {
      throw TransportFailure(
        code: .unsupported, detail: "URLSession sends no body with a GET request")
    }
    let isSendable = request.headers.allSatisfy { field in
      field.name.isToken && !field.value.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
    }
    guard isSendable else {
      throw TransportFailure(code: .invalidHeader, detail: "A header field cannot be sent")
    }
    httpMethod = request.method.rawValue
    httpShouldHandleCookies = false
    // The transport's own clock decides, which knows what for. No more than this: Foundation on Linux
    // counts in milliseconds and does not survive an overflow.
    timeoutInterval = 7 * 24 * 60 * 60
    // How the body is framed is for URLSession to say, which otherwise waits for ever for chunks.
    let framing: Set = ["content-length", "transfer-encoding"]
    for name in Set(request.headers.map { $0.name.lowercased() }).subtracting(framing) {
      let values = request.headers.values(for: name)
      setValue(values.joined(separator: name == "cookie" ? "; " : ", "), forHTTPHeaderField: name)
    }
  }

  private static func checked(_ url: URL) throws(TransportFailure) -> URL {
    func refused(_ reason: String) -> TransportFailure {
      TransportFailure(code: .invalidURL, detail: reason)
    }
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
      throw refused("The URL is not http or https")
    }
    guard let host = url.host, !host.isEmpty else { throw refused("The URL has no host") }
    guard url.user == nil, url.password == nil else {
      throw refused("The URL has credentials in it")
    }
    // Foundation on Linux knows schemes in lower case only.
    guard url.scheme != scheme, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url.absoluteURL }
    parts.scheme = scheme
    return parts.url ?? url.absoluteURL
  }
}
