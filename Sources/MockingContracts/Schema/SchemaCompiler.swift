import Networking

/// A problem of a schema or of an OpenAPI document.
struct SchemaProblem: Error, Sendable, Hashable {
  enum Severity: Sendable, Hashable {
    /// Nothing can be served.
    case error
    /// The document does not keep its specification, and the reason has the assumption.
    case mistake
    /// A valid part of the document has no effect, or no value can match it.
    case limitation
  }

  let place: SchemaPlace
  let reason: String
  var severity = Severity.error
  /// The reason without the assumption.
  ///
  /// `nil` if there is none.
  var mistake: String?
}

/// A compiler of schemas, with the schemas that they refer to.
struct SchemaCompiler {
  var documents: SchemaDocuments
  private(set) var program = SchemaProgram()
  /// The problems in the order in which they are found.
  private(set) var problems: [SchemaProblem] = []
  private var indexes: [SchemaPlace: Int] = [:]
  private var resources: [SchemaPlace: Int] = [:]
  /// The schemas without keywords, which are compiled next.
  private var pending: [Int] = []
  private var dynamicNames: Set<String> = []
  private var hasWarnedOfNullable = false

  init(_ documents: SchemaDocuments) { self.documents = documents }

  /// Returns the index of the schema at a place, and compiles it.
  mutating func compile(_ place: SchemaPlace) -> Int {
    documents.scan(place)
    let index = schema(at: place)
    finish()
    return index
  }

  /// Finds the schemas without a finite value, and warns of those that references lead to.
  ///
  /// Called once, after all schemas have been compiled.
  mutating func findEndlessSchemas() {
    program.endlessSchemas = program.findEndlessSchemas()
    var targets: Set<Int> = []
    for index in program.endlessSchemas {
      for case .reference(let target) in program.nodes[index].keywords { targets.insert(target) }
    }
    for index in targets.intersection(program.endlessSchemas).sorted() {
      warn(
        program.nodes[index].place,
        "no value matches the schema, because each would contain another one without end; make a "
          + "member optional, or allow null")
    }
  }

  /// Compiles all schemas that were referred to.
  private mutating func finish() {
    repeat {
      while let index = pending.popLast() { compile(node: index) }
      compileDynamicAnchors()
    } while !pending.isEmpty
  }

  /// Compiles the dynamic anchors that a dynamic reference may lead to.
  private mutating func compileDynamicAnchors() {
    for (resource, anchors) in documents.dynamicAnchors {
      for (name, place) in anchors where dynamicNames.contains(name) {
        let index = schema(at: place)
        program.dynamicAnchors[self.resource(resource), default: [:]][name] = index
      }
    }
  }

  private mutating func resource(_ place: SchemaPlace) -> Int {
    if let index = resources[place] { return index }
    resources[place] = resources.count
    return resources.count - 1
  }

  /// Returns the index of the schema at a place, which is compiled later.
  mutating func schema(at place: SchemaPlace) -> Int {
    if let index = indexes[place] { return index }
    let index = program.nodes.count
    indexes[place] = index
    program.nodes.append(
      SchemaNode(
        place: place, source: documents.value(at: place) ?? .bool(true),
        resource: resource(documents.resource(of: place).place)))
    pending.append(index)
    return index
  }

  mutating func warn(_ place: SchemaPlace, _ reason: String) {
    problems.append(SchemaProblem(place: place, reason: reason, severity: .limitation))
  }

  /// Reports a mistake, and the assumption with which the document is used all the same.
  mutating func assume(
    _ place: SchemaPlace, _ mistake: String, _ assumption: String = "ignored"
  ) {
    problems.append(
      SchemaProblem(
        place: place, reason: "\(mistake); \(assumption)", severity: .mistake, mistake: mistake))
  }

  /// The assumption for a schema that cannot be read.
  private static let anyValue = "any value is allowed"

  // MARK: Keywords

  private mutating func compile(node index: Int) {
    let (place, source) = (program.nodes[index].place, program.nodes[index].source)
    switch source {
    case .bool(true): break
    case .bool(false): program.nodes[index].keywords = [.never]
    case .dictionary(let schema):
      var keywords = SchemaKeywords(
        schema: schema, place: place, dialect: documents.dialect(at: place))
      compile(&keywords)
      program.nodes[index].keywords = keywords.result
      program.nodes[index].acceptsNull = acceptsNull(keywords)
    default: assume(place, "expected a schema: an object or a Boolean", Self.anyValue)
    }
  }

  /// The keywords of a schema that is being compiled.
  struct SchemaKeywords {
    let schema: [String: JSON]
    let place: SchemaPlace
    let dialect: SchemaDialect
    var result: [SchemaKeyword] = []
  }

  /// Returns whether `nullable` is beside keywords with other schemas, of which few have `null`.
  ///
  /// Source: OpenAPI 3.0.3, proposal "Clarify Nullable".
  private mutating func acceptsNull(_ keywords: SchemaKeywords) -> Bool {
    guard keywords.dialect.isOpenAPI30, keywords.schema["nullable"]?.bool == true,
      ["$ref", "allOf", "anyOf", "oneOf"].contains(where: { keywords.schema[$0] != nil })
    else { return false }
    if !hasWarnedOfNullable {
      hasWarnedOfNullable = true
      warn(
        keywords.place.appending("nullable"),
        "beside $ref, allOf, anyOf and oneOf, nullable has no effect in OpenAPI 3.0.3; as most "
          + "programs that write it mean null, null is allowed in all such schemas")
    }
    return true
  }

  private mutating func compile(_ keywords: inout SchemaKeywords) {
    let schema = keywords.schema
    if let reference = schema["$ref"] {
      if let target = target(of: reference, keywords.place.appending("$ref")) {
        keywords.result.append(.reference(self.schema(at: target.place)))
      }
      if keywords.dialect.isOpenAPI30 { return }
    }
    if let reference = schema["$dynamicRef"], !keywords.dialect.isOpenAPI30,
      let target = target(of: reference, keywords.place.appending("$dynamicRef"))
    {
      let index = self.schema(at: target.place)
      if let anchor = target.dynamicAnchor {
        dynamicNames.insert(anchor)
        keywords.result.append(.dynamicReference(index, anchor: anchor))
      } else {
        keywords.result.append(.reference(index))
      }
    }
    if keywords.dialect.hasValidation {
      compileTypes(&keywords)
      compileNumbers(&keywords)
      compileSizes(&keywords)
    }
    if let format = schema["format"]?.string {
      keywords.result.append(.format(format, isAsserted: keywords.dialect.hasFormatAssertion))
    }
    compileObjects(&keywords)
    compileArrays(&keywords)
    compileBranches(&keywords)
    guard !keywords.dialect.isOpenAPI30 else { return }
    // These depend on all the others.
    if schema["unevaluatedItems"] != nil {
      program.tracksEvaluation = true
      keywords.result.append(
        .unevaluatedItems(self.schema(at: keywords.place.appending("unevaluatedItems"))))
    }
    if schema["unevaluatedProperties"] != nil {
      program.tracksEvaluation = true
      keywords.result.append(
        .unevaluatedMembers(self.schema(at: keywords.place.appending("unevaluatedProperties"))))
    }
  }

  mutating func target(
    of reference: JSON, _ place: SchemaPlace
  ) -> SchemaDocuments.Target? {
    guard let text = reference.string else {
      assume(place, "expected a string", Self.anyValue)
      return nil
    }
    let owner = SchemaPlace(document: place.document, path: place.path.dropLast())
    guard let target = documents.target(of: text, at: owner) else {
      assume(place, SchemaDocuments.deadEnd(text), Self.anyValue)
      return nil
    }
    return target
  }

  private mutating func compileTypes(_ keywords: inout SchemaKeywords) {
    let (schema, place) = (keywords.schema, keywords.place)
    // As the type, not as a value of `enum`, which must list `null`, too.
    let isNullable = keywords.dialect.isOpenAPI30 && schema["nullable"]?.bool == true
    if let value = schema["type"] {
      let names = value.array ?? [value]
      var types = names.compactMap { $0.string.flatMap(SchemaType.init) }
      if types.count != names.count || types.isEmpty {
        assume(
          place.appending("type"),
          "expected a type: \(SchemaType.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      if !types.isEmpty {
        if isNullable { types.append(.null) }
        keywords.result.append(.types(types))
      }
    }
    if let values = schema["enum"] {
      if let values = values.array {
        keywords.result.append(
          .enumeration(values, isConstant: false))
      } else {
        assume(place.appending("enum"), "expected an array")
      }
    }
    if let value = schema["const"], !keywords.dialect.isOpenAPI30 {
      keywords.result.append(.enumeration([value], isConstant: true))
    }
  }

  private mutating func number(_ keywords: SchemaKeywords, _ name: String) -> JSON? {
    guard let value = keywords.schema[name] else { return nil }
    guard value.double != nil else {
      assume(keywords.place.appending(name), "expected a number")
      return nil
    }
    return value
  }

  mutating func count(_ keywords: SchemaKeywords, _ name: String) -> Int? {
    guard let value = keywords.schema[name] else { return nil }
    guard let count = value.int, count >= 0 else {
      assume(keywords.place.appending(name), "expected an integer of at least 0")
      return nil
    }
    return count
  }

  private mutating func compileNumbers(_ keywords: inout SchemaKeywords) {
    if let divisor = number(keywords, "multipleOf") {
      if divisor.double ?? 0 > 0 {
        keywords.result.append(.multipleOf(divisor))
      } else {
        assume(keywords.place.appending("multipleOf"), "expected a number greater than 0")
      }
    }
    let limits: [(limit: SchemaBound, exclusive: SchemaBound)] = [
      (.minimum, .exclusiveMinimum), (.maximum, .exclusiveMaximum),
    ]
    for (limit, exclusive) in limits {
      let isExclusive =
        keywords.dialect.isOpenAPI30 && keywords.schema[exclusive.rawValue]?.bool == true
      if let value = number(keywords, limit.rawValue) {
        keywords.result.append(.bound(isExclusive ? exclusive : limit, value))
      }
      guard keywords.schema[exclusive.rawValue]?.bool == nil || !keywords.dialect.isOpenAPI30 else {
        continue
      }
      if let value = number(keywords, exclusive.rawValue) {
        keywords.result.append(.bound(exclusive, value))
      }
    }
  }

  private mutating func compileSizes(_ keywords: inout SchemaKeywords) {
    let sizes: [SchemaSize] = [
      .minLength, .maxLength, .minItems, .maxItems, .minProperties, .maxProperties,
    ]
    for size in sizes {
      if let count = count(keywords, size.rawValue) { keywords.result.append(.size(size, count)) }
    }
    if let text = keywords.schema["pattern"] {
      if let pattern = pattern(text.string, keywords.place.appending("pattern")) {
        keywords.result.append(.pattern(pattern))
      }
    }
    if keywords.schema["uniqueItems"]?.bool == true { keywords.result.append(.uniqueItems) }
  }

  mutating func pattern(_ text: String?, _ place: SchemaPlace) -> SchemaPattern? {
    guard let text else {
      assume(place, "expected a string")
      return nil
    }
    let pattern = SchemaPattern(text)
    if let problem = pattern.problem { warn(place, "the pattern is not checked: \(problem)") }
    return pattern
  }

  mutating func names(_ value: JSON, _ place: SchemaPlace) -> [String]? {
    guard let names = value.array?.map(\.string), !names.contains(nil) else {
      assume(place, "expected an array of strings")
      return nil
    }
    return names.compactMap { $0 }
  }

  /// Returns the schemas that a keyword lists.
  mutating func schemas(_ keywords: SchemaKeywords, _ name: String) -> [Int]? {
    guard let value = keywords.schema[name] else { return nil }
    guard let values = value.array, !values.isEmpty || name == "prefixItems" else {
      assume(keywords.place.appending(name), "expected an array of schemas")
      return nil
    }
    return values.indices.map { schema(at: keywords.place.appending(name, "\($0)")) }
  }

  /// Returns the schemas of an object by name, in the order of the names.
  mutating func namedSchemas(
    _ keywords: SchemaKeywords, _ name: String
  ) -> [(name: String, schema: Int)] {
    guard let value = keywords.schema[name] else { return [] }
    var place = keywords.place.appending(name)
    guard var members = value.dictionary else {
      assume(place, "expected an object of schemas")
      return []
    }
    // A text is no schema, so that it is not a member with this name.
    if let reference = members["$ref"]?.string {
      members["$ref"] = nil
      let target = documents.target(of: reference, at: keywords.place)?.place
      if let target, let others = documents.value(at: target)?.dictionary {
        assume(
          place.appending("$ref"), "the keyword \(name) has no reference",
          "it is followed, and members beside it are ignored")
        (members, place) = (others, target)
      } else {
        assume(place.appending("$ref"), SchemaDocuments.deadEnd(reference))
      }
    }
    return members.keys.sorted().map { ($0, schema(at: place.appending($0))) }
  }

  mutating func single(_ keywords: SchemaKeywords, _ name: String) -> Int? {
    keywords.schema[name] == nil ? nil : schema(at: keywords.place.appending(name))
  }
}
