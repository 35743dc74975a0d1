/// A path template that may be relative.
struct PathPattern {
  let template: PathTemplate
  private let isRelative: Bool

  init(_ text: String) throws(MockServerError) {
    isRelative = !text.hasPrefix("/")
    template = try PathTemplate(isRelative ? "/" + text : text)
  }

  /// Whether a path matches.
  ///
  /// - Parameters:
  ///   - path: the path's segments.
  ///   - base: those of the base URL that a relative one starts from; nil when there is none.
  /// - Returns: whether it does.
  func matches(_ path: [String], base: [String]?) -> Bool {
    guard isRelative else { return template.match(path) != nil }
    if let base, path.starts(with: base) {
      return template.match(Array(path.dropFirst(base.count))) != nil
    }
    return path.indices.contains { template.match(Array(path[$0...])) != nil }
  }

  /// How much of a path would have to change for it to match; 0 when it does.
  func distance(from path: [String], base: [String]?) -> Int {
    if matches(path, base: base) { return 0 }
    guard isRelative else { return 1 + template.distance(from: path) }
    if let base, path.starts(with: base) {
      return 1 + template.distance(from: Array(path.dropFirst(base.count)))
    }
    let distances = path.indices.map { template.distance(from: Array(path[$0...])) }
    return 1 + (distances.min() ?? 0)
  }
}
