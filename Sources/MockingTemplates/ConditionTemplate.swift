import Foundation
public import Mocking
package import Networking

extension RequestCondition {
  /// Returns a condition on the value of an expression of the template syntax.
  ///
  /// ```swift
  /// Route(.post, "/orders", .status(402)).where(.expression("body.total > variables.limit"))
  /// ```
  ///
  /// - Parameter text: The expression, without braces. It can read the request, the variables and the
  ///   resources of the backend, but not generate values. The condition is met unless the value is
  ///   `null`, `false`, 0, or an empty text, array or object. A malformed expression in a route is
  ///   `MockServerError.invalidPattern(_:reason:)`.
  /// - Returns: The condition.
  public static func expression(_ text: String) -> RequestCondition {
    do throws(TemplateSyntaxError) {
      return expression(text, try Template(expression: text, in: TemplateScope().forCondition))
    } catch {
      return expression(text, problem: error.description) { _ in false }
    }
  }

  private static func expression(_ text: String, _ template: Template) -> RequestCondition {
    expression(text) { request in
      var rendering = TemplateRendering(condition: request)
      return (try? template.holds(&rendering)) ?? false
    }
  }

  /// Returns a condition on the value of an expression, with or without braces.
  ///
  /// - Parameters:
  ///   - text: The expression.
  ///   - scope: The names that it can use.
  /// - Returns: The condition, or `nil` if the text has braces and is not exactly one expression.
  /// - Throws: ``TemplateSyntaxError`` for the first error.
  package static func expression(
    _ text: String, in scope: TemplateScope
  ) throws(TemplateSyntaxError) -> RequestCondition? {
    try Template(condition: text, in: scope.forCondition).map { expression(text, $0) }
  }

  /// Returns a condition on a JSON body whose strings are templates.
  ///
  /// - Parameters:
  ///   - json: The template.
  ///   - scope: The names that it can use.
  ///   - isPart: Whether the body contains the value, instead of being equal to it.
  /// - Returns: The condition.
  /// - Throws: ``TemplateSyntaxError`` for the first error.
  package static func json(
    template json: JSON, in scope: TemplateScope, isPart: Bool
  ) throws(TemplateSyntaxError) -> RequestCondition {
    .json(computed: try RequestValue(template: json, in: scope), isPart: isPart)
  }
}

extension TextPattern {
  /// Creates a pattern for the value of a template.
  ///
  /// - Parameters:
  ///   - text: The template.
  ///   - scope: The names that it can use.
  ///   - isPart: Whether a text matches that contains the value.
  /// - Throws: ``TemplateSyntaxError``.
  package init(
    template text: String, in scope: TemplateScope, isPart: Bool
  ) throws(TemplateSyntaxError) {
    let template = try TemplateText(text, in: scope.forCondition)
    if let literal = template.literal {
      self = isPart ? .containing(literal) : .equal(literal)
      return
    }
    let value = RequestValue(source: .string(text)) { request in
      var rendering = TemplateRendering(condition: request)
      // A template without a value, such as one of a variable that is not set, matches nothing.
      for case .value(let expression) in template.nodes {
        guard let value = try? expression.value(&rendering), value != .null else { return nil }
      }
      return (try? template.render(&rendering)).map { .string($0) }
    }
    self = .computed(value, isPart: isPart)
  }
}

extension JSONPattern {
  /// Creates a pattern for the value of a template.
  ///
  /// - Parameters:
  ///   - json: The template.
  ///   - scope: The names that it can use.
  ///   - isPart: Whether a value matches that contains the value of the template.
  /// - Throws: ``TemplateSyntaxError``.
  package init(
    template json: JSON, in scope: TemplateScope, isPart: Bool
  ) throws(TemplateSyntaxError) {
    self = .computed(try RequestValue(template: json, in: scope), isPart: isPart)
  }
}

extension RequestValue {
  /// Creates the value of a template in a condition.
  fileprivate init(template json: JSON, in scope: TemplateScope) throws(TemplateSyntaxError) {
    let template = try TemplateJSON(json, in: scope.forCondition)
    self.init(source: json) { request in
      var rendering = TemplateRendering(condition: request)
      guard let value = try? template.value(&rendering), value != .null else { return nil }
      return value
    }
  }
}

extension TemplateScope {
  /// The names that the template of a condition can use.
  package var forCondition: TemplateScope {
    var scope = self
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

  private static let noValues = TemplateValues(seed: 0)
}

extension Route {
  /// Returns a copy that sets a variable to the value of a template when the route is chosen to respond.
  package func set(_ name: String, to template: Template) -> Route {
    set(name) { request, values, constants in
      var rendering = TemplateRendering(request, values)
      rendering.constants = constants
      return try template.value(&rendering)
    }
  }

  /// Returns a copy whose templates of variables use values of `let`, and whose response has the same
  /// values.
  package func defining(_ constants: [Template]) -> Route {
    guard !constants.isEmpty else { return self }
    return defining { request, values in
      var rendering = TemplateRendering(request, values)
      for constant in constants { rendering.constants.append(try constant.value(&rendering)) }
      return rendering.constants
    }
  }
}
