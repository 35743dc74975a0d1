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
  /// A value that selects an alternative is checked against this one only. A value that selects none is
  /// checked like one without a discriminator; if it matches no alternative, the violation names the
  /// member.
  ///
  /// Source: OpenAPI 3.0.4, Discriminator Object.
  private mutating func check(
    _ discriminator: SchemaDiscriminator, _ value: JSON, _ node: SchemaNode,
    _ own: inout Evaluation
  ) -> Bool {
    guard case .dictionary(let members) = value else {
      return discriminator.isOne
        ? checkOne(discriminator.alternatives, value, node, &own)
        : checkAny(discriminator.alternatives, value, node, &own)
    }
    let name = members[discriminator.name]?.string
    if let schema = name.flatMap({ discriminator.schemas[$0] }),
      discriminator.alternatives.contains(where: { target(of: $0) == target(of: schema) })
    {
      return apply(schema, to: value, &own)
    }
    let matches = attempts(discriminator.alternatives, value, &own).matches
    guard matches.isEmpty else {
      return !discriminator.isOne || matches.count == 1 || failSeveral(matches, node)
    }
    guard name != nil else {
      return fail(
        node, "discriminator",
        "the value matches none of the \(discriminator.alternatives.count) alternatives, and the "
          + "member \(discriminator.name), which selects one, is missing")
    }
    let names = discriminator.schemas.keys.sorted().prefix(10).joined(separator: ", ")
    path.append(discriminator.name)
    defer { path.removeLast() }
    return fail(node, "discriminator", "expected one of \(names)")
  }

  /// Returns the schema that a schema refers to if it has no other keyword, or else the schema itself.
  private func target(of schema: Int) -> Int {
    var schema = schema
    for _ in 0..<16 {
      let keywords = program.nodes[schema].keywords
      guard keywords.count == 1, case .reference(let next)? = keywords.first else { break }
      schema = next
    }
    return schema
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
      "the value matches none of the \(failures.count) alternatives; the nearest is \(keyword)/\(nearest)"
    )
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
