import Networking

/// A keyword that says in which direction a member travels.
enum SchemaAnnotation: String, Sendable {
  case readOnly, writeOnly
}

/// Searches for types, elements and members of schemas.
///
/// Each schema is looked at once in a search, however many references lead to it.
extension SchemaProgram {
  /// The number of references that a search follows one after another.
  private static let maximumDepth = 64
  /// The nesting of alternatives in which required members are searched.
  private static let maximumAlternativeDepth = 3

  /// Returns the types that a schema allows, as far as its own keywords and its references tell.
  func types(of schema: Int) -> Set<SchemaType> {
    func search() -> Set<SchemaType> {
      var known: [Int: Set<SchemaType>] = [:]
      return types(of: schema, 0, &known)
    }
    return searches?.types.value(of: schema, search) ?? search()
  }

  private func types(
    of schema: Int, _ depth: Int, _ known: inout [Int: Set<SchemaType>]
  ) -> Set<SchemaType> {
    if let types = known[schema] { return types }
    var types = Set(SchemaType.allCases)
    guard depth < Self.maximumDepth else { return types }
    // A circle of references allows what the schemas in it allow.
    known[schema] = types
    func union(_ schemas: some Sequence<Int>) -> Set<SchemaType> {
      var union: Set<SchemaType> = []
      for schema in schemas { union.formUnion(self.types(of: schema, depth + 1, &known)) }
      return union
    }
    for keyword in nodes[schema].keywords {
      switch keyword {
      case .types(let allowed):
        types.formIntersection(allowed.contains(.number) ? allowed + [.integer] : allowed)
      case .enumeration(let values, _): types.formIntersection(values.map(SchemaType.of))
      case .reference(let target): types.formIntersection(union([target]))
      case .all(let schemas): for schema in schemas { types.formIntersection(union([schema])) }
      case .any(let schemas), .one(let schemas): types.formIntersection(union(schemas))
      case .discriminator(let discriminator):
        types.formIntersection(union(discriminator.alternatives))
      default: break
      }
    }
    if nodes[schema].acceptsNull { types.insert(.null) }
    known[schema] = types
    return types
  }

  /// Returns the schema of the elements of an array, or `nil` if there is none.
  func elementSchema(of schema: Int) -> Int? {
    func first() -> Int? {
      var element: Int?
      search(from: schema) { keyword in
        if element == nil, case .elements(_, let rest?) = keyword { element = rest }
      }
      return element
    }
    guard let searches else { return first() }
    return searches.elements.value(of: schema, first)
  }

  /// Returns the schemas of the named members of an object.
  func memberSchemas(of schema: Int) -> [String: Int] {
    func all() -> [String: Int] {
      var members: [String: Int] = [:]
      search(from: schema) { keyword in
        if case .members(let own) = keyword { members.merge(own.named) { first, _ in first } }
      }
      return members
    }
    return searches?.members.value(of: schema, all) ?? all()
  }

  /// Returns the members that an object must have: those of its own keywords and its references, and
  /// those that all alternatives require.
  func requiredMembers(of schema: Int) -> Set<String> {
    requiredMembers(of: schema, depth: 0)
  }

  private func requiredMembers(of schema: Int, depth: Int) -> Set<String> {
    var names: Set<String> = []
    search(from: schema, includesAlternatives: false) { keyword in
      let alternatives: [Int]
      switch keyword {
      case .required(let required):
        names.formUnion(required)
        return
      case .any(let schemas), .one(let schemas): alternatives = schemas
      case .discriminator(let discriminator): alternatives = discriminator.alternatives
      default: return
      }
      guard depth < Self.maximumAlternativeDepth else { return }
      let shared = alternatives.filter { types(of: $0).contains(.object) }
        .map { requiredMembers(of: $0, depth: depth + 1) }
      names.formUnion(shared.dropFirst().reduce(shared.first ?? []) { $0.intersection($1) })
    }
    return names.isEmpty ? [] : names.subtracting(members(of: schema, with: .writeOnly))
  }

  /// Returns the members of an object that travel in one direction only.
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - annotation: The direction.
  ///   - includesAlternatives: Whether the schemas of `anyOf` and `oneOf` are searched, too.
  /// - Returns: The names.
  func members(
    of schema: Int, with annotation: SchemaAnnotation, includesAlternatives: Bool = true
  ) -> Set<String> {
    var names: Set<String> = []
    search(from: schema, includesAlternatives: includesAlternatives) { keyword in
      guard case .members(let members) = keyword else { return }
      for (name, member) in members.named where isAnnotated(member, with: annotation) {
        names.insert(name)
      }
    }
    return names
  }

  /// Returns whether a schema, or one that it applies to the same value, has an annotation.
  func isAnnotated(_ schema: Int, with annotation: SchemaAnnotation) -> Bool {
    var isFound = nodes[schema].source[annotation.rawValue].bool == true
    guard !isFound else { return true }
    search(from: schema, includesAlternatives: false) { keyword in
      let applied: [Int] =
        switch keyword {
        case .reference(let target): [target]
        case .all(let schemas): schemas
        default: []
        }
      isFound = isFound || applied.contains { nodes[$0].source[annotation.rawValue].bool == true }
    }
    return isFound
  }

  /// Returns the default of a schema, or of one that it applies to the same value.
  func defaultValue(of schema: Int) -> JSON? {
    func own(_ schema: Int) -> JSON? { nodes[schema].source.dictionary?["default"] }
    var value = own(schema)
    guard value == nil else { return value }
    search(from: schema, includesAlternatives: false) { keyword in
      let applied: [Int] =
        switch keyword {
        case .reference(let target): [target]
        case .all(let schemas): schemas
        default: []
        }
      value = value ?? applied.lazy.compactMap(own).first
    }
    return value
  }

  /// Passes the keywords of a schema, and of those that it refers to, to a closure.
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - includesAlternatives: Whether the schemas of `anyOf` and `oneOf` are searched, too.
  ///   - visit: The closure.
  func search(
    from schema: Int, includesAlternatives: Bool = true,
    _ visit: (_ keyword: SchemaKeyword) -> Void
  ) {
    var visited: Set<Int> = []
    func search(_ schema: Int, _ depth: Int) {
      guard depth < Self.maximumDepth, visited.insert(schema).inserted else { return }
      for keyword in nodes[schema].keywords {
        visit(keyword)
        switch keyword {
        case .reference(let target): search(target, depth + 1)
        case .all(let schemas): for schema in schemas { search(schema, depth + 1) }
        case .any(let schemas) where includesAlternatives,
          .one(let schemas) where includesAlternatives:
          for schema in schemas { search(schema, depth + 1) }
        case .discriminator(let discriminator) where includesAlternatives:
          for schema in discriminator.alternatives { search(schema, depth + 1) }
        default: break
        }
      }
    }
    search(schema, 0)
  }
}

/// Searches for types and elements of schemas, each of which is made once.
///
/// A request may have many values for one schema.
struct SchemaLookup {
  private let program: SchemaProgram
  private var types: [Int: Set<SchemaType>] = [:]
  private var elements: [Int: Int?] = [:]

  init(_ program: SchemaProgram) { self.program = program }

  /// Returns the types that a schema allows, or `nil` without a schema.
  mutating func types(of schema: Int?) -> Set<SchemaType>? {
    guard let schema else { return nil }
    if let known = types[schema] { return known }
    let found = program.types(of: schema)
    types[schema] = found
    return found
  }

  /// Returns the schema of the elements of an array, or `nil` if there is none.
  mutating func elementSchema(of schema: Int?) -> Int? {
    guard let schema else { return nil }
    if let known = elements[schema] { return known }
    let found = program.elementSchema(of: schema)
    elements[schema] = .some(found)
    return found
  }
}
