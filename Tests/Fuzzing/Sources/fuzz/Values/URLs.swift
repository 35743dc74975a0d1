import Foundation

@testable import Networking

extension FuzzTarget {
  /// Base URLs, paths, and their resolution.
  ///
  /// The first line of the input is a base URL, the second a path or an absolute URL, and the third
  /// a value that is interpolated into a path.
  static let urls = FuzzTarget("urls", maximumLength: 1_024) { input in
    let lines = input.lines
    for line in lines {
      if let url = URL(string: line) {
        checkOrigin(url)
        checkDestination(url)
      }
    }
    if let url = URL(string: lines[0]), let base = try? BaseURL(url) {
      checkBase(base)
      if lines.count > 1 { checkPath(lines[1], base) }
      if lines.count > 2 { checkValue(lines[2], base) }
    }
    Growth.checkLinear(input) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let url = URL(string: "https://a.test/b"), let base = try? BaseURL(url) else { return }
      _ = try? base.resolve(RequestPath(raw: text))
      _ = try? base.resolve("c/\(text)?d=\(text)")
    }
  }

  /// Checks that the fast parser of origins agrees with Foundation's accessors.
  private static func checkOrigin(_ url: URL) {
    let origin = Origin(url)
    if let origin { expect(origin.matches(url), "a URL has its own origin: \(url)") }
    let scheme = url.scheme?.lowercased()
    let port = url.port ?? ["http": 80, "https": 443][scheme ?? ""]
    guard let host = url.host?.lowercased(), !host.isEmpty, let scheme, let port else {
      expect(origin == nil, "a URL without a host has no origin: \(url)")
      return
    }
    expect(
      origin?.scheme == scheme && origin?.host == host && origin?.port == port,
      "the origin of \(url) is \(scheme) \(host) \(port), not \(String(describing: origin))")
  }

  /// Checks that libcurl connects to the host of the origin, so that no credentials go elsewhere.
  ///
  /// libcurl writes IP addresses in another way.
  private static func checkDestination(_ url: URL) {
    #if os(Linux)
      let text = url.absoluteString
      guard let origin = Origin(url), ["http", "https"].contains(origin.scheme),
        let (host, port) = CurlURL.authority(of: text), !CookieScope.isAddress(host)
      else { return }
      expect(
        host.lowercased() == origin.host && port == "\(origin.port)",
        "\(text) of \(origin) leads to \(host) \(port)")
    #endif
  }

  private static func checkBase(_ base: BaseURL) {
    let text = base.url.absoluteString
    expect((try? BaseURL(base.url)) == base, "a base URL is read again: \(text)")
    expect(["http", "https"].contains(base.url.scheme), "the scheme is http or https: \(text)")
    expect(base.url.user == nil && base.url.fragment == nil, "it has no user information: \(text)")
    expect(Origin(base.url) != nil, "a base URL has an origin: \(text)")
    expect(text.hasPrefix(base.root) && base.directoryPrefix.hasSuffix("/"), "prefixes of \(text)")
  }

  private static func checkPath(_ text: String, _ base: BaseURL) {
    let path = RequestPath(raw: text)
    guard let url = try? base.resolve(path) else { return }
    checkResolved(url, "\(text) on \(base.url)")
    let isAbsolute = AbsoluteURLParts(text) != nil
    expect(
      isAbsolute || Origin(url) == Origin(base.url), "a path leaves the origin: \(url) of \(text)")
    expect(
      (try? base.resolve(.url(url))) == url, "a resolved URL is resolved to itself: \(url)")
  }

  private static func checkResolved(_ url: URL, _ source: String) {
    let text = url.absoluteString
    expect(Origin(url) != nil, "a resolved URL has an origin: \(text) of \(source)")
    expect(url.user == nil, "it has no user information: \(text) of \(source)")
    expect(
      text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "it is printable ASCII: \(text) of \(source)"
    )
    let path = text.prefix { $0 != "?" && $0 != "#" }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
    expect(
      !segments.contains(".") && !segments.contains(".."), "no dot segment: \(text) of \(source)")
  }

  /// Checks that an interpolated value is one segment of the path, or one value of the query.
  private static func checkValue(_ value: String, _ base: BaseURL) {
    if let url = try? base.resolve("a/\(value)/b") {
      checkResolved(url, value)
      let segments = url.absoluteString.split(separator: "/", omittingEmptySubsequences: false)
      let segment = segments.count >= 2 ? String(segments[segments.count - 2]) : ""
      expect(segment.removingPercentEncoding == value, "a value is one segment: \(url)")
      expect(segments.last == "b", "a value does not end the path: \(url)")
    }
    if let url = try? base.resolve("a?b=\(value)&c=d") {
      checkResolved(url, value)
      let query = url.absoluteString.drop { $0 != "?" }.dropFirst().split(
        separator: "&", omittingEmptySubsequences: false)
      expect(query.count == 2 && query.last == "c=d", "a value is one value of a query: \(url)")
      let text = query.first?.dropFirst(2).replacing("+", with: " ") ?? ""
      expect(text.removingPercentEncoding == value, "a value is decoded again: \(url)")
    }
  }
}
