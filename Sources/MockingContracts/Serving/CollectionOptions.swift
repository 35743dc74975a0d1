import Foundation
import MockingResources
import Networking

extension ContractCollection {
  /// The number of initial items that are made from the schema.
  private static let sampleCount = 5
  /// The number of items of a page if neither the request nor the document has a limit.
  private static let pageSize = 20

  /// Returns the options of the resource, with the rules of the document's schemas.
  func options(of content: Contract.Content) -> ResourceOptions {
    let program = content.program
    let members = program.memberSchemas(of: itemSchema)
    var options = ResourceOptions()
    options.key = key
    options.ids = idRule(keySchema(content), content)
    options.foreignKeys = foreignKeys
    options.sharesItems = isReadOnly
    options.createsOnPut = createsOnPut(content)
    options.allowsMissingParents = !operations.values.contains { [.create, .replace].contains($0) }
    for (variable, member) in foreignKeys {
      let types = (members[member] ?? variables[variable]).map { program.types(of: $0) } ?? []
      if types.contains(.string), types.isDisjoint(with: [.integer, .number]) {
        options.types[member] = .string
      }
    }
    options.onParentDelete = .keep
    options.readOnly = program.members(of: itemSchema, with: .readOnly).subtracting([key]).sorted()
    let times = members.filter { program.isTime($0.value) }.keys
    options.createdAt = ["createdAt", "created_at", "created"].first { times.contains($0) }
    options.updatedAt =
      ["updatedAt", "updated_at", "modifiedAt", "modified_at", "updated"].first {
        times.contains($0)
      }
    // A new item has the members that responses require and the client does not send.
    let sample = SchemaSampler.sample(itemSchema, of: content, seed: 0).value.dictionary ?? [:]
    let required = program.requiredMembers(of: itemSchema)
    options.defaults = sample.filter { name, _ in
      required.contains(name) && name != key && !foreignKeys.values.contains(name)
    }
    setParameters(&options, content)
    return options
  }

  /// Returns whether PUT creates an item, or `nil` for the rule of the ids.
  ///
  /// It does if no POST creates one, unless the document says that the item may be missing.
  private func createsOnPut(_ content: Contract.Content) -> Bool? {
    let replace = operations.first { $0.value == .replace }.map { content.operations[$0.key] }
    guard let replace, !operations.values.contains(.create) else { return nil }
    return !replace.responses.contains { $0.code == .status(404) }
  }

  /// Returns the schema of the ids: that of their member, or that of the variable in the path.
  private func keySchema(_ content: Contract.Content) -> Int? {
    content.program.memberSchemas(of: itemSchema)[key] ?? variable.flatMap { variables[$0] }
  }

  /// Returns the initial items: the examples of the list, or items made from the schema.
  ///
  /// - Parameters:
  ///   - content: The contract.
  ///   - seed: The seed of items made from the schema.
  ///   - options: The options of the resource.
  ///   - parents: The items of the parent with the names of their members, if it is a collection. The
  ///     items belong to them.
  /// - Returns: The items, with the members that are stored beside them.
  func items(
    of content: Contract.Content, seed: UInt64, _ options: ResourceOptions,
    parents: (collection: ContractCollection, items: [JSON])? = nil
  ) -> [JSON] {
    let items = items(of: content, seed: seed, options)
    guard !foreignKeys.isEmpty else { return items }
    let names = ContractPath(path).names
    guard let parents, let last = names.last else {
      // Without the items of a parent, only examples may have its id.
      return items.filter { item in foreignKeys.values.allSatisfy { !item[$0].isNull } }
    }
    return items.enumerated().compactMap { index, item in
      guard !parents.items.isEmpty else { return nil }
      let parent = parents.items[index % parents.items.count]
      var item = item
      for (name, other) in zip(names, ContractPath(parents.collection.path).names) {
        item[foreignKeys[name] ?? ""] = parent[parents.collection.foreignKeys[other] ?? ""]
      }
      item[foreignKeys[last] ?? ""] = parent[parents.collection.key]
      return item
    }
  }

  private func items(
    of content: Contract.Content, seed: UInt64, _ options: ResourceOptions
  ) -> [JSON] {
    let list = operations.first { $0.value == .list }.map { content.operations[$0.key] }
    let examples = list?.successfulResponse?.response.content.first(where: \.isJSON)?.examples ?? []
    let lists = examples.compactMap { example in
      example.value[at: envelope].array
    }
    let valid = lists.first { items in
      !items.isEmpty
        && items.allSatisfy { content.violations(of: $0, itemSchema, .response).isEmpty }
    }
    if let valid {
      let items =
        hidden.contains(key) ? valid.enumerated().map { identified($1, $0 + 1, options) } : valid
      var ids: Set<JSON> = []
      return items.filter { $0[key].isNull || ids.insert($0[key]).inserted }
    }
    // An example without items is a collection without items.
    if lists.contains([]) { return [] }
    var items: [JSON] = []
    for number in 1...Self.sampleCount {
      let sample = SchemaSampler.sample(
        itemSchema, of: content, seed: seed &+ UInt64(number), usesExamples: number == 1)
      guard sample.isValid, case .dictionary = sample.value else { continue }
      let item = identified(sample.value, number, options)
      guard isValid(item, content), !items.contains(where: { $0[key] == item[key] }) else {
        continue
      }
      items.append(item)
    }
    return items
  }

  /// Returns whether an item keeps its schema without the members that are stored beside it.
  private func isValid(_ item: JSON, _ content: Contract.Content) -> Bool {
    let members = (item.dictionary ?? [:]).filter { !hidden.contains($0.key) }
    return content.violations(of: .dictionary(members), itemSchema, .response).isEmpty
  }

  /// Returns whether items are a list that keeps its schema.
  func isValidList(_ items: [JSON], _ content: Contract.Content) -> Bool {
    let items = items.prefix(maximumCount(content) ?? .max).map { item in
      JSON.dictionary((item.dictionary ?? [:]).filter { !hidden.contains($0.key) })
    }
    let schema = listSchema(content)
    return !items.isEmpty
      && schema.map { content.violations(of: .array(items), $0, .response).isEmpty } == true
  }

  /// Returns an item with the id of a number.
  private func identified(_ item: JSON, _ number: Int, _ options: ResourceOptions) -> JSON {
    var item = item
    switch options.ids {
    case .counter: item[key] = .int(number)
    case .pattern(let pattern):
      item[key] = .string(pattern.replacing("{counter}", with: String(number)))
    case .automatic, .uuid, .client: break
    }
    return item
  }

  /// Returns whether clients choose the ids of new items.
  private func hasClientIDs(_ content: Contract.Content) -> Bool {
    guard let body = createdSchema(content) else { return false }
    return acceptsIDs(content) && content.program.requiredMembers(of: body).contains(key)
  }

  /// Returns whether clients may choose the ids of new items.
  func acceptsIDs(_ content: Contract.Content) -> Bool {
    guard let body = createdSchema(content), !hidden.contains(key) else { return false }
    return content.program.memberSchemas(of: body)[key] != nil
      && !content.program.members(of: body, with: .readOnly).contains(key)
  }

  /// Returns the schema of the item in a request that creates one.
  private func createdSchema(_ content: Contract.Content) -> Int? {
    guard let index = operations.first(where: { $0.value == .create })?.key else { return nil }
    return content.program.schema(
      at: itemEnvelopes[index]?.request ?? [], in: content.operations[index].bodySchema)
  }

  /// Returns the schema of ids that no rule makes, such as one with a pattern.
  func sampledIDs(_ content: Contract.Content, _ options: ResourceOptions) -> Int? {
    guard options.ids == .client, !hasClientIDs(content) else { return nil }
    return keySchema(content)
  }

  /// Returns the first rule whose ids keep the schema.
  private func idRule(_ schema: Int?, _ content: Contract.Content) -> ResourceOptions.IDRule {
    if hasClientIDs(content) { return .client }
    guard let schema else { return .counter }
    let candidates: [(ResourceOptions.IDRule, JSON)] = [
      (.counter, 1), (.uuid, "00000000-0000-4000-8000-000000000000"), (.pattern("{counter}"), "1"),
      (.pattern("\(key)-{counter}"), .string("\(key)-1")),
    ]
    return candidates.first { content.violations(of: $0.1, schema, .response).isEmpty }?.0
      ?? .client
  }

  // MARK: Parameters of the list

  static let limits = [
    "limit", "per_page", "perPage", "page_size", "pageSize", "size", "count", "max_results",
    "maxResults", "_limit",
  ]
  static let pages = ["page", "page_number", "pageNumber", "_page"]
  static let offsets = ["offset", "skip", "start", "_offset"]
  private static let cursors = [
    "cursor", "after", "starting_after", "page_token", "pageToken", "next_token", "_cursor",
  ]
  private static let sorts = ["sort", "sort_by", "sortBy", "order_by", "orderBy", "_sort"]
  private static let orders = ["order", "sort_order", "sortOrder", "direction", "_order"]
  private static let searches = ["q", "query", "search"]

  /// The parameters in the query of the list.
  private func parameters(_ content: Contract.Content) -> [ContractParameter] {
    let list = operations.first { $0.value == .list }.map { content.operations[$0.key] }
    return list?.parameters.filter { $0.location == .query } ?? []
  }

  /// Returns the default of a parameter of the list.
  ///
  /// `nil` if the document has no default that is a whole number.
  func defaultNumber(of name: String, _ content: Contract.Content) -> Int? {
    let schema = parameters(content).first { $0.name == name }?.schema
    return schema.flatMap { content.program.defaultValue(of: $0)?.int }
  }

  /// Returns the schema of the array in the response of the list.
  private func listSchema(_ content: Contract.Content) -> Int? {
    let list = operations.first { $0.value == .list }.map { content.operations[$0.key] }
    return content.program.schema(at: envelope, in: list?.successSchema)
  }

  /// The number of items that the schema of the list allows.
  private func maximumCount(_ content: Contract.Content) -> Int? {
    guard let array = listSchema(content) else { return nil }
    for case .size(.maxItems, let limit) in content.program.nodes[array].keywords { return limit }
    return nil
  }

  private func setParameters(_ options: inout ResourceOptions, _ content: Contract.Content) {
    let names = Set(parameters(content).map(\.name))
    func set(_ name: inout String, _ known: [String]) {
      if let found = known.first(where: names.contains) { name = found }
    }
    set(&options.parameters.limit, Self.limits)
    set(&options.parameters.page, Self.pages)
    set(&options.parameters.offset, Self.offsets)
    set(&options.parameters.cursor, Self.cursors)
    set(&options.parameters.sort, Self.sorts)
    set(&options.parameters.order, Self.orders)
    set(&options.parameters.search, Self.searches)
    if !names.isDisjoint(with: Self.limits + Self.pages + Self.offsets + Self.cursors) {
      options.pageSize = defaultNumber(of: options.parameters.limit, content) ?? Self.pageSize
    }
    // The list of all items must keep its schema, too.
    options.maximumPageSize = maximumCount(content)
  }
}

extension SchemaProgram {
  /// Returns whether a schema is that of a text with a date and a time.
  fileprivate func isTime(_ schema: Int) -> Bool {
    nodes[schema].keywords.contains {
      if case .format("date-time", _) = $0 { true } else { false }
    }
  }
}
