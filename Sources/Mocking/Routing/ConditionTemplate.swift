import Networking

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
  /// Returns the names that the template of a condition can use.
  static func condition(pathVariables: [String]?) -> TemplateScope {
    var scope = TemplateScope(pathVariables: pathVariables)
    // A condition is tested any number of times, so it must not count or draw.
    scope.hasFunctions = false
    return scope
  }
}

extension TemplateRendering {
  /// Creates the rendering of a template in a condition, which generates no values.
  fileprivate init(condition request: ReceivedRequest) {
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

extension JSONPattern {
  /// Creates a pattern for the value of a template.
  ///
  /// - Parameters:
  ///   - json: The template.
  ///   - scope: The names that it can use.
  ///   - isPart: Whether a value matches that contains the value of the template.
  /// - Throws: ``TemplateSyntaxError``.
  init(template json: JSON, in scope: TemplateScope, isPart: Bool) throws(TemplateSyntaxError) {
    let template = try TemplateJSON(json, in: scope)
    self.init(kind: .template(.init(template: template, source: json, isPart: isPart)))
  }

  /// Returns the pattern for a request: without templates, or unchanged if a template has no value.
  func rendered(for request: ReceivedRequest) -> JSONPattern {
    guard case .template(let condition) = kind, let value = condition.value(for: request) else {
      return self
    }
    return condition.isPart ? .containing(value) : .equal(value)
  }

  /// Whether the pattern has a template, which may read variables.
  var isTemplate: Bool { if case .template = kind { true } else { false } }
}

extension ConditionTemplate where Template == TemplateJSON {
  /// Returns the value for a request, or `nil` if there is none.
  func value(for request: ReceivedRequest) -> JSON? {
    var rendering = TemplateRendering(condition: request)
    guard let value = try? template.value(&rendering), value != .null else { return nil }
    return value
  }
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
