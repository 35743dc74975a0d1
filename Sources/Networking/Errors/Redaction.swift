import Foundation

/// Takes secrets out of what people and logs get to see.
enum Redaction {
  /// What stands in a secret's place.
  static let mask = "***"

  /// A URL without user name, password and fragment, the values of telling names in its query masked.
  static func url(_ text: String) -> String {
    // By scalars, as a combining character would hide the `?` that it follows.
    var text = Substring(text).unicodeScalars.prefix { $0 != "#" }
    if let parts = RequestPath.absoluteParts(of: String(text)) {
      text = Substring("\(parts.scheme)://").unicodeScalars
      let authority = parts.authority.unicodeScalars
      let host = authority.lastIndex(of: "@").map { authority.index(after: $0) }
      text += authority[(host ?? authority.startIndex)...]
      text += parts.rest.unicodeScalars
    }
    guard let question = text.firstIndex(of: "?") else { return String(text) }
    let fields = text[text.index(after: question)...].split(
      separator: "&", omittingEmptySubsequences: false)
    let masked = fields.map { field -> String in
      guard let equals = field.firstIndex(of: "="), isSecret(name: String(field[..<equals])) else {
        return String(field)
      }
      return String(field[...equals]) + mask
    }
    return String(text[...question]) + masked.joined(separator: "&")
  }

  /// Whether a name tells that its value is a secret: `access_token`, `X-Api-Key`, `user[password]`.
  static func isSecret(name: some StringProtocol) -> Bool {
    let plain = String(name).removingPercentEncoding ?? String(name)
    let name = String(plain.lowercased().filter { $0.isLetter || $0.isNumber })
    return exact.contains(name) || parts.contains { name.contains($0) }
  }

  private static let exact: Set<String> = [
    "key", "sig", "auth", "code", "sid", "pin", "otp", "jwt", "pwd", "pass", "session",
  ]
  private static let parts = [
    "token", "secret", "passw", "passphrase", "apikey", "accesskey", "privatekey", "signature",
    "credential", "authorization", "sessionid", "cookie",
  ]

  /// Text such as a body, the values of telling names masked, in JSON, in forms and in headers.
  static func text(_ text: String) -> String {
    let named =
      /(?<name>[A-Za-z0-9_.\-\[\]]+)(?<between>\\?"?\s*[:=]\s*)(?<value>\\?"(?:[^"\\]|\\.)*(?:"|\\|$)|(?:(?:Bearer|Basic)\s+)?[^\s"&,;{}\[\]<>]+)/
    let masked = text.replacing(named) { match in
      guard isSecret(name: match.output.name) else { return String(match.output.0) }
      let quote = match.output.value.hasPrefix("\"") ? "\"" : ""
      return "\(match.output.name)\(match.output.between)\(quote)\(mask)\(quote)"
    }
    return masked.replacing(/(?<scheme>Bearer|Basic)\s+[A-Za-z0-9+\/=._~\-]+/) { match in
      "\(match.output.scheme) \(mask)"
    }
  }
}
