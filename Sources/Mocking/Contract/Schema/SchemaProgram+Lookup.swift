/// Searches for types, elements and members of schemas.
extension SchemaProgram {
  /// Returns the types that a schema allows, as far as its own keywords and its references tell.
  func types(of schema: Int, depth: Int = 0) -> Set<SchemaType> {
    var types = Set(SchemaType.allCases)
    guard depth < 16 else { return types }
    for keyword in nodes[schema].keywords {
      switch keyword {
      case .types(let allowed):
        types.formIntersection(allowed.contains(.number) ? allowed + [.integer] : allowed)
      case .enumeration(let values, _): types.formIntersection(values.map(SchemaType.of))
      case .reference(let target): types.formIntersection(self.types(of: target, depth: depth + 1))
      case .all(let schemas):
        for schema in schemas { types.formIntersection(self.types(of: schema, depth: depth + 1)) }
      case .any(let schemas), .one(let schemas):
        types.formIntersection(
          schemas.reduce(into: Set<SchemaType>()) {
            $0.formUnion(self.types(of: $1, depth: depth + 1))
          })
      case .discriminator(let discriminator):
        types.formIntersection(
          discriminator.alternatives.reduce(into: Set<SchemaType>()) {
            $0.formUnion(self.types(of: $1, depth: depth + 1))
          })
      default: break
      }
    }
    return types
  }

  /// Returns the schema of the elements of an array, or `nil` if there is none.
  func elementSchema(of schema: Int, depth: Int = 0) -> Int? {
    guard depth < 16 else { return nil }
    for keyword in nodes[schema].keywords {
      switch keyword {
      case .elements(_, let rest?): return rest
      case .reference(let target):
        if let found = elementSchema(of: target, depth: depth + 1) { return found }
      case .all(let schemas), .any(let schemas), .one(let schemas):
        for schema in schemas {
          if let found = elementSchema(of: schema, depth: depth + 1) { return found }
        }
      default: break
      }
    }
    return nil
  }

  /// Returns the schemas of the named members of an object.
  func memberSchemas(of schema: Int, depth: Int = 0) -> [String: Int] {
    guard depth < 16 else { return [:] }
    var members: [String: Int] = [:]
    for keyword in nodes[schema].keywords {
      switch keyword {
      case .members(let own): members.merge(own.named) { first, _ in first }
      case .reference(let target):
        members.merge(memberSchemas(of: target, depth: depth + 1)) { first, _ in first }
      case .all(let schemas), .any(let schemas), .one(let schemas):
        for schema in schemas {
          members.merge(memberSchemas(of: schema, depth: depth + 1)) { first, _ in first }
        }
      default: break
      }
    }
    return members
  }
}
