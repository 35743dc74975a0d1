package import Foundation
package import Mocking
package import Networking

/// A parsed template: a text, a JSON value or an expression.
///
/// Modules that read routes from files parse and render templates through this type.
package struct Template: Sendable, Hashable {
  enum Kind: Hashable {
    case text(TemplateText)
    case json(TemplateJSON)
    case expression(TemplateExpression)
  }

  let kind: Kind

  /// Parses a text.
  ///
  /// - Throws: ``TemplateSyntaxError`` for the first error.
  package init(text: String, in scope: TemplateScope) throws(TemplateSyntaxError) {
    kind = .text(try TemplateText(text, in: scope))
  }

  /// Parses a JSON value with templates in its strings.
  ///
  /// - Throws: ``TemplateSyntaxError`` with the path of the string.
  package init(json: JSON, in scope: TemplateScope) throws(TemplateSyntaxError) {
    kind = .json(try TemplateJSON(json, in: scope))
  }

  /// Parses an expression without braces.
  ///
  /// - Throws: ``TemplateSyntaxError`` for the first error.
  init(expression text: String, in scope: TemplateScope) throws(TemplateSyntaxError) {
    self.init(.expression(try TemplateParser.expression(text, in: scope)))
  }

  /// Parses a condition, with or without braces.
  ///
  /// - Returns: The template, or `nil` if the text has braces and is not exactly one expression.
  /// - Throws: ``TemplateSyntaxError`` for the first error.
  package init?(condition text: String, in scope: TemplateScope) throws(TemplateSyntaxError) {
    if TemplateText.isTemplate(text) {
      guard let expression = try TemplateText(text, in: scope).expression else { return nil }
      self.init(.expression(expression))
    } else {
      try self.init(expression: text, in: scope)
    }
  }

  /// Creates a text without expressions.
  package init(literal text: String) { kind = .text(TemplateText(literal: text)) }

  private init(_ kind: Kind) { self.kind = kind }

  /// Parses the header of a loop, such as `item in body.items`, with or without braces.
  ///
  /// - Returns: The name of the element, if it has one, and the expression of the list.
  /// - Throws: ``TemplateSyntaxError`` for the first error.
  package static func loopHeader(
    _ text: String, in scope: TemplateScope
  ) throws(TemplateSyntaxError) -> (name: String?, list: Template) {
    let (text, offset) = TemplateJSON.withoutBraces(text)
    do throws(TemplateSyntaxError) {
      var parser = try TemplateParser(Array(text.utf8), in: scope)
      let (name, list) = try parser.loopHeader()
      guard parser.lexer.token == .end else { throw parser.unexpectedToken("expected the end") }
      return (name, Template(.expression(list)))
    } catch {
      var error = error
      error.offset += offset
      throw error
    }
  }

  /// Returns whether a value contains a template.
  package static func isTemplate(_ json: JSON) -> Bool { TemplateJSON.isTemplate(json) }

  /// The text, if it has no expressions.
  package var literal: String? {
    if case .text(let text) = kind { text.literal } else { nil }
  }

  /// The expression, if the text is exactly one expression.
  package var expression: Template? {
    guard case .text(let text) = kind else { return nil }
    return text.expression.map { Template(.expression($0)) }
  }

  // MARK: Rendering

  /// Returns the value: that of an expression, the rendered JSON value, or the rendered text as a
  /// string.
  package func value(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> JSON {
    switch kind {
    case .text(let template): .string(try template.render(&rendering))
    case .json(let template): try template.value(&rendering)
    case .expression(let template): try template.value(&rendering)
    }
  }

  /// Returns the rendered text, or the rendered value as JSON text.
  package func text(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> String {
    switch kind {
    case .text(let template): try template.render(&rendering)
    case .json(let template): String(decoding: try template.render(&rendering), as: UTF8.self)
    case .expression(let template): try template.value(&rendering).templateText
    }
  }

  /// Returns the bytes of ``text(_:)``.
  package func data(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> Data {
    guard case .json(let template) = kind else { return Data(try text(&rendering).utf8) }
    return Data(try template.render(&rendering))
  }

  /// Returns whether the value is none of `null`, `false`, 0, and an empty text, array or object.
  package func holds(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> Bool {
    try value(&rendering).isTruthy
  }
}

extension TemplateRendering {
  /// Evaluates the values of `let`, unless the route has evaluated them for its variables.
  ///
  /// - Throws: ``TemplateRenderError``.
  package mutating func define(_ constants: [Template]) throws(TemplateRenderError) {
    if let values = request.session.constants {
      self.constants = values
      return
    }
    for constant in constants { self.constants.append(try constant.value(&self)) }
  }

  /// The resources of the backend.
  package var resources: (any RequestResources)? { request.session.resources }
}
