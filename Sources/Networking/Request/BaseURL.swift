public import Foundation

/// A validated URL against which relative paths are resolved.
///
/// ```swift
/// let base = try BaseURL(host: "api.example.com", path: "v1")
/// base.url                                   // https://api.example.com/v1
/// try base.resolve("boards")                 // https://api.example.com/v1/boards
/// try base.resolve("/status")                // https://api.example.com/status
/// networking.setBaseURL("https://api.example.com/v1")
/// ```
///
/// The path of the base URL is a directory, even without a trailing slash: a relative path is
/// appended to it. A path with a leading slash starts at the root of the host. An absolute URL
/// replaces the base URL.
///
/// Source: RFC 3986 section 5, except that a trailing slash is added to the base URL.
public struct BaseURL: Sendable, Hashable {
  /// The URL.
  public let url: URL
  /// The URL without its path, such as `https://api.example.com`.
  let root: String
  /// The URL with a trailing slash, to which relative paths are appended.
  let directoryPrefix: String
  /// The percent-encoded path, empty or with a leading slash.
  let path: String

  /// Creates a base URL from its parts.
  ///
  /// - Parameters:
  ///   - scheme: `https` or `http`.
  ///   - host: A name, an IPv4 address, or an IPv6 address with or without brackets. An international name
  ///     is converted to ASCII. The zone of a link-local address follows `%25` or `%`: `fe80::1%25eth0`. It
  ///     selects a network interface, and is not sent in the `Host` field.
  ///   - port: A port from 1 to 65,535. `nil` uses the default port of the scheme.
  ///   - path: The percent-encoded path. The leading slash is optional.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidURL`` and a
  ///   ``NetworkError/reason`` that describes the invalid part.
  public init(scheme: String = "https", host: String, port: Int? = nil, path: String = "")
    throws(NetworkError)
  {
    let root = try Origin.urlPrefix(scheme: scheme, host: host, port: port)
    guard AbsoluteURLParts(path) == nil else {
      throw NetworkError(
        .invalidURL, "the base URL's path is a whole URL; pass only the part after the host")
    }
    try self.init(root: root, path: path)
  }

  /// Creates a base URL from a URL.
  ///
  /// - Parameter url: An absolute URL without a query and a fragment.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidURL`` and a
  ///   ``NetworkError/reason`` that describes the invalid part.
  public init(_ url: URL) throws(NetworkError) {
    let text = url.absoluteString
    guard let parts = AbsoluteURLParts(text) else {
      throw NetworkError(
        .invalidURL,
        "the base URL \(Redactor.standard.maskedURL(text)) is not absolute; "
          + "it must start with https:// or http://")
    }
    let root = try Origin.urlPrefix(scheme: parts.scheme, authority: parts.authority)
    try self.init(root: root, path: String(parts.rest))
  }

  private init(root: String, path: String) throws(NetworkError) {
    let path = path.isEmpty || path.hasPrefix("/") ? path : "/" + path
    let scan = RequestPath.scan(path[...])
    if scan.query != nil {
      throw NetworkError(
        .invalidURL, "a base URL cannot have a query; send it with the requests")
    }
    if scan.fragment != nil { throw NetworkError(.invalidURL, "a base URL cannot have a fragment") }
    if let problem = scan.problem ?? Self.directoryProblem(of: path, scan) {
      throw NetworkError(.invalidURL, "the base URL's path is invalid: \(problem)")
    }
    guard let url = URL(string: root + path) else {
      throw NetworkError(.invalidURL, "Foundation cannot parse the URL \(root)\(path)")
    }
    self.url = url
    self.root = root
    self.path = path
    directoryPrefix = root + (path.hasSuffix("/") ? path : path + "/")
  }

  /// Returns the problem of a path that is valid in a URL, but not in a base URL.
  private static func directoryProblem(of path: String, _ scan: RequestPath.Scan) -> String? {
    if path.hasPrefix("//") { return "it starts with two slashes" }
    return scan.hasDotSegments ? "it has a segment of only dots" : nil
  }
}

extension BaseURL: ExpressibleByStringLiteral {
  /// Creates a base URL from a literal.
  ///
  /// A literal that is not an absolute URL, or has a query or a fragment, stops the program.
  ///
  /// - Parameter value: The text.
  public init(stringLiteral value: String) {
    do {
      guard let url = try value.asBaseURL() else { preconditionFailure() }
      try self.init(url)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension BaseURL {
  /// The reason of the error of a relative path without a base URL.
  static let missingReason = "the path is relative, and there is no base URL"

  /// Returns the reason of the error of a relative path without a base URL.
  ///
  /// - Parameter endpoint: The type of the endpoint.
  /// - Returns: The reason, which names the type and the ways to set a base URL.
  static func missingReason(for endpoint: any RequestConvertible.Type) -> String {
    endpoint == Request.self
      ? "\(missingReason); use Networking(baseURL:), or an absolute URL"
      : "\(missingReason); declare static let baseURL in \(endpoint), or use Networking(baseURL:)"
  }
}

// MARK: - Resolving

extension BaseURL {
  /// Returns the absolute URL of a path.
  ///
  /// - Parameter path: A path relative to this URL or to the root of its host, or an absolute URL.
  /// - Returns: The URL, with the fragment of the path. A fragment is never sent.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidURL`` and a
  ///   ``NetworkError/reason`` that describes the problem of the path.
  public func resolve(_ path: RequestPath) throws(NetworkError) -> URL {
    try Self.resolve(path, against: self, query: "")
  }

  /// Returns the absolute URL of a path, with an encoded query appended to the query of the path.
  ///
  /// - Parameters:
  ///   - path: A path, or an absolute URL.
  ///   - base: The base URL. `nil` allows absolute URLs only.
  ///   - query: The percent-encoded query. It may be empty.
  /// - Returns: The URL, with the fragment of the path. A fragment is never sent.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidURL``.
  static func resolve(
    _ path: RequestPath, against base: BaseURL?, query: String
  ) throws(NetworkError) -> URL {
    if let problem = path.problem { throw NetworkError(.invalidURL, problem) }
    var prefix: String
    var rest: Substring
    if let parts = AbsoluteURLParts(path.text) {
      prefix = try Origin.urlPrefix(scheme: parts.scheme, authority: parts.authority)
      rest = parts.rest
      if rest.utf8.first != UInt8(ascii: "/") { prefix += "/" }
    } else {
      guard let base else { throw NetworkError(.invalidURL, missingReason) }
      rest = path.text[...]
      switch rest.utf8.first {
      case UInt8(ascii: "/"):
        guard rest.utf8.dropFirst().first != UInt8(ascii: "/") else {
          throw NetworkError(
            .invalidURL, "the path starts with two slashes, which would name a host")
        }
        prefix = base.root
      case nil, UInt8(ascii: "?"), UInt8(ascii: "#"):
        prefix = base.url.absoluteString
        // The path of a URL is `/` if it is empty.
        if prefix == base.root { prefix = base.directoryPrefix }
      default: prefix = base.directoryPrefix
      }
    }
    return try url(prefix: prefix, rest: rest, query: query)
  }

  /// Joins a prefix, the rest of a path, and an additional query before the fragment.
  private static func url(prefix: String, rest: Substring, query: String) throws(NetworkError)
    -> URL
  {
    let scan = RequestPath.scan(rest)
    if let problem = scan.problem { throw NetworkError(.invalidURL, problem) }
    var text = ""
    text.reserveCapacity(prefix.utf8.count + rest.utf8.count + query.utf8.count + 1)
    text += prefix
    let hash = scan.fragment.map { rest.utf8.index(rest.startIndex, offsetBy: $0) }
    text += rest[..<(hash ?? rest.endIndex)]
    if !query.isEmpty {
      if scan.query == nil {
        text += "?"
      } else if !text.hasSuffix("?") {
        text += "&"
      }
      text += query
    }
    if scan.hasDotSegments { text = removingDotSegments(text) }
    // A fragment is not sent, so it is never a reason to reject a request.
    if let hash { text += "#" + RequestPath.escaped(Array(rest[hash...].utf8.dropFirst())[...]) }
    guard let url = URL(string: text) else {
      throw NetworkError(.invalidURL, "Foundation cannot parse it")
    }
    return url
  }

  /// Returns an absolute URL without the `.` and `..` segments of its path.
  ///
  /// Source: RFC 3986 section 5.2.4.
  static func removingDotSegments(_ text: String) -> String {
    guard text.contains("/."), let parts = AbsoluteURLParts(text) else { return text }
    let path = parts.rest.prefix { $0 != "?" && $0 != "#" }
    var output: [Substring] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (position, segment) in segments.enumerated() {
      let isLast = position == segments.count - 1
      if segment == ".." { _ = output.popLast() }
      if segment != "..", segment != "." {
        output.append(segment)
      } else if isLast {
        output.append("")
      }
    }
    return text[..<path.startIndex] + "/" + output.joined(separator: "/") + text[path.endIndex...]
  }
}
