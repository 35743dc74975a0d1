import Foundation
import Synchronization

/// A URL that others are relative to, checked.
///
/// ```swift
/// let base = try BaseURL(host: "api.example.com", path: "v1")
/// base.url                                   // https://api.example.com/v1
/// try base.resolve("boards")                 // https://api.example.com/v1/boards
/// try base.resolve("/status")                // https://api.example.com/status
/// ```
///
/// Its path is a folder, whether or not it ends in a slash: what is relative goes below it. A path with
/// a leading slash starts at the root of the host, and an absolute URL stands for itself.
///
/// Source: RFC 3986 section 5, with the slash added.
public struct BaseURL: Sendable, Hashable {
  /// The URL.
  public let url: URL
  /// The URL without its path: `https://api.example.com`.
  let root: String
  /// The URL with a slash at its end: what relative paths are put behind.
  let directoryPrefix: String

  /// Makes a base URL of its parts.
  ///
  /// - Parameters:
  ///   - scheme: `https` or `http`.
  ///   - host: a name, or an IPv4 or IPv6 address, the latter with brackets or without.
  ///   - port: 1 to 65,535; nil is the scheme's.
  ///   - path: the path, percent-encoded where needed; a leading slash may be left out.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/invalidURL`` saying which
  ///   part is wrong, and why.
  public init(scheme: String = "https", host: String, port: Int? = nil, path: String = "") throws {
    let root = try Origin.urlPrefix(scheme: scheme, host: host, port: port)
    try self.init(root: root, path: path)
  }

  /// Makes a base URL of a URL.
  ///
  /// - Parameter url: an absolute URL without query and fragment.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/invalidURL`` saying which
  ///   part is wrong, and why.
  public init(_ url: URL) throws {
    let text = url.absoluteString
    guard let parts = RequestPath.absoluteParts(of: text) else {
      throw NetworkError(.invalidURL, "the base URL \(Redaction.url(text)) is not absolute")
    }
    let root = try Origin.urlPrefix(scheme: parts.scheme, authority: parts.authority)
    try self.init(root: root, path: String(parts.rest))
  }

  private init(root: String, path: String) throws {
    let path = path.isEmpty || path.hasPrefix("/") ? path : "/" + path
    let scan = RequestPath.scan(path[...])
    if let problem = scan.problem {
      throw NetworkError(.invalidURL, "the base URL's path is wrong: \(problem)")
    }
    if scan.query != nil || scan.fragment != nil {
      throw NetworkError(.invalidURL, "a base URL cannot have a query or a fragment")
    }
    if scan.hasDotSegments || path.hasPrefix("//") {
      throw NetworkError(
        .invalidURL, "the base URL's path is wrong: it has an empty or dot segment")
    }
    guard let url = URL(string: root + path) else {
      throw NetworkError(.invalidURL, "Foundation takes no URL like \(root)\(path)")
    }
    self.url = url
    self.root = root
    directoryPrefix = root + (path.hasSuffix("/") ? path : path + "/")
  }
}

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
      prefix = try Origin.urlPrefix(scheme: parts.scheme, authority: parts.authority)
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
        prefix = base.root
      case nil, UInt8(ascii: "?"), UInt8(ascii: "#"): prefix = base.url.absoluteString
      default: prefix = base.directoryPrefix
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

/// Keeps the last base URL that was checked, since it is the same for most requests of a client.
final class BaseURLCache: Sendable {
  private let last = Mutex<(url: URL, checked: BaseURL)?>(nil)

  /// The base URL that a URL makes.
  ///
  /// - Parameter url: an absolute URL without query and fragment.
  /// - Returns: the same as ``BaseURL/init(_:)``.
  /// - Throws: what that throws; an error is not kept.
  func baseURL(_ url: URL) throws -> BaseURL {
    if let known = last.withLock({ $0?.url == url ? $0?.checked : nil }) { return known }
    let checked = try BaseURL(url)
    last.withLock { $0 = (url, checked) }
    return checked
  }
}
