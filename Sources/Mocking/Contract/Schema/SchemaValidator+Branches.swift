import Networking

/// Keywords that combine schemas for the same value.
extension SchemaValidator {
  mutating func checkBranches(
    _ keyword: SchemaKeyword, _ value: JSON, _ node: SchemaNode, _ own: inout Evaluation
  ) -> Bool {
    switch keyword {
    case .all(let schemas):
      var isValid = true
      for schema in schemas where !apply(schema, to: value, &own) { isValid = false }
      return isValid
    case .any(let schemas): return checkAny(schemas, value, node, &own)
    case .one(let schemas): return checkOne(schemas, value, node, &own)
    case .discriminator(let discriminator):
      return check(discriminator, value, node, &own)
    case .not(let schema):
      var evaluation = Evaluation()
      guard attempt(schema, to: value, &evaluation).isEmpty else { return true }
      return fail(node, "not", "the value matches the schema that it must not match")
    case .condition(let schema, let then, let otherwise):
      var evaluation = Evaluation()
      let isMet = attempt(schema, to: value, &evaluation).isEmpty
      if isMet { own.formUnion(evaluation) }
      guard let branch = isMet ? then : otherwise else { return true }
      return apply(branch, to: value, &own)
    default: return true
    }
  }

  private mutating func checkAny(
    _ schemas: [Int], _ value: JSON, _ node: SchemaNode, _ own: inout Evaluation
  ) -> Bool {
    var failures: [[SchemaViolation]] = []
    var isValid = false
    for schema in schemas {
      let violations = attempt(schema, to: value, &own)
      if violations.isEmpty {
        isValid = true
        // The other alternatives may evaluate other members.
        if !program.tracksEvaluation { return true }
      }
      failures.append(violations)
    }
    return isValid || failNearest("anyOf", failures, node)
  }

  private mutating func checkOne(
    _ schemas: [Int], _ value: JSON, _ node: SchemaNode, _ own: inout Evaluation
  ) -> Bool {
    let (matches, failures) = attempts(schemas, value, &own)
    if matches.isEmpty { return failNearest("oneOf", failures, node) }
    return matches.count == 1 || failSeveral(matches, node)
  }

  /// Applies all alternatives.
  ///
  /// - Returns: The indices of those that match, and the violations of all.
  private mutating func attempts(
    _ schemas: [Int], _ value: JSON, _ own: inout Evaluation
  ) -> (matches: [Int], failures: [[SchemaViolation]]) {
    let failures = schemas.map { attempt($0, to: value, &own) }
    return (failures.indices.filter { failures[$0].isEmpty }, failures)
  }

  private mutating func failSeveral(_ matches: [Int], _ node: SchemaNode) -> Bool {
    let list = matches.prefix(10).map(String.init).joined(separator: " and ")
    return fail(node, "oneOf", "the value matches the alternatives \(list), not exactly one")
  }

  /// Checks alternatives among which a member of the value selects.
  ///
  /// The selection does not change the result, with one exception: if several alternatives of `oneOf`
  /// match, that is no violation if the selected one is among them. The alternatives of many documents
  /// differ in the name of the type only, which their schemas do not restrict. For a value without
  /// a match, the violations are those of the selected alternative.
  ///
  /// Source: OpenAPI 3.1.1, Discriminator Object.
  private mutating func check(
    _ discriminator: SchemaDiscriminator, _ value: JSON, _ node: SchemaNode,
    _ own: inout Evaluation
  ) -> Bool {
    let (matches, failures) = attempts(discriminator.alternatives, value, &own)
    if matches.count == 1 || !discriminator.isOne && !matches.isEmpty { return true }
    let keyword = discriminator.isOne ? "oneOf" : "anyOf"
    guard case .dictionary(let members) = value else {
      return matches.isEmpty
        ? failNearest(keyword, failures, node) : failSeveral(matches, node)
    }
    let name = members[discriminator.name]?.string
    if let schema = name.flatMap({ discriminator.schemas[$0] }) {
      var evaluation = Evaluation()
      let violations = attempt(schema, to: value, &evaluation)
      guard violations.isEmpty else {
        if !matches.isEmpty { return failSeveral(matches, node) }
        add(violations)
        return false
      }
      // A selected alternative outside of the list matches nothing in it.
      return matches.isEmpty ? failNearest(keyword, failures, node) : true
    }
    guard matches.isEmpty else { return failSeveral(matches, node) }
    guard name != nil else {
      return fail(
        node, "discriminator",
        "the value matches none of the \(failures.count) alternatives, and the member "
          + "\(discriminator.name), which selects one, is missing")
    }
    let names = discriminator.schemas.keys.sorted().prefix(10).joined(separator: ", ")
    path.append(discriminator.name)
    defer { path.removeLast() }
    return fail(node, "discriminator", "expected one of \(names)")
  }

  /// Adds the violations of the alternative that is nearest to the value.
  private mutating func failNearest(
    _ keyword: String, _ failures: [[SchemaViolation]], _ node: SchemaNode
  ) -> Bool {
    let distances = failures.map { Self.distance($0, from: path.count) }
    guard let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }) else {
      return fail(node, keyword, "there is no alternative")
    }
    _ = fail(
      node, keyword,
      "the value matches none of the \(failures.count) alternatives; the nearest is \(nearest)")
    add(Array(failures[nearest].prefix(Self.maximumViolationCount)))
    return false
  }

  /// Returns the distance between a value and an alternative that it does not match.
  ///
  /// A wrong type of the value counts most, then a wrong constant of a member, such as the name of
  /// the type, then the number of violations.
  private static func distance(_ violations: [SchemaViolation], from depth: Int) -> Int {
    violations.reduce(0) { distance, violation in
      switch violation.keyword {
      case "type" where violation.path.count == depth, "false": distance + 10_000
      case "const", "enum": distance + (violation.path.count <= depth + 1 ? 1_000 : 10)
      case "anyOf", "oneOf": distance
      default: distance + 10
      }
    }
  }
}
