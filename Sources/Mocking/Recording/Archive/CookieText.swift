import Foundation

/// The fields that carry cookies, taken apart.
///
/// Source: RFC 6265 sections 4.1.1 and 4.2.1.
enum CookieText {
  /// The cookies of a `Cookie` field.
  static func sent(_ value: String) -> [HAR.Cookie] {
    value.split(separator: ";").compactMap { pair($0) }.map {
      HAR.Cookie(name: $0.name, value: $0.value)
    }
  }

  /// The cookie of a `Set-Cookie` field; nil when it has no name.
  static func set(_ value: String) -> HAR.Cookie? {
    let parts = value.split(separator: ";", omittingEmptySubsequences: false)
    guard let first = parts.first, let (name, value) = pair(first) else { return nil }
    var cookie = HAR.Cookie(name: name, value: value)
    for part in parts.dropFirst() {
      let attribute = pair(part) ?? (trimmed(part), "")
      switch attribute.0.lowercased() {
      case "path": cookie.path = attribute.1
      case "domain": cookie.domain = attribute.1
      case "expires": cookie.expires = moment(attribute.1)
      case "httponly": cookie.httpOnly = true
      case "secure": cookie.secure = true
      default: break
      }
    }
    return cookie
  }

  /// A field with the values of its cookies replaced, names and attributes kept.
  static func replacingValues(
    _ value: String, isSet: Bool, _ replacement: (_ name: String, _ value: String) -> String
  ) -> String {
    let parts = value.split(separator: ";", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part -> String in
      guard index == 0 || !isSet else { return String(part) }
      let space = part.prefix { $0 == " " }
      guard let (name, value) = pair(part) else {
        return trimmed(part).isEmpty ? String(part) : space + replacement("", trimmed(part))
      }
      return "\(space)\(name)=\(replacement(name, value))"
    }.joined(separator: ";")
  }

  private static func pair(_ text: Substring) -> (name: String, value: String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    return (trimmed(text[..<equals]), trimmed(text[text.index(after: equals)...]))
  }

  private static func trimmed(_ text: Substring) -> String {
    text.trimmingCharacters(in: .whitespaces)
  }

  /// `Wed, 21 Oct 2026 07:28:00 GMT` in ISO 8601; nil when it is something else.
  private static func moment(_ text: String) -> String? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    for format in ["EEE, dd MMM yyyy HH:mm:ss zzz", "EEE, dd-MMM-yyyy HH:mm:ss zzz"] {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return HAR.Entry.timestamp(date) }
    }
    return nil
  }
}
