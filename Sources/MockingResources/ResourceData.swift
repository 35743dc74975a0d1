import Foundation
import Mocking
import MockingDocuments
import Networking

/// The tables of all resources of a store, with the operations that keep them consistent.
///
/// Each operation checks everything before its first change, so an operation that throws changes
/// nothing.
struct ResourceData: Sendable {
  /// The time and the random values for a change.
  struct Context {
    let now: Date
    let values: TemplateValues
    /// Whether the change comes from Swift code, which may set members that are read-only for clients.
    var isTrusted = false

    var trusted: Context { Context(now: now, values: values, isTrusted: true) }
  }

  /// The members that the variables of a path determine, with their values.
  typealias Bound = [(member: String, value: JSON)]

  /// Whether a resource responds to requests.
  enum Phase {
    /// It has not responded yet.
    case reserved
    case active
    /// It has responded, and its items are kept until it does again.
    case retired
  }

  /// The resources.
  private(set) var definitions: [ResourceDefinition] = []
  private(set) var phases: [Phase] = []
  /// The index of the resource at a normalized path.
  private(set) var indexes: [String: Int] = [:]
  /// The items of the resources.
  var tables: [ResourceTable] = []

  /// Adds a resource, and returns its index.
  mutating func add(_ definition: ResourceDefinition, _ table: ResourceTable) -> Int {
    let index = reserve(definition)
    activate([(index, definition, table)])
    return index
  }

  /// Returns the index of a resource that is added later.
  @discardableResult
  mutating func reserve(_ definition: ResourceDefinition) -> Int {
    definitions.append(definition)
    tables.append(ResourceTable())
    phases.append(.reserved)
    return definitions.count - 1
  }

  /// Makes resources respond, with these items.
  mutating func activate(
    _ resources: [(index: Int, definition: ResourceDefinition, table: ResourceTable)]
  ) {
    let areNew = resources.allSatisfy { phases[$0.index] == .reserved }
    for (index, definition, table) in resources {
      definitions[index] = definition
      tables[index] = table
      phases[index] = .active
      if areNew { addIndexes(of: index) }
    }
    if !areNew { updateIndexes() }
  }

  /// Makes resources respond no longer, and keeps their items.
  mutating func retire(_ indices: Set<Int>) {
    for index in indices { phases[index] = .retired }
    updateIndexes()
  }

  private mutating func updateIndexes() {
    indexes = [:]
    for index in activeIndices { addIndexes(of: index) }
  }

  /// Adds the paths of a resource, except those of resources with a lower index.
  private mutating func addIndexes(of index: Int) {
    for path in definitions[index].paths where index < indexes[path.normalized] ?? .max {
      indexes[path.normalized] = index
    }
  }

  /// The indexes of the resources that respond.
  var activeIndices: [Int] { definitions.indices.filter { phases[$0] == .active } }

  /// The paths of all resources that respond.
  var paths: [String] { activeIndices.flatMap { definitions[$0].paths.map(\.list) } }

  /// Returns whether there is a resource at a normalized path.
  func hasResource(at path: String) -> Bool { indexes[path] != nil }

  /// Returns the index of the resource at a path, whose variables may have any names.
  func index(at path: String) -> Int? { indexes[path.normalizedResourcePath] }

  /// The number of changes of all tables.
  var revision: Int { tables.reduce(0) { $0 + $1.revision } }

  /// Returns the item with an id.
  ///
  /// - Throws: ``ResourceProblem`` with the status 404 if it does not exist or belongs to other
  ///   parents.
  func item(_ id: String, of index: Int, _ bound: Bound = []) throws(ResourceProblem)
    -> ResourceItem
  {
    guard let item = tables[index][id], Self.matches(item.json, bound) else { throw .missing(id) }
    return item
  }

  // MARK: Changes

  /// Adds an item.
  ///
  /// - Parameters:
  ///   - json: The item. Without an id, it receives one by the rule of the resource.
  ///   - index: The index of the resource.
  ///   - bound: The members that the path determines.
  ///   - context: The time and the random values.
  /// - Returns: The item as stored.
  /// - Throws: ``ResourceProblem``.
  mutating func insert(
    _ json: JSON, into index: Int, _ bound: Bound = [], _ context: Context
  ) throws(ResourceProblem) -> ResourceItem {
    let options = definitions[index].options
    var (members, problems) = try bind(json, bound)
    if !context.isTrusted {
      for name in options.readOnly where members[name] != nil && name != options.key {
        problems.append(.readOnly(name))
      }
    }
    members.merge(options.defaults) { given, _ in given }
    let given = members[options.key] ?? .null
    if given.isNull, !options.isObject {
      if options.ids == .client {
        problems.append(.init(path: [.member(options.key)], text: "is required"))
      }
    } else if !options.isObject, ResourceItem.id(of: given) == nil {
      problems.append(
        .init(
          path: [.member(options.key)], text: "must be an integer or a string of 1 to 256 bytes"))
    }
    let text = Self.timestamp(context.now)
    if let name = options.createdAt { members[name] = .string(text) }
    if let name = options.updatedAt { members[name] = .string(text) }
    problems += options.problems(in: members).filter {
      options.isObject || $0.path != [.member(options.key)]
    }
    problems += brokenReferences(of: .dictionary(members), in: index, bound).map(\.problem)
    guard problems.isEmpty else { throw .invalid(problems) }
    guard tables[index].count < options.maximumItems else {
      throw ResourceProblem(
        status: 507, detail: "the resource has the maximum of \(options.maximumItems) items")
    }
    let counter = tables[index].counter
    do throws(ResourceProblem) {
      let item =
        try given.isNull && !options.isObject
        ? Self.newItem(members, in: &tables[index], definitions[index], context.values)
        : item(.dictionary(members), of: index)
      guard tables[index][item.id] == nil else {
        throw ResourceProblem(
          status: 409, detail: "an item with the id \(ReportFormatter.quoted(item.id)) exists")
      }
      try checkUnique(item, of: index)
      tables[index].insert(item)
      return item
    } catch {
      tables[index].counter = counter
      throw error
    }
  }

  /// Replaces an item.
  ///
  /// The id, the members that the path determines, the members that are read-only and the time of
  /// creation keep their values if the new item does not have them.
  ///
  /// - Throws: ``ResourceProblem``.
  mutating func replace(
    _ current: ResourceItem, with json: JSON, in index: Int, _ bound: Bound = [],
    _ context: Context
  ) throws(ResourceProblem) -> ResourceItem {
    let options = definitions[index].options
    var (members, problems) = try bind(json, bound)
    if !options.isObject {
      let key = members[options.key] ?? .null
      if !key.isNull, ResourceItem.id(of: key) != current.id {
        problems.append(.readOnly(options.key))
      }
      members[options.key] = current.json[options.key]
    }
    for name in options.readOnly where name != options.key {
      let value = current.json.dictionary?[name]
      if let new = members[name], new != value, !context.isTrusted {
        problems.append(.readOnly(name))
      } else if members[name] == nil {
        members[name] = value
      }
    }
    if context.isTrusted {
      for name in definitions[index].foreignKeys where members[name] == nil {
        members[name] = current.json.dictionary?[name]
      }
    }
    if let name = options.createdAt { members[name] = current.json.dictionary?[name] }
    if let name = options.updatedAt { members[name] = .string(Self.timestamp(context.now)) }
    problems += options.problems(in: members)
    problems += brokenReferences(
      of: .dictionary(members), in: index, replacing: current.json, bound
    ).map(\.problem)
    guard problems.isEmpty else { throw .invalid(problems) }
    let item = try item(.dictionary(members), of: index)
    try checkUnique(item, of: index)
    tables[index].replace(item)
    return item
  }

  /// Removes an item, and the items nested in it according to their options.
  ///
  /// - Throws: ``ResourceProblem`` with the status 409 if a nested resource refuses.
  mutating func remove(_ id: String, from index: Int) throws(ResourceProblem) {
    var removals = [Reference(index: index, id: id)]
    var seen = Set(removals)
    // Each nested resource is scanned once, however many parents are removed.
    var nested: [NestedResource: [String: [String]]] = [:]
    var position = 0
    while position < removals.count {
      let parent = removals[position]
      position += 1
      for child in children(of: parent.index) {
        let options = definitions[child.index].options
        guard options.onParentDelete != .keep else { continue }
        let ids = nested[child] ?? idsByParent(child)
        nested[child] = ids
        for id in ids[parent.id] ?? [] {
          let removal = Reference(index: child.index, id: id)
          guard seen.insert(removal).inserted else { continue }
          guard options.onParentDelete == .cascade else {
            throw ResourceProblem(
              status: 409,
              detail: "the item is not deleted, because it has items in "
                + definitions[child.index].name)
          }
          removals.append(removal)
        }
      }
    }
    for removal in removals { tables[removal.index].remove(removal.id) }
  }

  private struct Reference: Hashable {
    let index: Int
    let id: String
  }

  private struct NestedResource: Hashable {
    let index: Int
    /// The member with the id of the parent.
    let member: String
  }

  /// Returns the resources that are nested in a resource.
  private func children(of parent: Int) -> [NestedResource] {
    activeIndices.flatMap { index in
      definitions[index].paths.compactMap { path in
        guard let last = path.bindings.last, indexes[last.parent] == parent else { return nil }
        return NestedResource(index: index, member: last.member)
      }
    }
  }

  /// Returns the ids of the items by the ids of their parents.
  private func idsByParent(_ nested: NestedResource) -> [String: [String]] {
    var ids: [String: [String]] = [:]
    for item in tables[nested.index].items {
      if let parent = ResourceItem.id(of: item.json[nested.member]) {
        ids[parent, default: []].append(item.id)
      }
    }
    return ids
  }

  // MARK: Items

  /// Adds an item of the initial data or of a file to a table.
  ///
  /// - Throws: ``ResourceProblem`` if it is no object, has no id, or violates the options.
  static func load(
    _ json: JSON, into table: inout ResourceTable, _ definition: ResourceDefinition,
    _ values: TemplateValues
  ) throws(ResourceProblem) {
    let options = definition.options
    guard case .dictionary(var members) = json else {
      throw ResourceProblem(status: 422, detail: "an item is an object")
    }
    let isNew = !options.isObject && members[options.key]?.isNull ?? true
    if isNew, options.ids != .client { members[options.key] = nil }
    let problems = options.problems(in: members).filter {
      !isNew || options.ids == .client || $0.path != [.member(options.key)]
    }
    if let problem = problems.first {
      throw ResourceProblem(
        status: 422, detail: "the member \(problem.path) \(problem.text)")
    }
    let item =
      try isNew
      ? newItem(members, in: &table, definition, values)
      : item(.dictionary(members), definition, table.order)
    guard table[item.id] == nil else {
      throw ResourceProblem(
        status: 409, detail: "the id \(ReportFormatter.quoted(item.id)) occurs twice")
    }
    if let members = table.conflict(of: item.json, id: item.id) {
      throw ResourceProblem(
        status: 409,
        detail: members.count == 1
          ? "the value of the unique member \(members[0]) occurs twice"
          : "the values of the unique members \(members.joined(separator: ", ")) occur twice")
    }
    table.insert(item)
  }

  private func item(_ json: JSON, of index: Int) throws(ResourceProblem) -> ResourceItem {
    try Self.item(json, definitions[index], tables[index].order)
  }

  static func item(
    _ json: JSON, _ definition: ResourceDefinition, _ order: MemberOrder
  ) throws(ResourceProblem) -> ResourceItem {
    let options = definition.options
    let found =
      options.isObject ? ResourceOptions.objectID : ResourceItem.id(of: json[options.key])
    guard let id = found else {
      throw .invalid([
        .init(
          path: [.member(options.key)], text: "must be an integer or a string of 1 to 256 bytes")
      ])
    }
    guard let text = try? order.encode(json) else {
      throw ResourceProblem(status: 422, detail: "the values of the item are nested too deeply")
    }
    guard text.count <= options.maximumItemBytes else {
      throw ResourceProblem(
        status: 413, detail: "an item has at most \(options.maximumItemBytes) bytes")
    }
    do {
      try definition.decode?(text)
    } catch {
      throw .invalid([ResourceProblem.Detail(error)])
    }
    return ResourceItem(id: id, json: json, text: text)
  }

  private func checkUnique(_ item: ResourceItem, of index: Int) throws(ResourceProblem) {
    guard let members = tables[index].conflict(of: item.json, id: item.id) else { return }
    guard members.count > 1 else {
      throw ResourceProblem(
        status: 409, detail: "another item has the same value of the unique member",
        errors: [.init(path: [.member(members[0])], text: "must be unique")])
    }
    throw ResourceProblem(
      status: 409, detail: "another item has the same values of the unique members",
      errors: members.map { member in
        let others = members.filter { $0 != member }.joined(separator: ", ")
        return .init(path: [.member(member)], text: "must be unique together with \(others)")
      })
  }

  /// Sets the members that a path determines.
  private func bind(
    _ json: JSON, _ bound: Bound
  ) throws(ResourceProblem) -> ([String: JSON], [ResourceProblem.Detail]) {
    guard case .dictionary(var members) = json else {
      throw ResourceProblem(status: 422, detail: "an item is a JSON object")
    }
    var problems: [ResourceProblem.Detail] = []
    for (member, value) in bound {
      let given = members[member] ?? .null
      if !given.isNull, ResourceItem.id(of: given) != ResourceItem.id(of: value) {
        problems.append(
          .init(path: [.member(member)], text: "must be the id in the path of the request"))
      }
      // An equal id may be of another type.
      if given.isNull { members[member] = value }
    }
    return (members, problems)
  }

  private static func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
