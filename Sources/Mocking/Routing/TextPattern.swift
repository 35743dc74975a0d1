/// A pattern for a text, such as a body, or the value of a query item, a header field or a form
/// field.
///
/// A string literal creates ``equal(_:)``.
///
/// ```swift
/// .query("page", "2")
/// .header("Authorization", .present)
/// .header("Accept", .containing("json"))
/// .form("year", .matching("^[0-9]{4}$"))
/// ```
///
/// If a name has several values, one matching value is sufficient.
public struct TextPattern: Sendable, Hashable {
  enum Kind: Hashable {
    case equal(String)
    case present
    case absent
    case containing(String)
    case matching(RegularExpression)
    case computed(RequestValue, isPart: Bool)
  }

  let kind: Kind

  /// Matches any text, even an empty one.
  public static let present = TextPattern(kind: .present)

  /// Matches if there is no text: the name has no value, or the body is empty.
  public static let absent = TextPattern(kind: .absent)

  /// Returns a pattern for an exact text.
  ///
  /// - Parameter text: The text.
  /// - Returns: The pattern.
  public static func equal(_ text: String) -> TextPattern { TextPattern(kind: .equal(text)) }

  /// Returns a pattern for a text that contains another text.
  ///
  /// - Parameter part: The contained text. Every text contains the empty text.
  /// - Returns: The pattern.
  public static func containing(_ part: String) -> TextPattern {
    TextPattern(kind: .containing(part))
  }

  /// Returns a pattern for a text that contains a match of a regular expression.
  ///
  /// The time of the search is at most proportional to the length of the text, whatever the
  /// expression, so that a request cannot stop a server. The text is compared by Unicode scalars.
  ///
  /// The expression may have literals, `.`, classes such as `[^a-z]`, `\d`, `\w`, `\s`, `\p{Lu}` and
  /// their negations in uppercase, the anchors `^`, `$`, `\A`, `\z`, `\b` and `\B`, groups, `|`, the
  /// repetitions `*`, `+`, `?`, `{3}`, `{3,}` and `{3,5}` up to 1,000, and the flags `(?i)` to ignore
  /// case, `(?s)` for `.` to match line breaks, and `(?m)` for `^` and `$` to match at lines.
  /// Back-references, look-around, and possessive repetitions are errors.
  ///
  /// - Parameter expression: The expression. It may match any part of the text, unless `^` and `$`
  ///   anchor it. If the expression in a route is malformed, the initializer of a server throws
  ///   ``MockServerError/invalidPattern(_:reason:)``, and a transport fails all requests. A
  ///   verification with a malformed expression fails and reports the error.
  /// - Returns: The pattern.
  public static func matching(_ expression: String) -> TextPattern {
    TextPattern(kind: .matching(RegularExpression(expression)))
  }

  /// Returns whether at least one of the values matches.
  func matches(_ values: [String]) -> Bool {
    switch kind {
    case .present: !values.isEmpty
    case .absent: values.isEmpty
    case .equal(let text): values.contains(text)
    case .containing(let part): values.contains { TextOccurrences.contains(part, in: $0) }
    case .matching(let pattern): values.contains { pattern.isFound(in: $0) }
    case .computed: false
    }
  }

  /// The error in the pattern, or `nil` if it is valid.
  var validationError: MockServerError? {
    guard case .matching(let expression) = kind else { return nil }
    return expression.serverError
  }
}

extension TextPattern: ExpressibleByStringInterpolation {
  /// Creates an ``equal(_:)`` pattern.
  public init(stringLiteral value: String) { self = .equal(value) }
}

extension TextPattern: CustomStringConvertible {
  /// The expected text, such as `"2"`, `any value` or `a match of /^[0-9]+$/`.
  public var description: String { description { $0 } }

  /// The expected body text, with the values of secret names masked.
  var bodyDescription: String { description(ReportFormatter.masked) }

  private func description(_ masked: (String) -> String) -> String {
    func quoted(_ text: String) -> String { ReportFormatter.quoted(masked(text)) }
    return switch kind {
    case .equal(let text): quoted(text)
    case .present: "any value"
    case .absent: "none"
    case .containing(let part): "a text containing \(quoted(part))"
    case .matching(let expression): expression.expectation(masked)
    case .computed(let text, let isPart):
      (isPart ? "a text containing " : "") + quoted(text.source.string ?? "")
    }
  }
}

extension RegularExpression {
  /// The error in the expression, or `nil` if it is valid.
  var serverError: MockServerError? {
    validationError.map { .invalidPattern(text, reason: $0) }
  }

  /// Returns a description of the expected text.
  func expectation(_ masked: (String) -> String) -> String {
    ReportFormatter.bounded("a match of /\(masked(text))/")
  }
}
