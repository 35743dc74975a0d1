import Networking

/// Keywords for the elements of arrays and the members of objects.
extension SchemaValidator {
  // MARK: Arrays

  mutating func checkElements(
    _ keyword: SchemaKeyword, _ elements: [JSON], _ node: SchemaNode, _ own: inout Evaluation
  ) -> Bool {
    switch keyword {
    case .uniqueItems: return checkUniqueness(elements, node)
    case .elements(let prefix, let rest):
      own.elementCount = max(
        own.elementCount, rest == nil ? min(prefix.count, elements.count) : elements.count)
      return applyAll(prefix, rest, elements)
    case .contains(let schema, let least, let most):
      return checkContains(schema, least, most, elements, node, &own)
    case .unevaluatedItems(let schema):
      defer { own.elementCount = elements.count }
      return applyRest(schema, elements, own)
    default: return true
    }
  }

  private mutating func applyAll(_ prefix: [Int], _ rest: Int?, _ elements: [JSON]) -> Bool {
    var isValid = true
    let limit = violations.count + Self.maximumViolationCount
    for (index, element) in elements.enumerated() where violations.count < limit {
      guard let schema = index < prefix.count ? prefix[index] : rest else { break }
      if !apply(schema, to: element, step: "\(index)") { isValid = false }
    }
    return isValid
  }

  private mutating func applyRest(
    _ schema: Int, _ elements: [JSON], _ evaluation: Evaluation
  ) -> Bool {
    var isValid = true
    for (index, element) in elements.enumerated()
    where index >= evaluation.elementCount && !evaluation.elements.contains(index) {
      if !apply(schema, to: element, step: "\(index)") { isValid = false }
    }
    return isValid
  }

  private mutating func checkUniqueness(_ elements: [JSON], _ node: SchemaNode) -> Bool {
    guard spend(elements.count, node) else { return false }
    var seen: [JSON: Int] = [:]
    for (index, element) in elements.enumerated() {
      if let first = seen.updateValue(index, forKey: element) {
        return fail(node, "uniqueItems", "the elements \(first) and \(index) are equal")
      }
    }
    return true
  }

  private mutating func checkContains(
    _ schema: Int, _ least: Int, _ most: Int?, _ elements: [JSON], _ node: SchemaNode,
    _ own: inout Evaluation
  ) -> Bool {
    var count = 0
    for (index, element) in elements.enumerated()
    where attempt(schema, to: element, step: "\(index)").isEmpty {
      count += 1
      if program.tracksEvaluation { own.elements.insert(index) }
    }
    if count < least {
      return fail(
        node, least == 1 ? "contains" : "minContains",
        "expected at least \(least) elements that match, found \(count)")
    }
    if let most, count > most {
      return fail(
        node, "maxContains", "expected at most \(most) elements that match, found \(count)")
    }
    return true
  }

  // MARK: Objects

  mutating func checkMembers(
    _ keyword: SchemaKeyword, _ members: [String: JSON], _ node: SchemaNode,
    _ own: inout Evaluation
  ) -> Bool {
    switch keyword {
    case .members(let schemas): return checkMembers(schemas, members, node, &own)
    case .unevaluatedMembers(let schema):
      defer { own.members.formUnion(members.keys) }
      return applyRest(schema, members, without: own.members, node)
    case .dependentSchemas(let dependencies):
      return applyDependent(dependencies, members, &own)
    default: return checkNames(keyword, members, node)
    }
  }

  /// Checks a keyword that applies no schema to a member.
  private mutating func checkNames(
    _ keyword: SchemaKeyword, _ members: [String: JSON], _ node: SchemaNode
  ) -> Bool {
    var isValid = true
    switch keyword {
    case .required(let names):
      for name in names where members[name] == nil && !isOmitted(name) {
        isValid = fail(node, "required", "the member \(name) is missing")
      }
    case .dependentRequired(let dependencies):
      for (name, required) in dependencies where members[name] != nil {
        for other in required where members[other] == nil {
          isValid = fail(
            node, "dependentRequired", "the member \(other) is missing, which \(name) requires")
        }
      }
    case .memberNames(let schema):
      for name in members.keys.sorted() {
        guard let first = attempt(schema, to: .string(name), step: name).first else { continue }
        isValid = fail(node, "propertyNames", "the name \(name) is not allowed: \(first.message)")
      }
    default: break
    }
    return isValid
  }

  private mutating func applyDependent(
    _ dependencies: [(name: String, schema: Int)], _ members: [String: JSON],
    _ own: inout Evaluation
  ) -> Bool {
    var isValid = true
    for (name, schema) in dependencies where members[name] != nil {
      if !apply(schema, to: .dictionary(members), &own) { isValid = false }
    }
    return isValid
  }

  private mutating func applyRest(
    _ schema: Int, _ members: [String: JSON], without evaluated: Set<String>, _ node: SchemaNode
  ) -> Bool {
    var isValid = true
    for name in members.keys.sorted() where !evaluated.contains(name) {
      isValid = applyRest(schema, members, name, node, "unevaluatedProperties") && isValid
    }
    return isValid
  }

  private mutating func checkMembers(
    _ schemas: SchemaMembers, _ members: [String: JSON], _ node: SchemaNode,
    _ own: inout Evaluation
  ) -> Bool {
    var isValid = true
    let limit = violations.count + Self.maximumViolationCount
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where violations.count < limit {
      var isEvaluated = false
      if let schema = schemas.named[name] {
        isEvaluated = true
        if !apply(schema, to: value, step: name) { isValid = false }
      }
      for (pattern, schema) in schemas.patterns where isFound(pattern, in: name, node) {
        isEvaluated = true
        if !apply(schema, to: value, step: name) { isValid = false }
      }
      if !isEvaluated, schemas.isIncomplete {
        isEvaluated = true
      } else if !isEvaluated, let schema = schemas.additional {
        isEvaluated = true
        isValid = applyRest(schema, members, name, node, "additionalProperties") && isValid
      }
      if isEvaluated, program.tracksEvaluation { own.members.insert(name) }
    }
    return isValid
  }

  /// Applies the schema for the other members, which is `false` if there must be none.
  private mutating func applyRest(
    _ schema: Int, _ members: [String: JSON], _ name: String, _ node: SchemaNode, _ keyword: String
  ) -> Bool {
    if case .never? = program.nodes[schema].keywords.first {
      return fail(node, keyword, "the member \(name) is not allowed")
    }
    return apply(schema, to: members[name] ?? .null, step: name)
  }
}

extension SchemaValidator {
  /// The members and elements that a schema has evaluated, for `unevaluatedProperties` and
  /// `unevaluatedItems`.
  struct Evaluation {
    var members: Set<String> = []
    var elements: Set<Int> = []
    /// All elements before this index.
    var elementCount = 0

    mutating func formUnion(_ other: Evaluation) {
      members.formUnion(other.members)
      elements.formUnion(other.elements)
      elementCount = max(elementCount, other.elementCount)
    }
  }
}
