import Networking

extension JSON {
  /// Whether all of `part` is in this value.
  ///
  /// Members of objects may be more; elements of arrays may not.
  func contains(_ part: JSON) -> Bool {
    switch (self, part) {
    case (.dictionary(let members), .dictionary(let parts)):
      parts.allSatisfy { name, part in members[name]?.contains(part) ?? false }
    case (.array(let elements), .array(let parts)):
      elements.count == parts.count && zip(elements, parts).allSatisfy { $0.contains($1) }
    default: self == part
    }
  }

  /// What of this value another one lacks, or has besides, by its place: `JSON .type`.
  func differences(from actual: JSON, isWhole: Bool) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    collect(from: actual, isWhole, at: "", secret: false, &differences)
    return differences
  }

  private func collect(
    from actual: JSON?, _ isWhole: Bool, at place: String, secret: Bool,
    _ differences: inout [RequestDifference]
  ) {
    guard differences.count < Self.mostDifferences else { return }
    switch (self, actual) {
    case (.dictionary(let expected), .dictionary(let members)?):
      for name in expected.keys.sorted() {
        expected[name]?.collect(
          from: members[name], isWhole, at: "\(place).\(name)",
          secret: secret || Redaction.isSecret(name: name), &differences)
      }
      guard isWhole else { return }
      for name in members.keys.sorted() where expected[name] == nil {
        let isSecret = secret || Redaction.isSecret(name: name)
        differences.append(
          RequestDifference(
            aspect: "JSON \(place).\(name)", expected: "none",
            actual: isSecret ? Redaction.mask : members[name].map(ReportText.json) ?? "none"))
      }
    case (.array(let expected), .array(let elements)?) where expected.count == elements.count:
      for (index, pair) in zip(expected, elements).enumerated() {
        pair.0.collect(
          from: pair.1, isWhole, at: "\(place)[\(index)]", secret: secret, &differences)
      }
    default:
      guard self != actual else { return }
      differences.append(
        RequestDifference(
          aspect: place.isEmpty ? "JSON" : "JSON \(place)",
          expected: secret ? Redaction.mask : ReportText.json(self),
          actual: actual.map { secret ? Redaction.mask : ReportText.json($0) } ?? "none"))
    }
  }

  private static let mostDifferences = 10
}
