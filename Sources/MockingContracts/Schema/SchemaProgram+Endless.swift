import Networking

/// A search for schemas without a finite value.
extension SchemaProgram {
  /// Kinds of values, which contain other values or do not.
  private struct Kinds: OptionSet {
    let rawValue: UInt8

    static let scalar = Kinds(rawValue: 1)
    static let array = Kinds(rawValue: 2)
    static let object = Kinds(rawValue: 4)
    static let all: Kinds = [.scalar, .array, .object]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ types: some Sequence<SchemaType>) {
      self = []
      for type in types { insert(type == .array ? .array : type == .object ? .object : .scalar) }
    }
  }

  /// The limit for the number of passes, which bounds the time for many references.
  private static let maximumPassCount = 100

  /// Returns the schemas that no value matches, because each value would contain another one without
  /// end.
  ///
  /// An example is the schema of a node that must have a member with the same schema. A few such schemas
  /// are not found: the search looks at each schema alone, and leaves out members that travel in one
  /// direction.
  func findEndlessSchemas() -> Set<Int> {
    // Both are solutions of the same conditions. Only the values of the second one end.
    guard let possible = kinds(startingWith: .all), let finite = kinds(startingWith: []) else {
      return []
    }
    return Set(nodes.indices.filter { finite[$0].isEmpty && !possible[$0].isEmpty })
  }

  /// Returns the kinds of the values of each schema, or `nil` if too many passes are needed.
  private func kinds(startingWith kinds: Kinds) -> [Kinds]? {
    var known = Array(repeating: kinds, count: nodes.count)
    for pass in 0..<Self.maximumPassCount {
      var isComplete = true
      for place in nodes.indices {
        // Most references lead to a schema with a higher index, and a long chain may lead to lower ones.
        let index = pass.isMultiple(of: 2) ? nodes.count - 1 - place : place
        let kinds = self.kinds(of: nodes[index], known)
        guard kinds != known[index] else { continue }
        known[index] = kinds
        isComplete = false
      }
      if isComplete { return known }
    }
    return nil
  }

  /// Returns the kinds of the values of a schema, of which those of other schemas are known.
  private func kinds(of node: SchemaNode, _ known: [Kinds]) -> Kinds {
    var kinds = Kinds.all
    var (required, minimumCount): ([String], Int) = ([], 0)
    for keyword in node.keywords {
      switch keyword {
      case .required(let names): required = names
      case .size(.minItems, let count): minimumCount = count
      default: break
      }
    }
    func union(_ schemas: [Int]) -> Kinds { schemas.reduce([]) { $0.union(known[$1]) } }
    for keyword in node.keywords {
      switch keyword {
      case .never: return []
      case .types(let types): kinds.formIntersection(Kinds(types))
      case .enumeration(let values, _): kinds.formIntersection(Kinds(values.map(SchemaType.of)))
      case .reference(let target): kinds.formIntersection(known[target])
      case .all(let schemas): for schema in schemas { kinds.formIntersection(known[schema]) }
      case .any(let schemas), .one(let schemas): kinds.formIntersection(union(schemas))
      case .discriminator(let discriminator):
        kinds.formIntersection(union(discriminator.alternatives))
      case .members(let members):
        let isPossible = required.allSatisfy { name in
          guard let schema = members.named[name], known[schema].isEmpty else { return true }
          return isAnnotated(schema, with: .readOnly) || isAnnotated(schema, with: .writeOnly)
        }
        if !isPossible { kinds.remove(.object) }
      case .elements(let prefix, let rest):
        var schemas = Array(prefix.prefix(minimumCount))
        if let rest, minimumCount > prefix.count { schemas.append(rest) }
        if schemas.contains(where: { known[$0].isEmpty }) { kinds.remove(.array) }
      case .contains(let schema, let least, _):
        if least > 0, known[schema].isEmpty { kinds.remove(.array) }
      default: break
      }
    }
    if node.acceptsNull { kinds.insert(.scalar) }
    return kinds
  }
}
