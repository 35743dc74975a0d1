#if canImport(FoundationNetworking)
  import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

extension URLRequest {
  /// Makes a `URLRequest` without its body.
  ///
  /// - Throws: A failure if `URLSession` cannot perform the request.
  package init(checking request: HTTPRequest) throws(TransportFailure) {
    self.init(url: try Self.checked(request.url), cachePolicy: .reloadIgnoringLocalCacheData)
    guard request.method.rawValue.isToken else {
      throw TransportFailure(code: .unsupported, detail: "The method is not a valid token")
    }
    if request.method == .head, request.body != .none {
      throw TransportFailure(code: .unsupported, detail: "A HEAD request cannot have a body")
    }
    if request.method == .get, request.body != .none, request.body.byteCount != 0 {
      throw TransportFailure(
        code: .unsupported, detail: "URLSession does not send a body with a GET request")
    }
    guard request.headers.allSatisfy(\.isSendable) else {
      throw TransportFailure(
        code: .invalidHeader, detail: "A header field has an invalid name or value")
    }
    httpMethod = request.method.rawValue
    httpShouldHandleCookies = false
    // The exchange enforces the timeouts, because it knows their phases. A much larger limit here
    // would crash Foundation on Linux, which counts in milliseconds and does not handle overflow.
    timeoutInterval = 7 * 24 * 60 * 60
    // URLSession sets the framing fields itself. With those of the request it would wait for chunks
    // indefinitely.
    var omitted: Set = ["content-length", "transfer-encoding"]
    // Through a tunnel it would reach the server.
    if request.url.scheme?.lowercased() == "https" { omitted.insert("proxy-authorization") }
    for name in Set(request.headers.map { $0.name.lowercased() }).subtracting(omitted) {
      let values = request.headers.values(for: name)
      setValue(values.joined(separator: name == "cookie" ? "; " : ", "), forHTTPHeaderField: name)
    }
  }

  private static func checked(_ url: URL) throws(TransportFailure) -> URL {
    func invalid(_ reason: String) -> TransportFailure {
      TransportFailure(code: .invalidURL, detail: reason)
    }
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
      throw invalid("The URL is not http or https")
    }
    guard let host = url.host, !host.isEmpty else { throw invalid("The URL has no host") }
    guard url.user == nil, url.password == nil else {
      throw invalid("The URL has credentials in it")
    }
    // Foundation on Linux accepts schemes in lower case only.
    guard url.scheme != scheme, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url.absoluteURL }
    parts.scheme = scheme
    return parts.url ?? url.absoluteURL
  }
}

extension HTTPResponseHead {
  /// Makes a head from a response of Foundation, with one field for each name, sorted by name.
  ///
  /// `Set-Cookie` values are split again.
  package init(_ response: HTTPURLResponse) {
    var headers = HTTPHeaders()
    let fields = response.allHeaderFields.compactMap {
      name, value -> (key: String, value: String)? in
      guard let name = name as? String, let value = value as? String else { return nil }
      return (name, value)
    }
    for (name, value) in sortedByKey(fields) {
      let values =
        HTTPHeaders.areNamesEqual(name, "Set-Cookie") ? SetCookieValues.split(value) : [value]
      for value in values { headers.add(value, for: name) }
    }
    self.init(status: response.statusCode, headers: headers)
  }
}

/// A splitter for `Set-Cookie` values that Foundation has joined with commas.
///
/// A comma separates two values if a name and an equals sign follow it. A name may contain
/// characters outside of ASCII, which servers do send. The only other commas are in dates, before the
/// number of the day. Valid names, values and paths contain no commas.
///
/// Source: RFC 6265 section 4.1.1, RFC 9110 section 5.3.
enum SetCookieValues {
  /// Returns the separate values of a joined value, in order.
  static func split(_ joined: String) -> [String] {
    var values: [String.UnicodeScalarView.SubSequence] = []
    var start = joined.unicodeScalars.startIndex
    for comma in joined.unicodeScalars.indices where joined.unicodeScalars[comma] == "," {
      let rest = joined.unicodeScalars[comma...].dropFirst().drop { $0 == " " }
      guard beginsCookie(rest) else { continue }
      values.append(joined.unicodeScalars[start..<comma])
      start = rest.startIndex
    }
    return (values + [joined.unicodeScalars[start...]]).map(String.init)
  }

  /// Returns whether a text begins with a name and an equals sign.
  ///
  /// Browsers accept characters outside of ASCII in names, and so does ``SetCookie``.
  private static func beginsCookie(_ text: Substring.UnicodeScalarView) -> Bool {
    let name = text.prefix { !$0.isASCII || String($0).isToken }
    return !name.isEmpty && text[name.endIndex...].first == "="
  }
}

#if !canImport(FoundationNetworking)
  extension TransportMetrics {
    /// Makes metrics from the measurements of a hop, except the total time and the sizes of the
    /// bodies.
    ///
    /// - Parameters:
    ///   - hop: The measurements.
    ///   - options: The TLS options of the transport.
    package init(_ hop: URLSessionTaskTransactionMetrics, under options: TLSOptions) {
      let start = hop.fetchStartDate
      func since(_ date: Date?) -> Duration? {
        guard let start, let date else { return nil }
        return .seconds(max(date.timeIntervalSince(start), 0))
      }
      let isReused = hop.isReusedConnection
      self.init(
        nameResolved: isReused ? nil : since(hop.domainLookupEndDate),
        // The platform includes the TLS handshake in the time of connecting.
        connected: isReused ? nil : since(hop.secureConnectionStartDate ?? hop.connectEndDate),
        secured: isReused ? nil : since(hop.secureConnectionEndDate),
        requestSent: since(hop.requestEndDate),
        reusedConnection: isReused,
        headBytesSent: hop.countOfRequestHeaderBytesSent,
        headBytesReceived: hop.countOfResponseHeaderBytesReceived,
        httpVersion: hop.networkProtocolName.flatMap(Self.version),
        remoteAddress: hop.remoteAddress, remotePort: hop.remotePort,
        tls: hop.negotiatedTLSProtocolVersion.map { version in
          TLSMetrics(
            versionNumber: version.rawValue,
            cipherNumber: hop.negotiatedTLSCipherSuite?.rawValue,
            applicationProtocol: hop.networkProtocolName,
            isVerified: options.compiled.isVerifying(hop.request.url))
        })
    }

    /// Returns the version for a protocol name such as `http/1.1` or `h2`.
    private static func version(_ name: String) -> String? {
      switch name {
      case "http/1.0": "1.0"
      case "http/1.1": "1.1"
      case "h2", "h2c": "2"
      case "h3": "3"
      default: nil
      }
    }
  }
#endif
