import Foundation

/// Takes secrets out of what people and logs get to see.
package enum Redaction {
  /// What stands in a secret's place.
  package static let mask = "***"

  /// What stands in the place of a value that a name goes with; nil leaves it.
  package typealias MaskProvider = (_ name: String, _ value: String) -> String?

  /// Masks the values of telling names, and nothing else.
  static func maskByName(_ name: String, _ value: String) -> String? {
    isSecret(name: name) ? mask : nil
  }

  /// A URL without user name, password and fragment; masked are the values in its query, in the parameters of its
  /// path, and in the URLs that are themselves values in it.
  package static func url(_ text: String, masking: MaskProvider = maskByName) -> String {
    // Most URLs have nothing to look at.
    guard
      text.utf8.contains(where: { byte in
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "#"), UInt8(ascii: "@"): true
        default: false
        }
      })
    else { return text }
    // By bytes, as a combining character would hide the `#` that it follows.
    let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#"))
    let text = fragment.map { String(text[..<$0]) } ?? text
    guard let parts = RequestPath.absoluteParts(of: text) else {
      return FieldMasker.masked(text, in: .url, by: masking)
    }
    let at = parts.authority.utf8.lastIndex(of: UInt8(ascii: "@"))
    let host = at.map { parts.authority[parts.authority.utf8.index(after: $0)...] }
    let rest = FieldMasker.masked(String(parts.rest), in: .url, by: masking)
    return "\(parts.scheme)://\(host ?? parts.authority)\(rest)"
  }

  /// Text with the values behind equals signs masked, and those within other such values.
  private static func fields(_ text: String, _ masking: MaskProvider, depth: Int) -> String {
    guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
    // Nobody nests so deep who means well, and the stack has an end.
    guard depth < 8 else { return mask }
    let field =
      /(?<name>[A-Za-z0-9_.\-\[\]%]+)=(?<value>(?:(?:Bearer|Basic)\s+)?[^\s"'&,;{}\[\]<>\\]+)/
    return text.replacing(field) { match in
      let (name, value) = (String(match.output.name), String(match.output.value))
      return "\(name)=\(masking(name, value) ?? fields(value, masking, depth: depth + 1))"
    }
  }

  /// Text such as a body, values masked, in JSON, in forms, in headers, in XML, and in the URLs in it.
  package static func text(_ text: String, masking: MaskProvider = maskByName) -> String {
    let named =
      /(?<name>[A-Za-z0-9_.\-\[\]]+)(?<between>\\?"?\s*[:=]\s*)(?<value>\\?"(?:[^"\\]|\\.)*(?:"|\\|$)|(?:(?:Bearer|Basic)\s+)?[^\s"&,;{}\[\]<>]+)/
    // By themselves first, as `https:` would take the first field of a URL's query for its own value.
    var masked = fields(CDATAMasker.masked(text, by: masking), masking, depth: 0)
    masked = FieldMasker.masked(masked, in: .text, by: masking)
    masked = masked.replacing(named) { match in
      let value = match.output.value
      let quote = value.hasPrefix("\"") ? "\"" : ""
      let plain = value.trimmingPrefix("\\").trimmingPrefix("\"")
      guard
        let mask = masking(
          String(match.output.name), String(plain.hasSuffix("\"") ? plain.dropLast() : plain))
      else { return String(match.output.0) }
      return "\(match.output.name)\(match.output.between)\(quote)\(mask)\(quote)"
    }
    masked = masked.replacing(/<(?<name>[\w:.\-]+)(?<rest>(?:\s[^<>]*)?>)(?<value>[^<>]+)<\//) {
      match in
      guard let mask = masking(String(match.output.name), String(match.output.value)) else {
        return String(match.output.0)
      }
      return "<\(match.output.name)\(match.output.rest)\(mask)</"
    }
    masked = masked.replacing(/(?<scheme>Bearer|Basic)\s+(?<value>[A-Za-z0-9+\/=._~\-]+)/) {
      match in
      let value = String(match.output.value)
      return "\(match.output.scheme) \(masking("authorization", value) ?? value)"
    }
    return masked.replacing(/:\/\/(?<user>[^\/?#\s"'@<>]+)@/) { match in
      "://\(masking("credential", String(match.output.user)) ?? mask)@"
    }
  }
}

extension Redaction {
  /// Fields whose values are no secrets, whatever they look like, and need not be looked through.
  private static let plain: Set<String> = [
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
    "cache-control",
    "connection", "content-encoding", "content-language", "content-length", "content-range",
    "content-type", "date", "etag", "expires", "host", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "last-modified",
    "proxy-authenticate", "range", "retry-after", "server", "te", "trailer", "transfer-encoding",
    "upgrade", "user-agent", "vary", "via", "www-authenticate",
  ]
  private static let urls: Set<String> = ["content-location", "location", "origin", "referer"]

  /// Header fields, those of telling names masked, and in the others whatever goes by such a name.
  package static func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      headers.fields.map { field in
        HTTPHeaders.Field(name: field.name, value: value(of: field))
      })
  }

  static func value(of field: HTTPHeaders.Field) -> String {
    let name = field.name.lowercased()
    if plain.contains(name), configured.isEmpty || !isSecret(name: name) { return field.value }
    if let mask = maskByName(field.name, field.value) { return mask }
    if urls.contains(name) { return url(field.value) }
    return mayContainSecrets(field.value) ? text(field.value) : field.value
  }

  /// Whether there is something in a text that ``text(_:masking:)`` would look at; mostly there is not.
  private static func mayContainSecrets(_ text: String) -> Bool {
    text.utf8.contains { ":=<%".utf8.contains($0) } || text.contains("Bearer")
      || text.contains("Basic")
  }
}
