import Foundation

extension BaseURL {
  /// The absolute URL of a path.
  ///
  /// - Parameter path: a path below this URL, from the root of its host, or an absolute URL.
  /// - Returns: the URL, without fragment.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/invalidURL`` saying what is
  ///   wrong with the path.
  public func resolve(_ path: RequestPath) throws -> URL {
    try Self.resolve(path, against: self, query: "")
  }

  /// The absolute URL of a path with more of a query, which is encoded already.
  static func resolve(
    _ path: RequestPath, against base: BaseURL?, query: String
  ) throws -> URL {
    if let problem = path.problem { throw NetworkError(.invalidURL, problem) }
    var prefix: String
    var rest: Substring
    if let parts = RequestPath.absoluteParts(of: path.text) {
      prefix = try URLOrigin(scheme: parts.scheme, authority: parts.authority).text
      rest = parts.rest
      if rest.utf8.first != UInt8(ascii: "/") { prefix += "/" }
    } else {
      guard let base else {
        throw NetworkError(.invalidURL, "the path is relative, and there is no base URL")
      }
      rest = path.text[...]
      switch rest.utf8.first {
      case UInt8(ascii: "/"):
        guard rest.utf8.dropFirst().first != UInt8(ascii: "/") else {
          throw NetworkError(
            .invalidURL, "the path starts with two slashes, which would name a host")
        }
        prefix = base.origin
      case nil, UInt8(ascii: "?"), UInt8(ascii: "#"): prefix = base.url.absoluteString
      default: prefix = base.folder
      }
    }
    return try url(prefix, rest, query)
  }

  private static func url(_ prefix: String, _ rest: Substring, _ query: String) throws -> URL {
    let scan = RequestPath.scan(rest)
    if let problem = scan.problem { throw NetworkError(.invalidURL, problem) }
    var text = ""
    text.reserveCapacity(prefix.utf8.count + rest.utf8.count + query.utf8.count + 1)
    text += prefix
    text += scan.fragment.map { rest[..<rest.utf8.index(rest.startIndex, offsetBy: $0)] } ?? rest
    if !query.isEmpty {
      if scan.query == nil {
        text += "?"
      } else if !text.hasSuffix("?") {
        text += "&"
      }
      text += query
    }
    guard let url = URL(string: scan.hasDotSegments ? removingDotSegments(text) : text) else {
      throw NetworkError(.invalidURL, "Foundation takes no URL like that")
    }
    return url
  }

  /// Source: RFC 3986 section 5.2.4.
  private static func removingDotSegments(_ text: String) -> String {
    guard let parts = RequestPath.absoluteParts(of: text) else { return text }
    let path = parts.rest.prefix { $0 != "?" }
    var kept: [Substring] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (position, segment) in segments.enumerated() {
      let isLast = position == segments.count - 1
      if segment == ".." { _ = kept.popLast() }
      if segment != "..", segment != "." {
        kept.append(segment)
      } else if isLast {
        kept.append("")
      }
    }
    return text[..<path.startIndex] + "/" + kept.joined(separator: "/") + text[path.endIndex...]
  }
}
