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
    (path, query) = Self.parts(of: target)
    guard let segments = Self.segments(of: path) else { return nil }
    self.segments = segments
  }

  /// Returns the part of a target after the question mark, or `nil` if there is no question mark.
  package static func query(of target: String) -> Substring? { parts(of: target).query }

  private static func parts(of target: String) -> (path: Substring, query: Substring?) {
    var rest = target[...]
    if rest.utf8.first != UInt8(ascii: "/"), let scheme = rest.firstRange(of: "://") {
      let authority = rest[scheme.upperBound...]
      rest = authority.firstIndex { $0 == "/" || $0 == "?" }.map { authority[$0...] } ?? ""
    }
    guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (rest, nil) }
    return (rest[..<mark], rest[rest.utf8.index(after: mark)...])
  }

  private static func segments(of path: Substring) -> [String]? {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    var segments: [String] = []
    for part in path.utf8.dropFirst(isAbsolute ? 1 : 0).split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let segment = PercentEncoding.decode(Substring(part)) else { return nil }
      segments.append(segment)
    }
    return segments
  }
}
