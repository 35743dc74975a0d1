extension RequestPath {
  /// Splits an absolute URL into scheme, authority and the rest.
  ///
  /// Returns `nil` if the text does not start with a scheme and `://`.
  ///
  /// Source: RFC 3986 sections 3.1 and 3.2.
  static func absoluteParts(
    of text: String
  ) -> (scheme: Substring, authority: Substring, rest: Substring)? {
    var text = text
    guard let length = text.withUTF8(schemeLength) else { return nil }
    let utf8 = text.utf8
    let colon = utf8.index(utf8.startIndex, offsetBy: length)
    let start = utf8.index(colon, offsetBy: 3)
    let end = utf8[start...].firstIndex { "/?#".utf8.contains($0) } ?? utf8.endIndex
    return (text[..<colon], text[start..<end], text[end...])
  }

  /// Returns the length of the scheme before `://` in bytes, or `nil` if there is none.
  private static func schemeLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let colon = bytes.firstIndex(where: { !isSchemeCharacter($0) }), colon > 0,
      bytes[colon] == UInt8(ascii: ":"), bytes[colon...].starts(with: "://".utf8)
    else { return nil }
    return colon
  }

  /// Whether a byte may occur in a scheme or in a percent-encoded value.
  ///
  /// Percent-encoded values may contain `_`, `~` and `%`, which RFC 3986 does not allow in a
  /// scheme. They are accepted here so that a URL with a value interpolated into its scheme is
  /// recognized as absolute. Such a URL is rejected later.
  private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"):
      true
    default: false
    }
  }

  /// The result of a scan.
  ///
  /// Positions are offsets in UTF-8.
  struct Scan {
    /// The position of the question mark before the query.
    ///
    /// `nil` if there is no query.
    var query: Int?
    /// The position of the number sign before the fragment.
    ///
    /// `nil` if there is no fragment.
    var fragment: Int?
    /// Whether a segment of the path is `.` or `..`.
    var hasDotSegments = false
    /// The description of the first invalid character.
    ///
    /// `nil` if there is none.
    var problem: String?
  }

  /// Scans the path, query and fragment of a URL reference in one pass.
  ///
  /// The scan stops at a fragment that follows a path without a query. Fragments are not sent.
  ///
  /// Source: RFC 3986 sections 3.3 and 3.4.
  static func scan(_ text: Substring) -> Scan {
    var scan = Scan()
    var text = text
    text.withUTF8 { bytes in
      var segment = 0
      for (position, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "#"):
          if scan.fragment == nil { scan.fragment = position }
        case UInt8(ascii: "?"):
          if scan.query == nil { scan.query = position }
        case UInt8(ascii: "%"):
          if position + 2 >= bytes.count || bytes[position + 1].hexDigitValue == nil
            || bytes[position + 2].hexDigitValue == nil
          {
            scan.problem = "it contains a percent sign without two hexadecimal digits"
          }
        default:
          if !isPathCharacter(byte) { scan.problem = problem(of: byte) }
        }
        if scan.problem != nil { break }
        guard scan.query == nil || scan.query == position else { continue }
        let endsSegment =
          byte == UInt8(ascii: "/") || position == scan.query || position == scan.fragment
        if endsSegment {
          scan.checkForDotSegment(bytes[segment..<position])
          segment = position + 1
        }
        if scan.fragment != nil { break }
      }
      if scan.query == nil, scan.fragment == nil { scan.checkForDotSegment(bytes[segment...]) }
    }
    return scan
  }

  private static func problem(of byte: UInt8) -> String {
    switch byte {
    case 0..<0x20, 0x7F: "it contains a control character"
    case UInt8(ascii: " "): "it contains a space, which must be written as %20"
    case 0x80...: "it contains a non-ASCII character, which must be percent-encoded"
    default:
      "it contains the character \(Character(Unicode.Scalar(byte))), which must be percent-encoded"
    }
  }

  private static func isPathCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      // - . / 0...9 : ;
      UInt8(ascii: "-")...UInt8(ascii: ";"), UInt8(ascii: "_"), UInt8(ascii: "~"),
      // & ' ( ) * + ,
      UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: "!"), UInt8(ascii: "$"),
      UInt8(ascii: "="), UInt8(ascii: "@"):
      true
    default: false
    }
  }
}

extension RequestPath.Scan {
  fileprivate mutating func checkForDotSegment(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    if bytes.count <= 2, !bytes.isEmpty, bytes.allSatisfy({ $0 == UInt8(ascii: ".") }) {
      hasDotSegments = true
    }
  }
}
