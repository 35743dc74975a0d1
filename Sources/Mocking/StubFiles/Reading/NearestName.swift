/// Finds what somebody who mistyped a name has probably meant.
enum NearestName {
  /// The nearest of the names, when it is near enough to be meant.
  static func of(_ name: String, among names: [String]) -> String? {
    let distances = names.map { (EditDistance.between(name.lowercased(), $0.lowercased()), $0) }
    guard let nearest = distances.min(by: { $0 < $1 }) else { return nil }
    return nearest.0 <= max(1, min(name.count, nearest.1.count) / 2) ? nearest.1 : nil
  }
}
