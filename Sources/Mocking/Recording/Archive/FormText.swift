import Foundation

/// Queries and forms, `a=1&b=2`, taken apart and put together.
enum FormText {
  /// The fields in order, decoded; what cannot be decoded is as it stands.
  static func fields(_ text: some StringProtocol, plusIsSpace: Bool = true) -> [HAR.Field] {
    text.split(separator: "&").map { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return HAR.Field(
        name: decode(parts[0], plusIsSpace),
        value: parts.count == 2 ? decode(parts[1], plusIsSpace) : "")
    }
  }

  static func decode(_ text: some StringProtocol, _ plusIsSpace: Bool = true) -> String {
    let text = plusIsSpace ? String(text).replacing("+", with: " ") : String(text)
    return text.removingPercentEncoding ?? text
  }

  /// A name or value, encoded; it is the same for whatever has the same meaning.
  static func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  /// Source: RFC 3986 section 2.3; and the mask, which is to be readable.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*")
}
