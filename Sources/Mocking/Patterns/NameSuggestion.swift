/// A suggestion of a known name for a mistyped one.
package enum NameSuggestion {
  /// Returns the most similar name, or `nil` if no name is similar enough.
  package static func of(_ name: String, among names: [String]) -> String? {
    let distances = names.map { (EditDistance.between(name.lowercased(), $0.lowercased()), $0) }
    guard let nearest = distances.min(by: { $0 < $1 }) else { return nil }
    return nearest.0 <= max(1, min(name.count, nearest.1.count) / 2) ? nearest.1 : nil
  }
}
