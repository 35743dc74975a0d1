import Networking

extension JSON {
  /// Returns whether this value contains `part`.
  ///
  /// An object may have additional members; an array must have the same number of elements.
  func contains(_ part: JSON) -> Bool {
    switch (self, part) {
    case (.dictionary(let members), .dictionary(let parts)):
      parts.allSatisfy { name, part in members[name]?.contains(part) ?? false }
    case (.array(let elements), .array(let parts)):
      elements.count == parts.count && zip(elements, parts).allSatisfy { $0.contains($1) }
    default: self == part
    }
  }

  /// Returns the differences between this expected value and an actual value.
  ///
  /// The aspect of each difference is its location, such as `JSON .type`. With `isExact`,
  /// additional members of the actual value are differences too.
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
          secret: secret || Redactor.standard.isSecret(name: name), &differences)
      }
      guard isExact else { return }
      for name in members.keys.sorted() where expected[name] == nil {
        let isSecret = secret || Redactor.standard.isSecret(name: name)
        differences.append(
          RequestDifference(
            aspect: "JSON \(place).\(name)", expected: "none",
            actual: isSecret ? Redactor.mask : members[name].map(ReportFormatter.json) ?? "none"))
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
          expected: secret ? Redactor.mask : ReportFormatter.json(self),
          actual: actual.map { secret ? Redactor.mask : ReportFormatter.json($0) } ?? "none"))
    }
  }

  private static let maximumDifferences = 10
}

/// A formatter of values in reports: on one line, with a limited length and masked secrets.
package enum ReportFormatter {
  /// Returns a text in quotes.
  package static func quoted(_ text: String) -> String {
    bounded(text.debugDescription)
  }

  /// Returns the text of a body in quotes, with the values of secret names masked.
  static func body(_ text: String) -> String {
    quoted(masked(text))
  }

  /// Returns the first 2,048 characters of a text, with the values of secret names masked.
  static func masked(_ text: String) -> String {
    // Masks before the result is shortened, because a part of a secret would not be recognized.
    Redactor.standard.maskedText(String(text.prefix(2_048)))
  }

  /// Returns the values of a field, masked if its name is secret.
  static func values(_ values: [String], of name: String) -> String {
    guard !values.isEmpty else { return "none" }
    if Redactor.standard.isSecret(name: name) { return Redactor.mask }
    return bounded(values.prefix(10).map { quoted($0) }.joined(separator: ", "))
  }

  /// Returns JSON text, with the values of secret names masked.
  static func json(_ value: JSON) -> String {
    bounded(
      value.masked(
        where: { name, _ in Redactor.standard.isSecret(name: name) },
        by: { _ in .string(Redactor.mask) }
      ).description)
  }

  /// Returns the first 200 characters of a text, followed by an ellipsis if the text is longer.
  package static func bounded(_ text: String) -> String {
    text.count > 200 ? text.prefix(200) + "..." : text
  }
}
