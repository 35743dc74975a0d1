/// The scheme, authority, and remaining text of an absolute URL.
///
/// The parts are slices of the text and are not validated.
///
/// Source: RFC 3986 sections 3.1 and 3.2.
struct AbsoluteURLParts {
  /// The text before `://`.
  let scheme: Substring
  /// The text between `://` and the path, query, or fragment, with any user information.
  let authority: Substring
  /// The path, query, and fragment.
  let rest: Substring

  /// Splits a text, or returns `nil` if it does not start with a scheme and `://`.
  ///
  /// - Parameter text: The text.
  init?(_ text: String) {
    var text = text
    let length = text.withUTF8 { bytes in
      let colon = bytes.first(from: 0) { !Self.schemeCharacter[$0] }
      return bytes.has("://", at: colon) ? colon : 0
    }
    guard length > 0 else { return nil }
    let utf8 = text.utf8
    let colon = utf8.index(utf8.startIndex, offsetBy: length)
    let start = utf8.index(colon, offsetBy: 3)
    let end = utf8[start...].firstIndex { $0.isOne(of: "/?#") } ?? utf8.endIndex
    (scheme, authority, rest) = (text[..<colon], text[start..<end], text[end...])
  }

  private static let schemeCharacter = ByteClass("+-._~%", alphanumeric: true)
}

extension UInt8 {
  /// Whether the byte is an ASCII letter or digit.
  @inlinable package var isASCIIAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
