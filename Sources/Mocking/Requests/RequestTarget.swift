/// The parts of a request target.
struct RequestTarget: Hashable {
  /// As it stands in the target, still encoded.
  let path: Substring
  /// What follows the question mark; nil when there is none.
  let query: Substring?
  /// The path's segments, decoded one by one, so that an encoded slash does not part them.
  let segments: [String]

  /// Nil when the path has a `%` without two hexadecimal digits.
  init?(_ target: String) {
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
      guard let segment = PercentCoding.decode(Substring(part)) else { return nil }
      segments.append(segment)
    }
    return segments
  }
}
