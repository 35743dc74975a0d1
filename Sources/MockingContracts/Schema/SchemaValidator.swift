import Foundation
import Networking

/// A validation of a value against a compiled schema.
///
/// Source: JSON Schema Core and Validation 2020-12; OpenAPI 3.0.4, Schema Object.
struct SchemaValidator {
  /// The way in which a value travels, for `readOnly` and `writeOnly`.
  enum Direction: Sendable {
    case request, response
  }

  /// The limit for the number of steps, which bounds the time: the schemas that are applied, the values
  /// that are compared, and the work of formats and of the searches for patterns.
  static let maximumStepCount = 5_000_000
  /// The number of instructions of a pattern that count as one step.
  private static let patternWorkPerStep = 16
  /// The limit for the nesting of schemas, which bounds the recursion.
  static let maximumDepth = 500
  /// The nesting for which the stack of the caller is enough.
  private static let usualDepth = 40
  /// The limit for the number of violations of a value.
  static let maximumViolationCount = 100

  let program: SchemaProgram
  let assertsFormats: Bool
  let direction: Direction?
  private let maximumStepCount: Int
  private let maximumDepth: Int
  private(set) var violations: [SchemaViolation] = []
  var path: [String] = []
  /// The resources from the outermost schema to this one, for dynamic references.
  private var scope: [Int] = []
  /// The schemas that are applied to the value, without those of the values that contain it.
  private var active: [Int] = []
  private var depth = 0
  private var stepCount = 0
  /// The members that travel in the other direction, by schema.
  private var omittedNames: [Int: Set<String>] = [:]
  /// The reason why the validation has ended before its result was known.
  ///
  /// A schema that is not applied neither matches nor fails, so the result of `not` and of other keywords
  /// would be wrong.
  private var interruption: SchemaViolation?
  /// Whether the nesting was a reason.
  private var isTooDeep = false

  /// Validates a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - schema: The index of the schema.
  ///   - program: The compiled schemas.
  ///   - assertsFormats: Whether a string that is not of its `format` is a violation.
  ///   - direction: The way in which the value travels. `nil` ignores `readOnly` and `writeOnly`.
  ///   - maximumStepCount: The number of steps, beyond which the value is a violation.
  /// - Returns: The violations, at most ``maximumViolationCount``. If the validation cannot be completed,
  ///   the only one says why.
  static func violations(
    of value: JSON, _ schema: Int, in program: SchemaProgram, assertsFormats: Bool = false,
    direction: Direction? = nil, maximumStepCount: Int = maximumStepCount
  ) -> [SchemaViolation] {
    var stepCount = 0
    return violations(
      of: value, schema, in: program, assertsFormats: assertsFormats, direction: direction,
      maximumStepCount: maximumStepCount, counting: &stepCount)
  }

  /// Validates a value, and adds the number of steps to another one.
  static func violations(
    of value: JSON, _ schema: Int, in program: SchemaProgram, assertsFormats: Bool = false,
    direction: Direction?, maximumStepCount: Int, counting stepCount: inout Int
  ) -> [SchemaViolation] {
    let validator = LargeStack.run(usualDepth: usualDepth, maximumDepth: maximumDepth) {
      limit, isTooDeep in
      var validator = SchemaValidator(
        program: program, assertsFormats: assertsFormats, direction: direction,
        maximumStepCount: maximumStepCount, maximumDepth: limit)
      var evaluation = Evaluation()
      let isValid = validator.apply(schema, to: value, &evaluation)
      assert(validator.interruption != nil || isValid == validator.violations.isEmpty)
      isTooDeep = validator.isTooDeep
      return validator
    }
    stepCount += validator.stepCount
    if let interruption = validator.interruption { return [interruption] }
    return Array(validator.violations.prefix(maximumViolationCount))
  }

  private init(
    program: SchemaProgram, assertsFormats: Bool, direction: Direction?, maximumStepCount: Int,
    maximumDepth: Int
  ) {
    self.program = program
    self.assertsFormats = assertsFormats
    self.direction = direction
    self.maximumStepCount = maximumStepCount
    self.maximumDepth = maximumDepth
  }

  // MARK: Schemas

  /// Applies a schema to the value at the path, and adds its violations.
  ///
  /// - Returns: Whether there is none.
  mutating func apply(_ index: Int, to value: JSON, _ evaluation: inout Evaluation) -> Bool {
    let node = program.nodes[index]
    guard !active.contains(index) else {
      return interrupt(node, "the schema applies itself to the same value without end")
    }
    guard spend(1, node), depth < maximumDepth else {
      isTooDeep = isTooDeep || depth >= maximumDepth
      return interrupt(node, "the value is too complex for the schema")
    }
    if node.acceptsNull, value.isNull { return true }
    depth += 1
    active.append(index)
    let entersResource = scope.last != node.resource
    if entersResource { scope.append(node.resource) }
    defer {
      depth -= 1
      active.removeLast()
      if entersResource { scope.removeLast() }
    }
    var own = Evaluation()
    var isValid = true
    for keyword in node.keywords where !check(keyword, value, node, &own) {
      isValid = false
    }
    if isValid, program.tracksEvaluation { evaluation.formUnion(own) }
    return isValid
  }

  /// Counts steps before they are made, and returns whether they are allowed.
  mutating func spend(
    _ count: Int, _ node: SchemaNode, orFail reason: @autoclosure () -> String = Self.tooComplex
  ) -> Bool {
    stepCount += count
    return interruption == nil
      && (stepCount <= maximumStepCount || interrupt(node, reason()))
  }

  private static let tooComplex = "the value is too complex for the schema"

  /// Returns whether a text contains a match of a pattern, and counts the work of the search.
  ///
  /// A search that takes too many steps ends the validation.
  mutating func isFound(_ pattern: SchemaPattern, in text: String, _ node: SchemaNode) -> Bool {
    guard interruption == nil else { return false }
    var work = 0
    let isFound = pattern.isFound(
      in: text, counting: &work,
      limit: max(maximumStepCount - stepCount, 0) * Self.patternWorkPerStep)
    return spend(
      (work + Self.patternWorkPerStep - 1) / Self.patternWorkPerStep, node,
      orFail: "the value is too complex for the pattern \(pattern.text)") && isFound
  }

  /// Ends the validation, and returns `false`.
  private mutating func interrupt(_ node: SchemaNode, _ reason: String) -> Bool {
    guard interruption == nil else { return false }
    // The result is that of the whole value.
    interruption = SchemaViolation(
      path: [], schema: node.place, keyword: "$ref", message: reason)
    return false
  }

  /// Applies a schema to a member or an element of the value at the path.
  mutating func apply(_ index: Int, to value: JSON, step: String) -> Bool {
    let outer = active
    active = []
    path.append(step)
    defer {
      active = outer
      path.removeLast()
    }
    var evaluation = Evaluation()
    return apply(index, to: value, &evaluation)
  }

  /// Applies a schema, and returns its violations instead of adding them.
  mutating func attempt(
    _ index: Int, to value: JSON, _ evaluation: inout Evaluation
  ) -> [SchemaViolation] {
    let count = violations.count
    _ = apply(index, to: value, &evaluation)
    let added = Array(violations[count...])
    violations.removeSubrange(count...)
    return added
  }

  /// Applies a schema to a member or an element, and returns its violations.
  mutating func attempt(_ index: Int, to value: JSON, step: String) -> [SchemaViolation] {
    let count = violations.count
    _ = apply(index, to: value, step: step)
    let added = Array(violations[count...])
    violations.removeSubrange(count...)
    return added
  }

  /// Adds a violation, and returns `false`.
  mutating func fail(_ node: SchemaNode, _ keyword: String, _ message: String) -> Bool {
    violations.append(
      SchemaViolation(path: path, schema: node.place, keyword: keyword, message: message))
    return false
  }

  mutating func add(_ others: [SchemaViolation]) { violations += others }

  /// Returns whether the value at the path need not have a member, because it travels in the other
  /// direction: by one of the schemas that are being applied to the value, or by one that it always
  /// applies.
  mutating func isOmitted(_ name: String) -> Bool {
    guard let direction else { return false }
    for schema in active {
      let names =
        omittedNames[schema]
        ?? program.members(
          of: schema, with: direction == .request ? .readOnly : .writeOnly,
          includesAlternatives: false)
      omittedNames[schema] = names
      if names.contains(name) { return true }
    }
    return false
  }

  // MARK: Keywords

  private mutating func check(
    _ keyword: SchemaKeyword, _ value: JSON, _ node: SchemaNode, _ own: inout Evaluation
  ) -> Bool {
    switch keyword {
    case .reference(let index): return apply(index, to: value, &own)
    case .dynamicReference(let index, let anchor):
      return apply(dynamicTarget(anchor) ?? index, to: value, &own)
    case .all, .any, .one, .discriminator, .not, .condition:
      return checkBranches(keyword, value, node, &own)
    case .uniqueItems, .elements, .contains, .unevaluatedItems:
      guard case .array(let elements) = value else { return true }
      return checkElements(keyword, elements, node, &own)
    case .required, .dependentRequired, .dependentSchemas, .members, .memberNames,
      .unevaluatedMembers:
      guard case .dictionary(let members) = value else { return true }
      return checkMembers(keyword, members, node, &own)
    case .never, .types, .enumeration, .multipleOf, .bound, .size, .pattern, .format:
      return checkAssertion(keyword, value, node)
    }
  }

  /// Checks a keyword that applies no other schema.
  ///
  /// It is outside of ``check(_:_:_:_:)``, so that the frames of the recursion are small.
  private mutating func checkAssertion(
    _ keyword: SchemaKeyword, _ value: JSON, _ node: SchemaNode
  ) -> Bool {
    switch keyword {
    case .never: return fail(node, "false", "the schema allows no value here")
    case .types(let types):
      if types.contains(where: { $0.matches(value) }) { return true }
      let expected = types.map(\.phrase).joined(separator: " or ")
      return fail(node, "type", "expected \(expected), found \(SchemaType.of(value).phrase)")
    case .enumeration(let values, let isConstant):
      guard spend(values.count / 8, node) else { return false }
      if values.contains(where: { $0.isIdentical(to: value) }) { return true }
      return fail(node, isConstant ? "const" : "enum", "expected \(Self.list(values))")
    case .multipleOf, .bound: return checkNumber(keyword, value, node)
    case .size(let size, let limit): return checkSize(size, limit, value, node)
    case .pattern(let pattern):
      guard case .string(let text) = value, !isFound(pattern, in: text, node) else { return true }
      return fail(node, "pattern", "expected a text that matches the pattern \(pattern.text)")
    case .format(let name, let isAsserted):
      guard assertsFormats || isAsserted, let format = StringFormat(rawValue: name) else {
        return true
      }
      guard spend(format.stepCount(for: value), node) else { return false }
      if format.matches(value) { return true }
      return fail(node, "format", "expected the format \(name)")
    default: return true
    }
  }

  /// Returns the schema of a dynamic anchor in the outermost resource that has it.
  private func dynamicTarget(_ anchor: String) -> Int? {
    for resource in scope {
      if let index = program.dynamicAnchors[resource]?[anchor] { return index }
    }
    return nil
  }

  /// Returns the values that a schema allows, at most ten.
  private static func list(_ values: [JSON]) -> String {
    let texts = values.prefix(10).map { value in
      let text = value.description
      return text.count > 60 ? String(text.prefix(57)) + "..." : text
    }
    let more = values.count > 10 ? " or \(values.count - 10) others" : ""
    return (values.count == 1 ? "" : "one of ") + texts.joined(separator: ", ") + more
  }

  // MARK: Numbers and sizes

  private mutating func checkNumber(
    _ keyword: SchemaKeyword, _ value: JSON, _ node: SchemaNode
  ) -> Bool {
    guard value.double != nil else { return true }
    switch keyword {
    case .multipleOf(let divisor):
      guard !Self.isMultiple(value, of: divisor) else { return true }
      return fail(node, "multipleOf", "expected a multiple of \(divisor)")
    case .bound(let bound, let limit):
      let order = Self.compare(value, limit)
      switch bound {
      case .minimum where order < 0: break
      case .maximum where order > 0: break
      case .exclusiveMinimum where order <= 0: break
      case .exclusiveMaximum where order >= 0: break
      default: return true
      }
      let phrases: [SchemaBound: String] = [
        .minimum: "at least", .maximum: "at most", .exclusiveMinimum: "greater than",
        .exclusiveMaximum: "less than",
      ]
      return fail(
        node, bound.rawValue, "expected a number \(phrases[bound] ?? "within") \(limit)")
    default: return true
    }
  }

  /// Compares two numbers, exactly where a `Decimal` can hold them.
  static func compare(_ left: JSON, _ right: JSON) -> Int {
    if case .int(let left) = left, case .int(let right) = right {
      return left < right ? -1 : left == right ? 0 : 1
    }
    if let left = exact(left), let right = exact(right) {
      return left < right ? -1 : left == right ? 0 : 1
    }
    let (left, right) = (left.double ?? 0, right.double ?? 0)
    return left < right ? -1 : left == right ? 0 : 1
  }

  private static func exact(_ number: JSON) -> Decimal? {
    guard let magnitude = number.double?.magnitude, magnitude < 1e37, let decimal = number.decimal,
      magnitude == 0 || magnitude > 1e-60, !decimal.isNaN
    else { return nil }
    return decimal
  }

  private static func isMultiple(_ value: JSON, of divisor: JSON) -> Bool {
    if case .int(let value) = value, case .int(let divisor) = divisor, divisor != 0 {
      return value.isMultiple(of: divisor)
    }
    if let exactValue = exact(value), let exactDivisor = exact(divisor) {
      let quotient = exactValue / exactDivisor
      var (number, rounded) = (quotient, Decimal())
      NSDecimalRound(&rounded, &number, 0, .plain)
      return rounded == quotient && rounded * exactDivisor == exactValue
    }
    let (number, step) = (value.double ?? 0, divisor.double ?? 1)
    let quotient = number / step
    guard quotient.isFinite else { return number.truncatingRemainder(dividingBy: step) == 0 }
    return quotient.rounded() == quotient
  }

  private mutating func checkSize(
    _ size: SchemaSize, _ limit: Int, _ value: JSON, _ node: SchemaNode
  ) -> Bool {
    let (count, unit): (Int, String)
    switch (size, value) {
    case (.minLength, .string(let text)), (.maxLength, .string(let text)):
      (count, unit) = (text.unicodeScalars.count, "character")
    case (.minItems, .array(let elements)), (.maxItems, .array(let elements)):
      (count, unit) = (elements.count, "element")
    case (.minProperties, .dictionary(let members)), (.maxProperties, .dictionary(let members)):
      (count, unit) = (members.count, "member")
    default: return true
    }
    let isLeast = size == .minLength || size == .minItems || size == .minProperties
    guard isLeast ? count < limit : count > limit else { return true }
    let phrase = "\(isLeast ? "at least" : "at most") \(limit) \(unit)\(limit == 1 ? "" : "s")"
    return fail(node, size.rawValue, "expected \(phrase), found \(count)")
  }
}
