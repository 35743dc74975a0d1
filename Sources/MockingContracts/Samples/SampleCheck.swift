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

/// A check of values that are made from a schema, which leaves out parts that do not keep it.
struct SampleCheck {
  /// The limit for the number of parts that are left out.
  private static let maximumRepairCount = 20

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

  /// Checks a value, and leaves out optional members and elements without which it has fewer
  /// violations.
  mutating func repaired(_ value: JSON) -> SchemaSample {
    var sample = value
    var violations = violations(of: value)
    for _ in 0..<Self.maximumRepairCount {
      guard let next = repair(sample, violations) else { break }
      (sample, violations) = next
    }
    return SchemaSample(value: sample, violations: violations, isValid: violations.isEmpty)
  }

  /// Leaves out the smallest part of a value without which it has fewer violations.
  private mutating func repair(
    _ value: JSON, _ violations: [SchemaViolation]
  ) -> (JSON, [SchemaViolation])? {
    guard violations.first?.isIncomplete == false else { return nil }
    for violation in violations where !violation.path.isEmpty {
      for count in stride(from: violation.path.count, through: 1, by: -1) {
        let candidate = value.removing(violation.path.prefix(count))
        let others = self.violations(of: candidate)
        if others.first?.isIncomplete == true { return nil }
        if others.count < violations.count { return (candidate, others) }
      }
    }
    return nil
  }
}

extension JSON {
  /// Returns the value without the member or the element at a path.
  fileprivate func removing(_ path: ArraySlice<String>) -> JSON {
    guard let step = path.first else { return self }
    let rest = path.dropFirst()
    switch self {
    case .dictionary(var members):
      members[step] = rest.isEmpty ? nil : members[step]?.removing(rest)
      return .dictionary(members)
    case .array(var elements):
      guard let index = Int(step), elements.indices.contains(index) else { return self }
      if rest.isEmpty {
        elements.remove(at: index)
      } else {
        elements[index] = elements[index].removing(rest)
      }
      return .array(elements)
    default: return self
    }
  }
}
