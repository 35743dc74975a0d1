import Networking

extension RequestPath {
  /// The path with placeholders for its interpolated values, such as `boards/{}/cards`, without a query.
  ///
  /// `nil` if the values are unknown, as in a path from a string. Interpolated values are percent-encoded, so each
  /// slash is a part of the literal.
  var template: String? {
    let path = text.prefix { $0 != "?" && $0 != "#" }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    guard variables >> 63 == 1, segments.count < 62 else { return nil }
    return segments.enumerated().map { variables >> UInt64($0) & 1 == 1 ? "{}" : String($1) }
      .joined(separator: "/")
  }
}
