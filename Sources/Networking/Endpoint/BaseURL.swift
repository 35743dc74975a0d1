import Foundation

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
  /// Scheme, host and port: `https://api.example.com`.
  let origin: String
  /// The URL with a slash at its end: what relative paths are put behind.
  let folder: String

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
    let origin = try URLOrigin(scheme: scheme, host: host, port: port).text
    try self.init(origin: origin, path: path)
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
    let origin = try URLOrigin(scheme: parts.scheme, authority: parts.authority).text
    try self.init(origin: origin, path: String(parts.rest))
  }

  private init(origin: String, path: String) throws {
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
    guard let url = URL(string: origin + path) else {
      throw NetworkError(.invalidURL, "Foundation takes no URL like \(origin)\(path)")
    }
    self.url = url
    self.origin = origin
    folder = origin + (path.hasSuffix("/") ? path : path + "/")
  }
}
