import Foundation

/// The parts of a request target.
package struct RequestTarget: Hashable {
  /// The percent-encoded path.
  package let path: Substring
  /// The part after the question mark.
  ///
  /// `nil` if there is no question mark.
  package let query: Substring?
  /// The percent-decoded segments of the path.
  ///
  /// They are decoded separately, so that an encoded slash does not separate segments.
  let segments: [String]

  /// Parses a target.
  ///
  /// Returns `nil` if a `%` in the path is not followed by two hexadecimal digits.
  package init?(_ target: String) {
    var rest = target[...]
    if rest.utf8.first != UInt8(ascii: "/"), let scheme = rest.firstRange(of: "://") {
      let authority = rest[scheme.upperBound...]
      rest = authority.firstIndex { $0 == "/" || $0 == "?" }.map { authority[$0...] } ?? ""
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      path = rest[..<mark]
      query = rest[rest.utf8.index(after: mark)...]
    } else {
      path = rest
      query = nil
    }
    guard let segments = Self.segments(of: path) else { return nil }
    self.segments = segments
  }

  private static func segments(of path: Substring) -> [String]? {
    let raw = path.utf8.first == UInt8(ascii: "/") ? path.dropFirst() : path
    var segments: [String] = []
    for part in raw.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let segment = PercentDecoding.decode(Substring(part)) else { return nil }
      segments.append(segment)
    }
    return segments
  }
}

/// Percent-decoding for the parts of a request target.
package enum PercentDecoding {
  /// Decodes a text.
  ///
  /// Returns `nil` if a `%` is not followed by two hexadecimal digits. Invalid UTF-8 sequences are
  /// replaced.
  package static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    guard isEncoded(text, plusIsSpace) else { return String(text) }
    return bytes(of: text, plusIsSpace).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Decodes a text, or returns it unchanged if a `%` is not followed by two hexadecimal digits or
  /// the result is not UTF-8.
  package static func decodeIfValid(_ text: Substring, plusIsSpace: Bool) -> String {
    guard isEncoded(text, plusIsSpace) else { return String(text) }
    return bytes(of: text, plusIsSpace).flatMap { String(validating: $0, as: UTF8.self) }
      ?? String(text)
  }

  private static func isEncoded(_ text: Substring, _ plusIsSpace: Bool) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) }
  }

  private static func bytes(of text: Substring, _ plusIsSpace: Bool) -> [UInt8]? {
    let utf8 = text.utf8
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue
        else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return bytes
  }
}
