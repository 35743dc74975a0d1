import Networking

/// The keywords of objects and arrays, and those that combine schemas.
extension SchemaCompiler {
  mutating func compileObjects(_ keywords: inout SchemaKeywords) {
    let place = keywords.place
    var members = SchemaMembers()
    for (name, index) in namedSchemas(keywords, "properties") { members.named[name] = index }
    if !keywords.dialect.isOpenAPI30 {
      for (text, index) in namedSchemas(keywords, "patternProperties") {
        guard let pattern = pattern(text, place.appending("patternProperties", text)) else {
          continue
        }
        // A pattern that cannot be searched must not apply its schema to every member.
        if pattern.problem == nil {
          members.patterns.append((pattern, index))
        } else {
          members.isIncomplete = true
        }
      }
    }
    members.additional = single(keywords, "additionalProperties")
    if !members.named.isEmpty || !members.patterns.isEmpty || members.additional != nil
      || members.isIncomplete
    {
      keywords.result.append(.members(members))
    }
    if keywords.dialect.hasValidation, let value = keywords.schema["required"],
      let names = names(value, place.appending("required"))
    {
      keywords.result.append(.required(names))
    }
    guard !keywords.dialect.isOpenAPI30 else { return }
    if keywords.dialect.hasValidation, let value = keywords.schema["dependentRequired"]?.dictionary
    {
      var dependencies: [(name: String, required: [String])] = []
      for (name, value) in value {
        guard let required = names(value, place.appending("dependentRequired", name)) else {
          continue
        }
        dependencies.append((name, required))
      }
      keywords.result.append(.dependentRequired(dependencies))
    }
    let dependent = namedSchemas(keywords, "dependentSchemas")
    if !dependent.isEmpty { keywords.result.append(.dependentSchemas(dependent)) }
    if let names = single(keywords, "propertyNames") { keywords.result.append(.memberNames(names)) }
  }

  mutating func compileArrays(_ keywords: inout SchemaKeywords) {
    let prefix = keywords.dialect.isOpenAPI30 ? [] : schemas(keywords, "prefixItems") ?? []
    let rest = single(keywords, "items")
    if !prefix.isEmpty || rest != nil {
      keywords.result.append(.elements(prefix: prefix, rest: rest))
    }
    guard !keywords.dialect.isOpenAPI30, let contains = single(keywords, "contains") else { return }
    let least = keywords.dialect.hasValidation ? count(keywords, "minContains") ?? 1 : 1
    let most = keywords.dialect.hasValidation ? count(keywords, "maxContains") : nil
    keywords.result.append(.contains(contains, least: least, most: most))
  }

  mutating func compileBranches(_ keywords: inout SchemaKeywords) {
    if let all = schemas(keywords, "allOf") { keywords.result.append(.all(all)) }
    let any = schemas(keywords, "anyOf")
    let one = schemas(keywords, "oneOf")
    if let alternatives = one ?? any,
      let discriminator = discriminator(keywords, alternatives, one != nil)
    {
      keywords.result.append(.discriminator(discriminator))
      if one != nil, let any { keywords.result.append(.any(any)) }
    } else {
      if let any { keywords.result.append(.any(any)) }
      if let one { keywords.result.append(.one(one)) }
    }
    if let not = single(keywords, "not") { keywords.result.append(.not(not)) }
    guard !keywords.dialect.isOpenAPI30, let condition = single(keywords, "if") else { return }
    let (then, otherwise) = (single(keywords, "then"), single(keywords, "else"))
    keywords.result.append(.condition(condition, then: then, otherwise: otherwise))
  }

  /// Returns the discriminator of an OpenAPI document.
  ///
  /// Source: OpenAPI 3.1.1, Discriminator Object.
  private mutating func discriminator(
    _ keywords: SchemaKeywords, _ alternatives: [Int], _ isOne: Bool
  ) -> SchemaDiscriminator? {
    guard let name = keywords.schema["discriminator"]?["propertyName"].string else { return nil }
    var schemas: [String: Int] = [:]
    for index in alternatives {
      guard let reference = program.nodes[index].source["$ref"].string,
        let schema = reference.split(separator: "/").last
      else { continue }
      schemas[String(schema)] = index
    }
    let mapping = keywords.schema["discriminator"]?["mapping"].dictionary ?? [:]
    for (value, reference) in mapping {
      let place = keywords.place.appending("discriminator", "mapping", value)
      guard let text = reference.string else { continue }
      if let index = schemas[text] {
        schemas[value] = index
      } else if let target = documents.target(of: text, at: keywords.place) {
        schemas[value] = schema(at: target.place)
      } else {
        assume(place, SchemaDocuments.deadEnd(text))
      }
    }
    guard !schemas.isEmpty else { return nil }
    return SchemaDiscriminator(
      name: name, schemas: schemas, isOne: isOne, alternatives: alternatives)
  }
}
