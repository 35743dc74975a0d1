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
    case template(ConditionTemplate<TemplateText, String>)
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
    // A template that has not been rendered has no value.
    case .template: false
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
    case .template(let condition):
      condition.isPart ? "a text containing \(quoted(condition.source))" : quoted(condition.source)
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

// MARK: - Templates

/// A template in a condition, whose value is compared with a part of the request.
///
/// It is rendered for each comparison, from the request and the variables of the backend. A template
/// without a value, such as one of a variable that is not set, matches nothing.
struct ConditionTemplate<Template: Hashable & Sendable, Source: Hashable & Sendable>: Hashable,
  Sendable
{
  let template: Template
  /// The template as written, for reports, because its value may be a secret.
  let source: Source
  /// Whether the compared value contains the rendered one, instead of being equal to it.
  let isPart: Bool
}

extension TemplateScope {
  /// The names that the template of a condition can use.
  var forCondition: TemplateScope {
    var scope = self
    // A condition is tested any number of times, so it must not count or draw.
    scope.hasFunctions = false
    return scope
  }
}

extension TemplateRendering {
  /// Creates the rendering of a template in a condition, which generates no values.
  init(condition request: ReceivedRequest) {
    self.init(request, Self.noValues)
  }

  private static let noValues = TemplateValues()
}

extension TextPattern {
  /// Creates a pattern for the value of a template.
  ///
  /// - Parameters:
  ///   - text: The template.
  ///   - scope: The names that it can use.
  ///   - isPart: Whether a text matches that contains the value.
  /// - Throws: ``TemplateSyntaxError``.
  init(
    template text: String, in scope: TemplateScope, isPart: Bool
  ) throws(TemplateSyntaxError) {
    let template = try TemplateText(text, in: scope)
    if let literal = template.literal {
      self = isPart ? .containing(literal) : .equal(literal)
    } else {
      self.init(kind: .template(.init(template: template, source: text, isPart: isPart)))
    }
  }

  /// Returns the pattern for a request: without templates, or unchanged if a template has no value.
  func rendered(for request: ReceivedRequest) -> TextPattern {
    guard case .template(let condition) = kind else { return self }
    var rendering = TemplateRendering(condition: request)
    for case .value(let expression) in condition.template.nodes {
      guard let value = try? expression.value(&rendering), value != .null else { return self }
    }
    guard let text = try? condition.template.render(&rendering) else { return self }
    return condition.isPart ? .containing(text) : .equal(text)
  }

  /// Whether the pattern has a template, which may read variables.
  var isTemplate: Bool { if case .template = kind { true } else { false } }
}

extension RequestCondition.PartPattern {
  /// Whether one of the patterns has a template.
  var isTemplate: Bool {
    [value, fileName, contentType].contains { $0?.isTemplate == true }
  }

  /// Returns the patterns for a request, without templates.
  func rendered(for request: ReceivedRequest) -> Self {
    Self(
      value: value?.rendered(for: request), fileName: fileName?.rendered(for: request),
      contentType: contentType?.rendered(for: request))
  }
}
