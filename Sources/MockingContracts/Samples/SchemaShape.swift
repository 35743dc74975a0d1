import Networking

/// A choice between alternatives, with random numbers and a limit for its work.
struct AlternativeChoice {
  var random: SplitMix64
  /// Whether an alternative that is not a collection is preferred, because it ends a recursion.
  let prefersScalars: Bool
  /// The number of further alternatives that may be tried, which bounds nested ones.
  private var remainingCount = 1_000

  init(random: SplitMix64, prefersScalars: Bool) {
    self.random = random
    self.prefersScalars = prefersScalars
  }

  fileprivate mutating func index(in count: Int) -> Int { Int(random.next() % UInt64(count)) }

  /// Counts an alternative, and returns whether it may be tried.
  fileprivate mutating func mayTry() -> Bool {
    remainingCount -= 1
    return remainingCount >= 0
  }
}

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
  /// The members of the schemas that allow no others.
  var closed: [SchemaMembers] = []
  var hasMemberKeywords = false
  var prefix: [Int] = []
  var rest: [Int] = []
  var contains: [(schema: Int, least: Int)] = []
  /// The constant of the member that selects the type.
  var constants: [String: JSON] = [:]
  /// The examples and the default of the schema.
  var examples: [JSON] = []
  /// The schemas that have been added.
  private(set) var visited: Set<Int> = []

  /// Creates the shape of a value that several schemas apply to.
  ///
  /// - Parameters:
  ///   - schemas: The indexes of the schemas.
  ///   - program: The compiled schemas.
  ///   - choice: The choice between alternatives.
  init(_ schemas: [Int], of program: SchemaProgram, choosing choice: inout AlternativeChoice) {
    var pending: [Alternatives] = []
    for schema in schemas { add(schema, of: program, &pending) }
    _ = settle(pending, of: program, &choice)
  }

  /// Creates the shape of a value without its alternatives.
  private init(_ schemas: [Int], of program: SchemaProgram) {
    var pending: [Alternatives] = []
    for schema in schemas { add(schema, of: program, &pending) }
  }

  /// One of several sets of schemas, of which a value matches one.
  private struct Alternative {
    var schemas: [Int]
    /// The member that selects the alternative, and its values that do.
    var selector: (member: String, values: [String])?
  }

  /// The sets of which a value matches one.
  private struct Alternatives {
    let all: [Alternative]
    /// Whether `null` matches, whatever the sets are.
    let acceptsNull: Bool
  }

  /// Adds a schema without its alternatives.
  private mutating func add(
    _ index: Int, of program: SchemaProgram, depth: Int = 0, acceptsNull: Bool = false,
    _ pending: inout [Alternatives]
  ) {
    // A schema that several references lead to counts once.
    guard depth < 24, visited.insert(index).inserted else { return }
    let (node, outerTypes) = (program.nodes[index], types)
    let acceptsNull = acceptsNull || node.acceptsNull
    defer { if node.acceptsNull, outerTypes.contains(.null) { types.insert(.null) } }
    func include(_ schema: Int, _ shape: inout SchemaShape, _ pending: inout [Alternatives]) {
      shape.add(schema, of: program, depth: depth + 1, acceptsNull: acceptsNull, &pending)
    }
    func choose(_ alternatives: [Alternative]) -> Alternatives {
      Alternatives(all: alternatives, acceptsNull: acceptsNull)
    }
    addExamples(node.source)
    for keyword in node.keywords {
      switch keyword {
      case .never: types = []
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
      case .reference(let target), .dynamicReference(let target, _):
        include(target, &self, &pending)
      case .all(let schemas):
        for schema in schemas { include(schema, &self, &pending) }
      case .any(let schemas), .one(let schemas):
        pending.append(choose(schemas.map { Alternative(schemas: [$0]) }))
      case .discriminator(let discriminator):
        pending.append(choose(Self.alternatives(of: discriminator, in: program)))
      case .members(let schemas):
        hasMemberKeywords = true
        for (name, schema) in schemas.named {
          members[name, default: []].append(schema)
          if program.isAnnotated(schema, with: .writeOnly) { writeOnly.insert(name) }
        }
        if let schema = schemas.additional {
          additional.append(schema)
          if program.isNever(schema) { closed.append(schemas) }
        }
      case .elements(let prefix, let rest):
        self.prefix += prefix
        if let rest { self.rest.append(rest) }
      case .contains(let schema, let least, _): contains.append((schema, least))
      case .condition(let condition, let then, let otherwise):
        pending.append(
          choose([
            Alternative(schemas: [condition] + (then.map { [$0] } ?? [])),
            Alternative(schemas: otherwise.map { [$0] } ?? []),
          ]))
      case .not, .dependentRequired, .dependentSchemas, .memberNames, .unevaluatedItems,
        .unevaluatedMembers:
        break
      }
    }
  }

  private static func alternatives(
    of discriminator: SchemaDiscriminator, in program: SchemaProgram
  ) -> [Alternative] {
    var names: [Int: [String]] = [:]
    for (name, schema) in discriminator.schemas { names[schema, default: []].append(name) }
    return names.keys.sorted().map { schema in
      let implied = program.nodes[schema].source["$ref"].string?.split(separator: "/").last
      let sorted = (names[schema] ?? []).sorted()
      // The names of the mapping come before that of the schema.
      let values = sorted.filter { $0 != implied ?? "" } + sorted.filter { $0 == implied ?? "" }
      return Alternative(schemas: [schema], selector: (discriminator.name, values))
    }
  }

  /// Adds one of each set of alternatives that goes with the other schemas.
  ///
  /// - Returns: Whether there is one. Otherwise the first one is added.
  private mutating func settle(
    _ pending: [Alternatives], of program: SchemaProgram, _ choice: inout AlternativeChoice
  ) -> Bool {
    var isPossible = isPossible(in: program)
    for choices in pending where !choices.all.isEmpty {
      let alternatives = choices.all
      let mayBeNull = choices.acceptsNull && types.contains(.null)
      var start = choice.index(in: alternatives.count)
      if choice.prefersScalars,
        let simple = alternatives.firstIndex(where: { alternative in
          alternative.schemas.contains {
            program.types(of: $0).isDisjoint(with: [.array, .object])
          }
        })
      {
        start = simple
      }
      var first: SchemaShape?
      var isFound = false
      for offset in alternatives.indices where !isFound && (first == nil || choice.mayTry()) {
        var trial = self
        var inner: [Alternatives] = []
        let alternative = alternatives[(start + offset) % alternatives.count]
        for schema in alternative.schemas { trial.add(schema, of: program, &inner) }
        let isSelected = alternative.selector.map { trial.select($0, in: program) } ?? true
        isFound = trial.settle(inner, of: program, &choice) && isSelected
        if isFound || first == nil { first = trial }
      }
      if let first { self = first }
      if mayBeNull { types.insert(.null) }
      isPossible = isPossible && (isFound || mayBeNull)
    }
    return isPossible
  }

  /// Sets the member that selects an alternative, unless its own values do.
  ///
  /// - Returns: Whether the member may have one of the values.
  private mutating func select(
    _ selector: (member: String, values: [String]), in program: SchemaProgram
  ) -> Bool {
    required.insert(selector.member)
    if let value = constants[selector.member] {
      return selector.values.contains { .string($0) == value }
    }
    let own = Self(members[selector.member] ?? [], of: program)
    guard own.types.contains(.string) else { return false }
    // A value of an enumeration that selects no alternative is that of the enumeration.
    let value = selector.values.first { own.values?.contains(.string($0)) ?? true }
    if let value { constants[selector.member] = .string(value) }
    return own.values != []
  }

  /// Returns whether a value may match all schemas, as far as types, enumerations and sizes tell.
  private func isPossible(in program: SchemaProgram, depth: Int = 0) -> Bool {
    if let values {
      guard values.contains(where: { types.contains(.of($0)) }) else { return false }
    } else if types.isEmpty {
      return false
    }
    guard types.isSubset(of: [.object]) || depth == 0 && types.contains(.object) else {
      return true
    }
    return required.allSatisfy { name in
      guard let schemas = members[name] else { return closed.allSatisfy { $0.allows(name) } }
      if !program.endlessSchemas.isEmpty, schemas.contains(where: program.endlessSchemas.contains) {
        return types != [.object]
      }
      return depth > 2 || types != [.object]
        || Self(schemas, of: program).isPossible(in: program, depth: depth + 1)
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

extension SchemaMembers {
  /// Returns whether a member is named, or matches a pattern.
  func allows(_ name: String) -> Bool {
    if isIncomplete || named[name] != nil { return true }
    var work = 0
    return patterns.contains { $0.pattern.isFound(in: name, counting: &work, limit: 100_000) }
  }
}

extension SchemaProgram {
  /// Returns whether a schema is `false`.
  func isNever(_ schema: Int) -> Bool {
    if case .never? = nodes[schema].keywords.first { true } else { false }
  }
}
