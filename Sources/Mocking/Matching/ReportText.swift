import Networking

/// How reports write values: bounded, on one line, without secrets.
enum ReportText {
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
