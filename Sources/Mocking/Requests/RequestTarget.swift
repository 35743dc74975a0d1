import CatenaSystem
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
  package let segments: [String]

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
      guard let segment = PercentEncoding.decode(Substring(part)) else { return nil }
      segments.append(segment)
    }
    return segments
  }
}
