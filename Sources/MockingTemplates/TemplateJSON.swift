import Foundation
import Mocking
import MockingDocuments
import Networking

/// A JSON value with templates in its strings, parsed once.
///
/// A string that is exactly one expression becomes the value of the expression, of any JSON type.
/// Other strings remain strings. Two forms of objects are structure:
///
/// - `{"$each": "item in body.items", "$item": ...}` is an array with one value for each element.
/// - `{"$if": "query.debug", "$then": ..., "$else": ...}` is one of two values. Without `$else`, a
///   member or an element is left out if the condition does not hold.
indirect enum TemplateJSON: Sendable, Hashable {
  /// JSON text without templates.
  case encoded([UInt8])
  case value(TemplateExpression)
  case text(TemplateText)
  case object([Member])
  case array([TemplateJSON])
  case each(TemplateExpression, TemplateJSON)
  case condition(TemplateExpression, then: TemplateJSON, otherwise: TemplateJSON?)

  struct Member: Sendable, Hashable {
    let name: TemplateText
    /// The name as JSON text with a colon, if it has no expressions.
    let encodedName: [UInt8]?
    let value: TemplateJSON
  }

  /// The limit for the nesting of values, which bounds the recursion.
  static let maximumDepth = 64

  /// Whether a value contains a template.
  static func isTemplate(_ json: JSON) -> Bool {
    switch json {
    case .string(let text): TemplateText.isTemplate(text)
    case .array(let elements): elements.contains { isTemplate($0) }
    case .dictionary(let members):
      Form(members) != nil
        || members.contains { TemplateText.isTemplate($0.key) || isTemplate($0.value) }
    case .null, .bool, .int, .decimal, .double: false
    }
  }

  /// The structural forms of objects.
  private enum Form: String {
    case each = "$each"
    case condition = "$if"

    /// Creates the form of an object, or returns `nil` if the object is a value.
    init?(_ members: [String: JSON]) {
      if case .string? = members["$each"], members["$item"] != nil {
        self = .each
      } else if case .string? = members["$if"], members["$then"] != nil {
        self = .condition
      } else {
        return nil
      }
    }

    var names: [String] { self == .each ? ["$each", "$item"] : ["$if", "$then", "$else"] }
  }

  /// Parses a value.
  ///
  /// - Parameters:
  ///   - json: The value.
  ///   - scope: The names that the templates can use.
  ///   - path: The path of the value, for errors.
  /// - Throws: ``TemplateSyntaxError`` with the path of the string.
  init(
    _ json: JSON, in scope: TemplateScope = TemplateScope(), at path: JSONValuePath = []
  ) throws(TemplateSyntaxError) {
    guard path.steps.count <= Self.maximumDepth else {
      throw TemplateSyntaxError(
        "values are nested more than \(Self.maximumDepth) levels deep", at: 0
      )
      .located(at: path)
    }
    switch json {
    case .string(let text):
      let template = try Self.template(text, in: scope, at: path)
      if let literal = template.literal {
        self = .encoded(Self.encoded(.string(literal)))
      } else if let expression = template.expression {
        self = .value(expression)
      } else {
        self = .text(template)
      }
    case .array(let elements):
      var templates: [TemplateJSON] = []
      for (index, element) in elements.enumerated() {
        templates.append(
          try TemplateJSON(element, in: scope, at: path.appending(.element(index))))
      }
      let texts = templates.compactMap(\.encodedText)
      self =
        texts.count == templates.count
        ? .encoded(Self.joined(texts, between: "[", and: "]")) : .array(templates)
    case .dictionary(let members):
      if let form = Form(members) {
        self = try Self.structure(form, members, scope, path)
        return
      }
      var templates: [Member] = []
      let ranked = members.sorted {
        let (left, right) = (scope.ranks[$0.key] ?? .max, scope.ranks[$1.key] ?? .max)
        return left == right
          ? $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) : left < right
      }
      for (name, value) in ranked {
        let path = path.appending(.member(name))
        let template = try Self.template(name, in: scope, at: path, isName: true)
        templates.append(
          Member(
            name: template,
            encodedName: template.literal.map { Self.encoded(.string($0)) + [UInt8(ascii: ":")] },
            value: try TemplateJSON(value, in: scope, at: path)))
      }
      let texts = templates.compactMap { member -> [UInt8]? in
        guard let name = member.encodedName, let value = member.value.encodedText else {
          return nil
        }
        return name + value
      }
      self =
        texts.count == templates.count
        ? .encoded(Self.joined(texts, between: "{", and: "}")) : .object(templates)
    case .null, .bool, .int, .decimal, .double: self = .encoded(Self.encoded(json))
    }
  }

  private static func template(
    _ text: String, in scope: TemplateScope, at path: JSONValuePath, isName: Bool = false
  ) throws(TemplateSyntaxError) -> TemplateText {
    do throws(TemplateSyntaxError) {
      return try TemplateText(text, in: scope)
    } catch {
      throw error.located(at: path, isName: isName)
    }
  }

  private static func structure(
    _ form: Form, _ members: [String: JSON], _ scope: TemplateScope, _ path: JSONValuePath
  ) throws(TemplateSyntaxError) -> TemplateJSON {
    if let name = members.keys.sorted().first(where: { !form.names.contains($0) }) {
      throw TemplateSyntaxError(unknown: name, "key", at: 0, among: form.names)
        .located(at: path.appending(.member(name)), isName: true)
    }
    func child(_ name: String) -> JSONValuePath { path.appending(.member(name)) }
    let header = members[form.rawValue]?.string ?? ""
    var scope = scope
    do throws(TemplateSyntaxError) {
      // The braces are optional, because the whole string is an expression.
      let (text, offset) = Self.withoutBraces(header)
      do throws(TemplateSyntaxError) {
        var parser = try TemplateParser(Array(text.utf8), in: scope)
        switch form {
        case .each:
          let (name, list) = try parser.loopHeader()
          guard parser.lexer.token == .end else { throw parser.unexpectedToken("expected the end") }
          guard scope.loops.count < TemplateParser.maximumDepth else {
            throw parser.lexer.error("loops are nested too deeply")
          }
          scope.loops.append(name)
          let item = try TemplateJSON(members["$item"] ?? .null, in: scope, at: child("$item"))
          return .each(list, item)
        case .condition:
          let condition = try parser.expression()
          guard parser.lexer.token == .end else { throw parser.unexpectedToken("expected the end") }
          let otherwise: TemplateJSON? =
            if let value = members["$else"] {
              try TemplateJSON(value, in: scope, at: child("$else"))
            } else { nil }
          return .condition(
            condition,
            then: try TemplateJSON(members["$then"] ?? .null, in: scope, at: child("$then")),
            otherwise: otherwise)
        }
      } catch {
        var error = error
        if error.path.steps.isEmpty { error.offset += offset }
        throw error
      }
    } catch {
      throw error.path.steps.isEmpty ? error.located(at: child(form.rawValue)) : error
    }
  }

  /// Returns the text between the braces of `{{ ... }}`, or the whole text, with its offset.
  static func withoutBraces(_ text: String) -> (text: String, offset: Int) {
    guard text.hasPrefix("{{"), text.hasSuffix("}}"), text.utf8.count >= 4 else { return (text, 0) }
    return (String(text.dropFirst(2).dropLast(2)), 2)
  }

  /// The JSON text, if the value has no templates.
  private var encodedText: [UInt8]? {
    if case .encoded(let text) = self { text } else { nil }
  }

  private static func joined(
    _ texts: [[UInt8]], between opening: Unicode.Scalar, and closing: Unicode.Scalar
  ) -> [UInt8] {
    let separator = [UInt8(ascii: ",")]
    return [UInt8(ascii: opening)] + texts.joined(separator: separator) + [UInt8(ascii: closing)]
  }

  /// Returns the JSON text of a value of a stub file, which is always valid.
  private static func encoded(_ json: JSON) -> [UInt8] {
    (try? json.data()).map { Array($0) } ?? Array("null".utf8)
  }
}

extension TemplateSyntaxError {
  /// Returns the error with the path of the string that contains it.
  fileprivate func located(
    at path: JSONValuePath, isName: Bool = false
  ) -> TemplateSyntaxError {
    var error = self
    error.path = path
    error.isInName = isName
    return error
  }
}

// MARK: - Rendering

extension TemplateJSON {
  /// Returns the rendered JSON text in UTF-8.
  func render(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(256)
    guard let chosen = try chosen(&rendering) else { return Array("null".utf8) }
    try chosen.append(to: &output, &rendering)
    return output
  }

  /// Returns the template after all conditions have been decided, or `nil` if it is left out.
  private func chosen(
    _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) -> TemplateJSON? {
    guard case .condition(let condition, let then, let otherwise) = self else { return self }
    return try condition.value(&rendering).isTruthy
      ? try then.chosen(&rendering) : try otherwise?.chosen(&rendering)
  }

  private func append(
    to output: inout [UInt8], _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) {
    switch self {
    case .encoded(let bytes): output += bytes
    case .value(let expression):
      try Self.append(try expression.value(&rendering), to: &output, rendering)
    case .text(let text):
      try Self.append(.string(try text.render(&rendering)), to: &output, rendering)
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      var isFirst = true
      for member in members {
        guard let value = try member.value.chosen(&rendering) else { continue }
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        if let name = member.encodedName {
          output += name
        } else {
          try Self.append(.string(try member.name.render(&rendering)), to: &output, rendering)
          output.append(UInt8(ascii: ":"))
        }
        try value.append(to: &output, &rendering)
      }
      output.append(UInt8(ascii: "}"))
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements { try element.appendElement(&isFirst, to: &output, &rendering) }
      output.append(UInt8(ascii: "]"))
    case .each(let list, let item):
      output.append(UInt8(ascii: "["))
      let list = try list.value(&rendering)
      var isFirst = true
      _ = try rendering.forEach(in: list) { rendering throws(TemplateRenderError) in
        try item.appendElement(&isFirst, to: &output, &rendering)
      }
      output.append(UInt8(ascii: "]"))
    case .condition:
      try chosen(&rendering)?.append(to: &output, &rendering)
    }
    guard output.count <= TemplateRendering.outputLimit else { throw .tooLarge }
  }

  private func appendElement(
    _ isFirst: inout Bool, to output: inout [UInt8], _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) {
    guard let element = try chosen(&rendering) else { return }
    if !isFirst { output.append(UInt8(ascii: ",")) }
    isFirst = false
    try element.append(to: &output, &rendering)
  }

  /// Appends a value as JSON text.
  private static func append(
    _ value: JSON, to output: inout [UInt8], _ rendering: TemplateRendering
  ) throws(TemplateRenderError) {
    switch value {
    // Fast path: a string that needs no escapes.
    case .string(let text)
    where text.utf8.allBytesSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }):
      output.append(UInt8(ascii: "\""))
      output += text.utf8
      output.append(UInt8(ascii: "\""))
    case .int(let number): output += String(number).utf8
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    default:
      guard value.encodedSize <= TemplateRendering.outputLimit - output.count else {
        throw .tooLarge
      }
      do {
        // Items of resources keep the order of their members.
        output += try rendering.items?.encode(value) ?? value.data()
      } catch {
        throw .notJSON("\(error)")
      }
    }
  }
}

extension TemplateJSON {
  /// Returns the rendered value.
  func value(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> JSON {
    if case .value(let expression) = self { return try expression.value(&rendering) }
    let text = try render(&rendering)
    // A value of two bytes is an element of an array.
    try rendering.work.charge(JSON.elementSize / 4, times: text.count)
    return (try? JSON(parsing: Data(text))) ?? .null
  }
}
