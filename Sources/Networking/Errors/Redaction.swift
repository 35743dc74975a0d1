import Foundation

/// Takes secrets out of what people and logs get to see.
package enum Redaction {
  /// What stands in a secret's place.
  package static let mask = "***"

  /// What stands in the place of a value that a name goes with; nil leaves it.
  package typealias Masking = (_ name: String, _ value: String) -> String?

  /// Masks the values of telling names, and nothing else.
  static func byName(_ name: String, _ value: String) -> String? {
    isSecret(name: name) ? mask : nil
  }

  /// A URL without user name, password and fragment, values in its query masked.
  package static func url(_ text: String, masking: Masking = byName) -> String {
    // Most URLs have nothing to look at.
    guard text.utf8.contains(where: { "#?@".utf8.contains($0) }) else { return text }
    // By scalars, as a combining character would hide the `?` that it follows.
    var text = Substring(text).unicodeScalars.prefix { $0 != "#" }
    if let parts = RequestPath.absoluteParts(of: String(text)) {
      let authority = parts.authority.unicodeScalars
      let host = authority.lastIndex(of: "@").map { authority.index(after: $0) }
      let rest = String(authority[(host ?? authority.startIndex)...]) + parts.rest
      text = Substring("\(parts.scheme)://" + rest).unicodeScalars
    }
    guard let question = text.firstIndex(of: "?") else { return String(text) }
    let fields = text[text.index(after: question)...].split(
      separator: "&", omittingEmptySubsequences: false)
    let masked = fields.map { field -> String in
      guard let equals = field.firstIndex(of: "="),
        let mask = masking(
          String(field[..<equals]), String(field[field.index(after: equals)...]))
      else { return String(field) }
      return String(field[...equals]) + mask
    }
    return String(text[...question]) + masked.joined(separator: "&")
  }

  /// Whether a name tells that its value is a secret: `access_token`, `X-Api-Key`, `user[password]`.
  package static func isSecret(name: some StringProtocol) -> Bool {
    let plain = String(name).removingPercentEncoding ?? String(name)
    let name = folded(plain)
    return exact.contains(name) || configured.contains(name) || parts.contains { name.contains($0) }
  }

  /// A name as it is compared: `X-Api-Key` is `xapikey`.
  private static func folded(_ name: String) -> String {
    String(name.lowercased().filter { $0.isLetter || $0.isNumber })
  }

  /// Has the values of these names masked, too, from now on, in the whole process.
  ///
  /// - Parameter names: the names; case and punctuation make no difference.
  static func add(_ names: Set<String>) {
    if !names.isEmpty { configured.add(names.map(folded)) }
  }

  static let configured = ConfiguredNames()

  private static let exact: Set<String> = [
    "key", "sig", "auth", "code", "sid", "pin", "otp", "jwt", "pwd", "pass", "session",
  ]
  private static let parts = [
    "token", "secret", "passw", "passphrase", "apikey", "accesskey", "privatekey", "signature",
    "credential", "authorization", "sessionid", "cookie",
  ]

  /// Text with the values behind equals signs masked, and those within other such values.
  private static func fields(_ text: String, _ masking: Masking, depth: Int) -> String {
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
  package static func text(_ text: String, masking: Masking = byName) -> String {
    let named =
      /(?<name>[A-Za-z0-9_.\-\[\]]+)(?<between>\\?"?\s*[:=]\s*)(?<value>\\?"(?:[^"\\]|\\.)*(?:"|\\|$)|(?:(?:Bearer|Basic)\s+)?[^\s"&,;{}\[\]<>]+)/
    // By themselves first, as `https:` would take the first field of a URL's query for its own value.
    var masked = fields(text, masking, depth: 0)
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
