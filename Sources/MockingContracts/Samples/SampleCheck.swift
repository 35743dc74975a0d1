import Networking

/// A value that was made from a schema.
struct SchemaSample: Sendable {
  let value: JSON
  /// The parts that do not keep the schema.
  ///
  /// Empty for a value that was not checked, because its work has reached the limit.
  let violations: [SchemaViolation]
  let isValid: Bool
}

/// A check of values that are made from a schema, which changes optional parts that do not keep it.
struct SampleCheck {
  /// The limit for the number of changes.
  private static let maximumRepairCount = 20
  /// The limit for the number of members that are tried to tell alternatives from each other.
  private static let maximumPlaceCount = 40

  private let content: Contract.Content
  private let schema: Int
  private let maximumStepCount: Int
  /// The number of steps of all checks.
  private(set) var stepCount = 0

  init(_ schema: Int, of content: Contract.Content, maximumStepCount: Int) {
    self.schema = schema
    self.content = content
    self.maximumStepCount = maximumStepCount
  }

  /// Returns the violations of a value.
  mutating func violations(of value: JSON) -> [SchemaViolation] {
    content.violations(
      of: value, schema, .response, maximumStepCount: max(maximumStepCount - stepCount, 0),
      counting: &stepCount)
  }

  /// Checks a value, and changes optional parts of it until it has no violations.
  mutating func repaired(_ value: JSON) -> SchemaSample {
    var sample = value
    var violations = violations(of: value)
    for _ in 0..<Self.maximumRepairCount {
      guard let next = repair(sample, violations) else { break }
      (sample, violations) = next
    }
    return SchemaSample(value: sample, violations: violations, isValid: violations.isEmpty)
  }

  /// Makes the smallest change of a value with which it has fewer violations.
  private mutating func repair(
    _ value: JSON, _ violations: [SchemaViolation]
  ) -> (JSON, [SchemaViolation])? {
    for violation in violations {
      for candidate in distinguished(value, violation) + shortened(value, violation) {
        guard stepCount < maximumStepCount else { return nil }
        let others = self.violations(of: candidate)
        let isComplete = others.first?.isIncomplete != true
        if isComplete, others.count < violations.count { return (candidate, others) }
      }
    }
    return nil
  }

  /// Returns values without the part that has a violation, and without those around it.
  private func shortened(_ value: JSON, _ violation: SchemaViolation) -> [JSON] {
    stride(from: violation.path.count, through: 1, by: -1).map { count in
      value.changed(at: violation.path.prefix(count)) { _ in nil } ?? value
    }
  }

  /// Returns values that match fewer of the alternatives of which one must match: they have a member
  /// of another alternative that is `null`.
  private func distinguished(_ value: JSON, _ violation: SchemaViolation) -> [JSON] {
    guard violation.keyword == "oneOf",
      let node = content.program.nodes.first(where: { $0.place == violation.schema })
    else { return [] }
    let alternatives = node.keywords.flatMap { keyword -> [Int] in
      switch keyword {
      case .one(let schemas): schemas
      case .discriminator(let discriminator): discriminator.alternatives
      default: []
      }
    }
    var places: [[String]] = []
    addMissingMembers(alternatives, value.part(at: violation.path[...]) ?? .null, [], &places)
    return places.prefix(Self.maximumPlaceCount).compactMap { place in
      value.changed(at: (violation.path + place.dropLast())[...]) { object in
        guard case .dictionary(var members) = object, let name = place.last else { return object }
        members[name] = .null
        return .dictionary(members)
      }
    }
  }

  /// Adds the paths of members that schemas name and a value does not have, the outer ones first.
  private func addMissingMembers(
    _ schemas: [Int], _ value: JSON, _ path: [String], _ places: inout [[String]]
  ) {
    guard path.count < 8, places.count < Self.maximumPlaceCount else { return }
    switch value {
    case .dictionary(let members):
      let named = schemas.map { content.program.memberSchemas(of: $0) }
      let names = Set(named.flatMap(\.keys)).sorted()
      places += names.filter { members[$0] == nil }.map { path + [$0] }
      for name in names {
        guard let member = members[name] else { continue }
        addMissingMembers(named.compactMap { $0[name] }, member, path + [name], &places)
      }
    case .array(let elements):
      guard let first = elements.first else { return }
      let inner = schemas.compactMap { content.program.elementSchema(of: $0) }
      addMissingMembers(inner, first, path + ["0"], &places)
    default: break
    }
  }
}

extension JSON {
  /// Returns the part at a path, or `nil` if there is none.
  fileprivate func part(at path: ArraySlice<String>) -> JSON? {
    guard let step = path.first else { return self }
    switch self {
    case .dictionary(let members): return members[step]?.part(at: path.dropFirst())
    case .array(let elements):
      guard let index = Int(step), elements.indices.contains(index) else { return nil }
      return elements[index].part(at: path.dropFirst())
    default: return nil
    }
  }

  /// Returns the value with another part at a path.
  ///
  /// - Parameters:
  ///   - path: The names and indexes.
  ///   - change: Returns the part, or `nil` to leave it out.
  /// - Returns: The value. `nil` if the path is empty and the value is left out.
  fileprivate func changed(at path: ArraySlice<String>, _ change: (JSON) -> JSON?) -> JSON? {
    guard let step = path.first else { return change(self) }
    switch self {
    case .dictionary(var members):
      members[step] = members[step]?.changed(at: path.dropFirst(), change)
      return .dictionary(members)
    case .array(var elements):
      guard let index = Int(step), elements.indices.contains(index) else { return self }
      let element = elements[index].changed(at: path.dropFirst(), change)
      elements.replaceSubrange(index...index, with: element.map { [$0] } ?? [])
      return .array(elements)
    default: return self
    }
  }
}
