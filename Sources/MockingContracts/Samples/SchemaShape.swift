import Networking

/// The keywords of a schema with those of the schemas that it refers to, for making a value.
struct SchemaShape {
  var types = Set(SchemaType.allCases)
  /// The allowed values.
  ///
  /// `nil` if all are.
  var values: [JSON]?
  var limits: [(bound: SchemaBound, limit: JSON)] = []
  var divisor: JSON?
  var sizes: [SchemaSize: Int] = [:]
  var patterns: [SchemaPattern] = []
  var format: String?
  var isUnique = false
  /// The schemas of the members by name.
  ///
  /// All of them apply.
  var members: [String: [Int]] = [:]
  var required: Set<String> = []
  /// The members that are only in requests.
  var writeOnly: Set<String> = []
  var additional: [Int] = []
  var hasMemberKeywords = false
  var prefix: [Int] = []
  var rest: [Int] = []
  var contains: [(schema: Int, least: Int)] = []
  var dependencies: [(name: String, required: [String])] = []
  /// The constant of the member that selects the type.
  var constants: [String: JSON] = [:]
  /// The examples and the default of the schema.
  var examples: [JSON] = []
  /// The schemas that have been added.
  private(set) var visited: Set<Int> = []

  /// Adds a schema, and chooses one of its alternatives.
  ///
  /// - Parameters:
  ///   - index: The index of the schema.
  ///   - program: The compiled schemas.
  ///   - depth: The number of references that lead to the schema.
  ///   - choose: Returns the index of one of several alternatives.
  mutating func add(
    _ index: Int, of program: SchemaProgram, depth: Int = 0, choose: (_ alternatives: [Int]) -> Int
  ) {
    // A schema that several references lead to counts once.
    guard depth < 24, visited.insert(index).inserted else { return }
    let (node, outerTypes) = (program.nodes[index], types)
    defer { if node.acceptsNull, outerTypes.contains(.null) { types.insert(.null) } }
    addExamples(node.source)
    func include(_ other: Int, _ shape: inout SchemaShape) {
      shape.add(other, of: program, depth: depth + 1, choose: choose)
    }
    for keyword in node.keywords {
      switch keyword {
      case .types(let allowed):
        types.formIntersection(allowed.contains(.number) ? allowed + [.integer] : allowed)
      case .enumeration(let allowed, _):
        if let others = values {
          let allowed = Set(allowed)
          values = others.filter(allowed.contains)
        } else {
          values = allowed
        }
      case .bound(let bound, let limit): limits.append((bound, limit))
      case .multipleOf(let number): divisor = number
      case .size(let size, let limit):
        let isLeast = size.rawValue.hasPrefix("min")
        sizes[size] = sizes[size].map { isLeast ? max($0, limit) : min($0, limit) } ?? limit
      case .pattern(let pattern): patterns.append(pattern)
      case .format(let name, _): format = name
      case .uniqueItems: isUnique = true
      case .required(let names): required.formUnion(names)
      case .dependentRequired(let others): dependencies += others
      case .reference(let target), .dynamicReference(let target, _): include(target, &self)
      case .all(let schemas): for schema in schemas { include(schema, &self) }
      case .any(let schemas), .one(let schemas): include(schemas[choose(schemas)], &self)
      case .discriminator(let discriminator):
        let names = discriminator.schemas.keys.sorted()
        let name = names[choose(names.compactMap { discriminator.schemas[$0] })]
        if let schema = discriminator.schemas[name] { include(schema, &self) }
        constants[discriminator.name] = .string(name)
        required.insert(discriminator.name)
      case .members(let schemas):
        hasMemberKeywords = true
        for (name, schema) in schemas.named {
          members[name, default: []].append(schema)
          if program.isAnnotated(schema, with: .writeOnly) { writeOnly.insert(name) }
        }
        if let schema = schemas.additional { additional.append(schema) }
      case .elements(let prefix, let rest):
        self.prefix += prefix
        if let rest { self.rest.append(rest) }
      case .contains(let schema, let least, _): contains.append((schema, least))
      case .condition(_, let then?, _): include(then, &self)
      case .never, .not, .condition, .dependentSchemas, .memberNames, .unevaluatedItems,
        .unevaluatedMembers:
        break
      }
    }
  }

  private mutating func addExamples(_ source: JSON) {
    guard case .dictionary(let schema) = source else { return }
    if let example = schema["example"] { examples.append(example) }
    if let all = schema["examples"]?.array { examples += all }
    if let value = schema["default"] { examples.append(value) }
  }

  /// Returns the type of the value to make.
  ///
  /// - Parameters:
  ///   - isNull: Whether `null` is preferred if it is one of the types.
  ///   - isScalar: Whether `null` is preferred to an object or an array if the schema has no type.
  /// - Returns: The type.
  func type(preferringNull isNull: Bool, orScalar isScalar: Bool) -> SchemaType {
    if types.count == SchemaType.allCases.count {
      let isObject = hasMemberKeywords || !required.isEmpty
      let isArray = !rest.isEmpty || !prefix.isEmpty || !contains.isEmpty
      if isScalar, isObject || isArray { return .null }
      if isObject { return .object }
      if isArray { return .array }
      if !limits.isEmpty || divisor != nil { return .number }
      return .string
    }
    if isNull, types.contains(.null) { return .null }
    let order: [SchemaType] = [.object, .array, .string, .number, .integer, .boolean, .null]
    return order.first { types.contains($0) } ?? .null
  }
}
