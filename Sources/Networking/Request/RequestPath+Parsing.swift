import CatenaSystem

extension RequestPath {
  /// The result of a scan of a path with its query and fragment.
  struct Scan {
    /// The position of the question mark before the query.
    var query: Int?
    /// The position of the `#` before the fragment.
    var fragment: Int?
    /// Whether a segment of the path is `.` or `..`.
    var hasDotSegments = false
    /// The first syntax error as a sentence, or `nil` if there is none.
    var problem: String?
  }

  /// Scans the path, query, and fragment of a reference in one pass.
  ///
  /// Source: RFC 3986 sections 3.3 and 3.4.
  static func scan(_ text: Substring) -> Scan {
    var (scan, text) = (Scan(), text)
    let characters = characters
    text.withUTF8 { bytes in
      var segment = 0
      for (position, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "#"):
          scan.fragment = position
        case UInt8(ascii: "?"):
          if scan.query == nil { scan.query = position }
        case UInt8(ascii: "%"):
          if position + 2 >= bytes.count || bytes[position + 1].hexDigitValue == nil
            || bytes[position + 2].hexDigitValue == nil
          {
            scan.problem = "it contains a percent sign without two hexadecimal digits"
          }
        default:
          if !characters.isUnescaped(byte) { scan.problem = problem(of: byte) }
        }
        if scan.problem != nil { break }
        guard scan.query == nil || scan.query == position else {
          if scan.fragment != nil { break }
          continue
        }
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

  /// Returns a part of a URL in which the characters that it must not contain are percent-encoded.
  ///
  /// Escapes are unchanged. A percent sign without two hexadecimal digits is encoded.
  ///
  /// Source: RFC 3986 sections 3.3 to 3.5.
  ///
  /// - Parameter part: The path, the query after its question mark, or the fragment after its `#`.
  /// - Returns: The part.
  static func escaped(_ part: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(part.count)
    let characters = characters
    for (position, byte) in zip(part.indices, part) {
      let isEscape =
        byte == UInt8(ascii: "%") && position + 2 < part.endIndex
        && part[position + 1].hexDigitValue != nil && part[position + 2].hexDigitValue != nil
      if characters.isUnescaped(byte) || byte == UInt8(ascii: "?") || isEscape {
        text.append(byte)
      } else {
        PercentEncoding.append(escaped: byte, to: &text)
      }
    }
    return String(decoding: text, as: UTF8.self)
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

  private static let characters = PercentEncoding.url.keeping("!$&'()*+,:;=@/")
}

extension RequestPath.Scan {
  fileprivate mutating func checkForDotSegment(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    if bytes.count <= 2, !bytes.isEmpty, bytes.allSatisfy({ $0 == UInt8(ascii: ".") }) {
      hasDotSegments = true
    }
  }
}
