import Foundation
package import Networking

extension HTTPHeaders {
  /// Makes a `Location` within the origin relative, so that it refers to the forwarding server.
  mutating func makeLocationRelative(to url: URL) {
    guard let location = self["Location"], let target = URL(reference: location),
      let origin = Origin(target), origin == Origin(url),
      var components = URLComponents(url: target, resolvingAgainstBaseURL: false)
    else { return }
    (components.scheme, components.host, components.port) = (nil, nil, nil)
    (components.user, components.password) = (nil, nil)
    let path = components.string ?? ""
    self["Location"] = path.isEmpty ? "/" : path
  }

  /// Removes the attribute `Domain` of all cookies.
  ///
  /// Source: RFC 6265 section 5.2.3.
  mutating func removeCookieDomains() { changeCookieAttribute("domain") { _ in nil } }

  /// Changes an attribute of all cookies.
  ///
  /// - Parameters:
  ///   - name: The name in lower case.
  ///   - change: Returns another value, or `nil` to remove the attribute.
  mutating func changeCookieAttribute(_ name: String, _ change: (_ value: String) -> String?) {
    guard contains("Set-Cookie") else { return }
    self = HTTPHeaders(
      fields.map { field in
        guard field.name.lowercased() == "set-cookie" else { return field }
        let parts = field.value.split(separator: ";", omittingEmptySubsequences: false)
        let changed = parts.enumerated().compactMap { index, part -> String? in
          let sides = part.split(separator: "=", maxSplits: 1).map {
            String($0).trimmingOptionalWhitespace
          }
          guard index > 0, sides.first?.lowercased() == name else { return String(part) }
          return change(sides.count > 1 ? sides[1] : "").map { " \(sides[0])=\($0)" }
        }
        return Field(name: field.name, value: changed.joined(separator: ";"))
      })
  }

  /// The fields without the hop-by-hop fields.
  ///
  /// Source: RFC 9110 section 7.6.1.
  package var endToEnd: HTTPHeaders {
    let connectionOptions = values(for: "Connection").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    var headers = self
    headers.removeNames(
      of: HTTPHeaders((Self.hopByHop + connectionOptions).map { .init(name: $0, value: "") }))
    return headers
  }

  private static let hopByHop = [
    "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
    "TE", "Trailer", "Transfer-Encoding", "Upgrade",
  ]
}
