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
  func differences(from actual: JSON, isExact: Bool) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    collect(from: actual, isExact, at: "", secret: false, &differences)
    return differences
  }

  private func collect(
    from actual: JSON?, _ isExact: Bool, at place: String, secret: Bool,
    _ differences: inout [RequestDifference]
  ) {
    guard differences.count < Self.maximumDifferences else { return }
    switch (self, actual) {
    case (.dictionary(let expected), .dictionary(let members)?):
      for name in expected.keys.sorted() {
        expected[name]?.collect(
          from: members[name], isExact, at: "\(place).\(name)",
          secret: secret || Redaction.isSecret(name: name), &differences)
      }
      guard isExact else { return }
      for name in members.keys.sorted() where expected[name] == nil {
        let isSecret = secret || Redaction.isSecret(name: name)
        differences.append(
          RequestDifference(
            aspect: "JSON \(place).\(name)", expected: "none",
            actual: isSecret ? Redaction.mask : members[name].map(ReportFormatter.json) ?? "none"))
      }
    case (.array(let expected), .array(let elements)?) where expected.count == elements.count:
      for (index, pair) in zip(expected, elements).enumerated() {
        pair.0.collect(
          from: pair.1, isExact, at: "\(place)[\(index)]", secret: secret, &differences)
      }
    default:
      guard self != actual else { return }
      differences.append(
        RequestDifference(
          aspect: place.isEmpty ? "JSON" : "JSON \(place)",
          expected: secret ? Redaction.mask : ReportFormatter.json(self),
          actual: actual.map { secret ? Redaction.mask : ReportFormatter.json($0) } ?? "none"))
    }
  }

  private static let maximumDifferences = 10
}

/// How reports write values: bounded, on one line, without secrets.
enum ReportFormatter {
  /// A text in quotes.
  static func quoted(_ text: String) -> String {
    bounded(text.debugDescription)
  }

  /// A body's text in quotes, values of telling names masked.
  static func body(_ text: String) -> String {
    quoted(masked(text))
  }

  /// A text of some length at the most, values of telling names masked.
  static func masked(_ text: String) -> String {
    // Masked before it is cut, so that no secret escapes by being cut in two.
    Redaction.text(String(text.prefix(2_048)))
  }

  /// The values of a name.
  static func values(_ values: [String], of name: String) -> String {
    guard !values.isEmpty else { return "none" }
    if Redaction.isSecret(name: name) { return Redaction.mask }
    return bounded(values.prefix(10).map { quoted($0) }.joined(separator: ", "))
  }

  /// A JSON text, members of telling names masked.
  static func json(_ value: JSON) -> String {
    bounded(
      value.masked(
        where: { name, _ in Redaction.isSecret(name: name) }, by: { _ in .string(Redaction.mask) }
      ).description)
  }

  /// At most 200 characters.
  static func bounded(_ text: String) -> String {
    text.count > 200 ? text.prefix(200) + "..." : text
  }
}

/// How far two texts are from each other.
enum EditDistance {
  /// How many bytes are to be changed, put in, left out, or swapped with the next; of each text the first
  /// 64 count.
  static func between(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    var (before, last) = ([Int](), Array(0...right.count))
    for i in left.indices {
      var row = [i + 1]
      row.reserveCapacity(last.count)
      for j in right.indices {
        let change = last[j] + (left[i] == right[j] ? 0 : 1)
        var best = min(change, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, before[j - 1] + 1)
        }
        row.append(best)
      }
      (before, last) = (last, row)
    }
    return last[right.count]
  }
}
