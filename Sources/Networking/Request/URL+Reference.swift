package import Foundation

extension URL {
  /// Creates a URL from a text of a server, such as a `Location`, a link, or a member of a JSON body.
  ///
  /// Servers write characters that a URL cannot contain. `URL(string:)` encodes each percent sign of
  /// a part with such a character, so it changes the escapes of the server. This initializer encodes
  /// the characters alone: `/x?f[id]=a%2Fb` becomes `/x?f%5Bid%5D=a%2Fb`.
  ///
  /// The text is read as in browsers:
  ///
  /// - Spaces and control characters around the text, and all tabs and line breaks, are removed.
  /// - In an `http` or `https` URL, `\` before the query is `/`, and any number of slashes stands
  ///   before the host. With the scheme of the base URL, less than two of them begin a path.
  /// - The segments `.` and `..` are removed from the path, and a host is converted to ASCII.
  /// - A percent sign without two hexadecimal digits is encoded, because Foundation has no URL with it.
  ///
  /// Browsers also send `[`, `]`, `|` and a lone `%` without encoding. Servers decode both to the same
  /// text.
  ///
  /// Returns `nil` if the text is not a URL, for example because its host is invalid.
  ///
  /// Source: the URL Standard (WHATWG) section 4.4, RFC 3986 section 5.
  ///
  /// - Parameters:
  ///   - reference: An absolute or relative URL. An empty one is the base URL without its fragment.
  ///   - base: The URL against which a relative URL is resolved, such as that of the response.
  package init?(reference: String, relativeTo base: URL? = nil) {
    let text = Self.text(of: reference, relativeTo: base)
    guard let url = URL(string: text, relativeTo: base)?.absoluteURL else { return nil }
    // Foundation keeps the dot segments of a reference with a host.
    let plain = BaseURL.removingDotSegments(url.absoluteString)
    guard let url = plain == url.absoluteString ? url : URL(string: plain) else { return nil }
    self = url
  }

  /// Returns a reference that Foundation resolves like a browser, without characters to encode outside
  /// of the host.
  private static func text(of reference: String, relativeTo base: URL?) -> String {
    var bytes = reference.utf8.filter { !"\t\n\r".utf8.contains($0) }[...]
    while bytes.first.map({ $0 <= 0x20 }) == true { bytes.removeFirst() }
    while bytes.last.map({ $0 <= 0x20 }) == true { bytes.removeLast() }
    let baseScheme = base?.scheme?.lowercased()
    var scheme = scheme(of: bytes)
    if let scheme { bytes = bytes.dropFirst(scheme.utf8.count + 1) }
    let isHTTP = ["http", "https"].contains(scheme ?? baseScheme)

    let pathEnd = bytes.firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
    let fragment = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    var path = Array(bytes[..<pathEnd])[...]
    if isHTTP {
      for index in path.indices where path[index] == UInt8(ascii: "\\") {
        path[index] = UInt8(ascii: "/")
      }
    }
    let slashes = path.prefix { $0 == UInt8(ascii: "/") }.count
    let hasHost = slashes > 1 || isHTTP && scheme != nil && scheme != baseScheme
    if isHTTP, !hasHost { scheme = nil }

    var text = scheme.map { "\($0):" } ?? ""
    if hasHost {
      path = path.dropFirst(isHTTP ? slashes : 2)
      var host = path.prefix { $0 != UInt8(ascii: "/") }
      path = path.dropFirst(host.count)
      text += "//"
      if let end = host.lastIndex(of: UInt8(ascii: "@")) {
        text += RequestPath.escaped(host[..<end]).replacing("@", with: "%40") + "@"
        host = host[(end + 1)...]
      }
      text += String(decoding: host, as: UTF8.self)
    } else if scheme == nil,
      path.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":"))
    {
      // The colon would end a scheme.
      text += "./"
    }
    text += RequestPath.escaped(path)
    if pathEnd < fragment {
      text += "?" + RequestPath.escaped(bytes[pathEnd..<fragment].dropFirst())
    }
    if fragment < bytes.endIndex {
      text += "#" + RequestPath.escaped(bytes[fragment...].dropFirst())
    }
    // Foundation has no URL for an empty text.
    return text.isEmpty ? String((base?.absoluteString ?? "").prefix { $0 != "#" }) : text
  }

  /// Returns the scheme of a reference in lower case, or `nil` for a relative reference.
  private static func scheme(of bytes: ArraySlice<UInt8>) -> String? {
    let scheme = bytes.prefix { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
    // Of these characters, the letters have the highest values.
    guard let first = scheme.first, first > UInt8(ascii: "9"), scheme.endIndex < bytes.endIndex,
      bytes[scheme.endIndex] == UInt8(ascii: ":")
    else { return nil }
    return String(decoding: scheme, as: UTF8.self).lowercased()
  }
}
