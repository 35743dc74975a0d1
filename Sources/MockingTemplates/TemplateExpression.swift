import Foundation
import Mocking
package import Networking

/// An expression of a template, such as `query.page | default(1)`.
///
/// Names are resolved when the template is parsed, so that an evaluation looks up values only.
indirect enum TemplateExpression: Sendable, Hashable {
  case literal(JSON)
  /// A value of the request.
  case root(TemplateRoot, [JSONValuePath.Step])
  /// A value of the loop with an index, counted from the outermost loop.
  case loop(Int, LoopMember, [JSONValuePath.Step])
  /// The value of `let` with an index.
  case constant(Int, [JSONValuePath.Step])
  case call(TemplateFunction, [TemplateExpression], [JSONValuePath.Step])
  case filter(TemplateFilter, TemplateExpression, [TemplateExpression])
  /// The items of the resource at a path, or a part of one.
  case resource(String, [JSONValuePath.Step])
  case arithmetic(Arithmetic, TemplateExpression, TemplateExpression)
  case comparison(Comparison, TemplateExpression, TemplateExpression)
  case and(TemplateExpression, TemplateExpression)
  case or(TemplateExpression, TemplateExpression)
  case not(TemplateExpression)

  /// A value that a loop provides.
  enum LoopMember: String, Sendable, CaseIterable {
    case value = "this"
    case index = "@index"
    case number = "@number"
    case isFirst = "@first"
    case isLast = "@last"
    case key = "@key"
  }

  enum Arithmetic: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
  }

  enum Comparison: String, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }
}

/// A name for a value of the request or of the backend.
enum TemplateRoot: String, Sendable, CaseIterable {
  case method, url, baseUrl, target, path, query, queries, headers, cookies, form, parts, body, text
  /// The variables of the backend's scenarios.
  case variables
  /// The items of the backend's resources, by path.
  case resources
  /// The response to the request.
  ///
  /// Only for a template that is rendered after the response.
  case response
}

extension TemplateExpression {
  /// Evaluates the expression.
  ///
  /// - Parameter rendering: The state of the rendering.
  /// - Returns: The value, or `null` if a part of a path is missing.
  /// - Throws: ``TemplateRenderError`` if the rendering exceeds a limit.
  func value(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> JSON {
    switch self {
    case .literal(let value): return value
    case .root(let root, let steps): return try rendering.value(of: root, steps)
    case .loop(let index, let member, let steps):
      return rendering.loops[index].value(of: member).value(at: steps[...])
    case .constant(let index, let steps):
      return rendering.constants[index].value(at: steps[...])
    case .call(let function, let arguments, let steps):
      return try function.value(try Self.values(of: arguments, &rendering), &rendering).value(
        at: steps[...])
    case .filter(.default, let input, let arguments):
      let value = try input.value(&rendering)
      // Evaluated only if needed, because an argument may advance a counter.
      return value.isMissing ? try arguments[0].value(&rendering) : value
    case .filter(.find, .resource(let path, let steps), let arguments) where steps.isEmpty:
      return try rendering.item(where: try Self.values(of: arguments, &rendering), at: path)
    case .resource(let path, let steps): return try rendering.resource(path, steps)
    case .arithmetic(let operation, let left, let right):
      let (left, right) = (try left.value(&rendering), try right.value(&rendering))
      return try operation.value(left, right, &rendering.work)
    case .filter(let filter, let input, let arguments):
      let input = try input.value(&rendering)
      let values = try Self.values(of: arguments, &rendering)
      return try filter.value(of: input, values, &rendering.work)
    case .comparison(let comparison, let left, let right):
      let (left, right) = (try left.value(&rendering), try right.value(&rendering))
      try rendering.work.charge(left.comparisonSize(with: right))
      return .bool(comparison.holds(left, right))
    case .and(let left, let right):
      return .bool(
        try left.value(&rendering).isTruthy ? try right.value(&rendering).isTruthy : false)
    case .or(let left, let right):
      return .bool(
        try left.value(&rendering).isTruthy ? true : try right.value(&rendering).isTruthy)
    case .not(let operand): return .bool(!(try operand.value(&rendering).isTruthy))
    }
  }

  private static func values(
    of arguments: [TemplateExpression], _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) -> [JSON] {
    var values: [JSON] = []
    for argument in arguments { values.append(try argument.value(&rendering)) }
    return values
  }
}

extension TemplateExpression.Arithmetic {
  /// Returns the result, or `null` if an operand is neither a number nor the text of one.
  ///
  /// `+` joins two values of which one is another text.
  func value(
    _ left: JSON, _ right: JSON, _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> JSON {
    let filter: TemplateFilter =
      switch self {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      case .divide: .divide
      }
    let number = try filter.value(of: left, [right], &work)
    guard self == .add, number == .null, left.isJoinable, right.isJoinable,
      left.string != nil || right.string != nil
    else { return number }
    return .string(try work.text(of: left) + work.text(of: right))
  }
}

extension JSON {
  /// Whether `+` joins the value with a text.
  fileprivate var isJoinable: Bool {
    switch self {
    case .string, .bool, .int, .double, .decimal: true
    case .null, .array, .dictionary: false
    }
  }
}

extension TemplateExpression.Comparison {
  /// Returns whether the comparison holds.
  ///
  /// Numbers are compared by value and strings by their characters. A number and the text of a
  /// number are compared as numbers, because values of paths and queries are texts. Other pairs
  /// have no order.
  func holds(_ left: JSON, _ right: JSON) -> Bool {
    switch self {
    case .equal: Self.areEqual(left, right)
    case .notEqual: !Self.areEqual(left, right)
    case .less: Self.isLess(left, right) ?? false
    case .greater: Self.isLess(right, left) ?? false
    case .lessOrEqual: Self.isLess(right, left).map { !$0 } ?? false
    case .greaterOrEqual: Self.isLess(left, right).map { !$0 } ?? false
    }
  }

  private static func areEqual(_ left: JSON, _ right: JSON) -> Bool {
    switch (left, right) {
    case (.string, .int), (.string, .double), (.string, .decimal), (.int, .string),
      (.double, .string), (.decimal, .string):
      left.asNumber.map { $0 == right.asNumber } ?? false
    default: left == right
    }
  }

  private static func isLess(_ left: JSON, _ right: JSON) -> Bool? {
    if case .string(let left) = left, case .string(let right) = right { return left < right }
    guard let left = left.asNumber, let right = right.asNumber else { return nil }
    return left < right
  }
}

extension JSON {
  /// Whether a condition with this value holds: any value but `null`, `false`, 0, an empty string,
  /// an empty array and an empty object.
  var isTruthy: Bool {
    switch self {
    case .null: false
    case .bool(let value): value
    case .int(let value): value != 0
    case .double(let value): value != 0
    case .decimal(let value): value != 0
    case .string(let value): !value.isEmpty
    case .array(let values): !values.isEmpty
    case .dictionary(let members): !members.isEmpty
    }
  }

  /// Whether the filter `default` replaces this value: `null` and an empty string.
  var isMissing: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    default: false
    }
  }

  /// The value as text: `null` is empty, an array or an object is compact JSON.
  package var templateText: String {
    switch self {
    case .null: ""
    case .string(let text): text
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    default: description
    }
  }

  /// Returns whether the operator `==` of templates holds for two values.
  package func isTemplateEqual(to other: JSON) -> Bool {
    TemplateExpression.Comparison.equal.holds(self, other)
  }

  /// Returns the value at a path, or `null` if a part of it is missing.
  func value(at steps: ArraySlice<JSONValuePath.Step>) -> JSON {
    var value = self
    for step in steps {
      switch (step, value) {
      case (.member(let name), .dictionary(let members)): value = members[name] ?? .null
      case (.element(let index), .array(let elements)):
        value = elements.indices.contains(index) ? elements[index] : .null
      // The path `items.0` also leads to an element.
      case (.member(let name), .array(let elements)):
        let index = Int(name) ?? -1
        value = elements.indices.contains(index) ? elements[index] : .null
      default: return .null
      }
    }
    return value
  }
}
