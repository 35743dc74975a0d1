import CatenaSystem
import Foundation
import Mocking
import Networking

/// The related items that a request adds to items: those that refer to an item (`_embed`), and those to
/// which it refers (`_expand`).
///
/// A reference is the variable of a path (`/posts/{post}/comments`), a member of
/// ``ResourceOptions/references``, or a member with the name of the other resource in the singular:
/// `postId` refers to `/posts`.
struct ResourceRelations {
  private enum Relation {
    /// The items of a table whose member is the id of the item.
    case children(Int, member: String)
    /// The items of a table whose ids are in the member.
    case parents(Int, member: String)
  }

  /// The limit for the size of a response with related items.
  private static let maximumByteCount = 32 << 20

  private let data: ResourceData
  private let index: Int
  private var relations: [(name: String, relation: Relation)] = []

  /// Parses the parameters of a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - index: The index of the resource.
  ///   - data: The items of all resources.
  /// - Throws: ``ResourceProblem`` with the status 400 for the name of an unknown relation.
  init(
    _ query: RequestQuery, of index: Int, in data: ResourceData
  ) throws(ResourceProblem) {
    self.init(of: index, in: data)
    let names = data.definitions[index].options.parameters
    // json-server 1.0 has no other parameter for both.
    try add(names.embed, of: query) { $0.children($1) ?? $0.parents($1) }
    try add(names.expand, of: query, isExpanded: true) { $0.parents($1) }
  }

  /// Adds the relations that a parameter of a query names, each once.
  private mutating func add(
    _ parameter: String, of query: RequestQuery, isExpanded: Bool = false,
    _ find: (_ relations: ResourceRelations, _ name: String) -> Relation?
  ) throws(ResourceProblem) {
    let list = query.values(for: parameter).flatMap { $0.split(separator: ",") }
    for name in list.map({ String($0).trimmingOptionalWhitespace })
    where !relations.contains(where: { $0.name == name }) {
      guard relations.count < 10 else {
        throw ResourceProblem(status: 400, detail: "the query has more than 10 relations")
      }
      guard let found = find(self, name) else { throw unknown(name, of: parameter, isExpanded) }
      relations.append((name, found))
    }
  }

  /// Returns the items to delete together with an item: `DELETE /posts/1?_dependent=comments`.
  ///
  /// - Parameters:
  ///   - id: The id of the item.
  ///   - query: The query of the request.
  ///   - index: The index of the resource.
  ///   - data: The items of all resources.
  /// - Returns: The items, each with the index of its resource.
  /// - Throws: ``ResourceProblem`` with the status 400 for the name of an unknown relation.
  static func dependents(
    of id: String, _ query: RequestQuery, _ index: Int, in data: ResourceData
  ) throws(ResourceProblem) -> [(index: Int, item: ResourceItem)] {
    let parameter = "_dependent"
    guard query[parameter] != nil else { return [] }
    var relations = ResourceRelations(of: index, in: data)
    try relations.add(parameter, of: query) { $0.children($1) }
    return relations.relations.flatMap { _, relation -> [(index: Int, item: ResourceItem)] in
      guard case .children(let table, _) = relation else { return [] }
      return (relations.children(of: relation)[id] ?? []).map { (table, $0) }
    }
  }

  /// Returns the spelling that lists the items below another one, for a path such as `/posts/1/comments`
  /// that no route has.
  static func hint(for path: [String], in data: ResourceData) -> String? {
    guard path.count >= 3, let name = path.last,
      let index = data.index(at: "/" + path.dropLast(2).joined(separator: "/")),
      case .children(let table, let member) = ResourceRelations(of: index, in: data).children(name)
    else { return nil }
    let child = data.definitions[table].name
    guard !child.contains("{") else { return nil }
    let id = PercentEncoding.url.encoded(ReportFormatter.bounded(path[path.count - 2]))
    let request = "GET \(child)?\(member)=\(id) lists them"
    guard member.hasSuffix("Id") else { return request }
    let nested = "\(data.definitions[index].name)/{\(member.dropLast(2))}/\(name)"
    return request + "; \"nestedPaths\": [\"\(nested)\"] of the resource \(child) adds the path"
  }

  private init(of index: Int, in data: ResourceData) {
    self.data = data
    self.index = index
  }

  /// Returns whether a query has related items.
  static func areIn(_ query: RequestQuery, _ names: ResourceOptions.ParameterNames) -> Bool {
    query[names.embed] != nil || query[names.expand] != nil
  }

  private func unknown(
    _ name: String, of parameter: String, _ isExpanded: Bool
  ) -> ResourceProblem {
    let others = data.activeIndices.map { data.definitions[$0].lastName }
    let known =
      isExpanded
      ? others.map(\.singular).filter { parents($0) != nil }
      : others.filter { children($0) != nil }
    let list = known.isEmpty ? "there are none" : known.joined(separator: ", ")
    return ResourceProblem(
      status: 400,
      detail: "no relation \(ReportFormatter.quoted(name)) for \(parameter); relations: \(list)")
  }

  // MARK: Finding

  private func children(_ name: String) -> Relation? {
    let singular = data.definitions[index].lastName.singular
    for other in data.activeIndices where data.definitions[other].lastName == name {
      let definition = data.definitions[other]
      let binding = definition.paths.lazy.compactMap(\.bindings.last).first {
        data.indexes[$0.parent] == index
      }
      let reference = definition.options.references.sorted { $0.key < $1.key }.first {
        data.index(at: $0.value) == index
      }
      let member = binding?.member ?? reference?.key ?? member(named: singular, in: other)
      if let member { return .children(other, member: member) }
    }
    return nil
  }

  private func parents(_ name: String) -> Relation? {
    let definition = data.definitions[index]
    guard let member = member(named: name, in: index) else { return nil }
    let binding = definition.paths.lazy.flatMap(\.bindings).first { $0.member == member }
    let target =
      binding.flatMap { data.indexes[$0.parent] }
      ?? definition.options.references[member].flatMap { data.index(at: $0) }
      ?? data.activeIndices.first { data.definitions[$0].lastName.singular == name }
    return target.map { .parents($0, member: member) }
  }

  /// Returns the member with the id of a resource in the singular.
  private func member(named singular: String, in index: Int) -> String? {
    let names = data.definitions[index].options.names.union(data.definitions[index].foreignKeys)
    return ["\(singular)Id", "\(singular)_id", "\(singular)ID", "\(singular)Ids"].first {
      data.tables[index].order.contains($0) || names.contains($0)
    }
  }

  // MARK: Adding

  /// Returns the texts of items with their related items.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - text: Returns the text of an item without related items: a JSON object.
  /// - Returns: The texts.
  /// - Throws: ``ResourceProblem`` with the status 400 if they are too large.
  func texts(
    of items: [ResourceItem], _ text: (ResourceItem) -> Data
  ) throws(ResourceProblem) -> [Data] {
    var texts: [Data] = []
    let groups = relations.map { children(of: $0.relation) }
    var byteCount = 0
    for item in items {
      var object = text(item)
      for (position, (name, relation)) in relations.enumerated() {
        let value = value(of: relation, groups[position], for: item)
        object.append(value, as: name, replaces: item.json.dictionary?[name] != nil)
        byteCount += object.count
        guard byteCount <= Self.maximumByteCount else {
          throw ResourceProblem(
            status: 400,
            detail: "the items and their relations have more than "
              + "\(Self.maximumByteCount >> 20) MiB; request fewer items with a page")
        }
      }
      texts.append(object)
    }
    return texts
  }

  /// Returns the items of a relation by the ids of their parents.
  private func children(of relation: Relation) -> [String: [ResourceItem]] {
    guard case .children(let table, let member) = relation else { return [:] }
    var groups: [String: [ResourceItem]] = [:]
    for child in data.tables[table].items {
      let ids = child.json[member].array ?? [child.json[member]]
      for id in Set(ids.compactMap { ResourceItem.id(of: $0) }) {
        groups[id, default: []].append(child)
      }
    }
    return groups
  }

  private func value(
    of relation: Relation, _ groups: [String: [ResourceItem]], for item: ResourceItem
  ) -> Data {
    switch relation {
    case .children: return Data.list(groups[item.id] ?? [])
    case .parents(let table, let member):
      let value = item.json[member]
      func target(_ id: JSON) -> ResourceItem? {
        ResourceItem.id(of: id).flatMap { data.tables[table][$0] }
      }
      if let ids = value.array { return Data.list(ids.prefix(1_000).compactMap(target)) }
      return target(value)?.text ?? Data("null".utf8)
    }
  }
}

extension Data {
  /// Returns the JSON array of items.
  fileprivate static func list(_ items: [ResourceItem]) -> Data {
    var text = Data("[".utf8)
    for (position, item) in items.enumerated() {
      if position > 0 { text.append(UInt8(ascii: ",")) }
      text.append(item.text)
    }
    text.append(UInt8(ascii: "]"))
    return text
  }

  /// Adds a member to the text of a JSON object.
  fileprivate mutating func append(_ value: Data, as name: String, replaces: Bool) {
    if replaces, var json = try? JSON(parsing: self).dictionary {
      json[name] = nil
      self = (try? JSON.dictionary(json).data()) ?? self
    }
    removeLast()
    if count > 1 { append(UInt8(ascii: ",")) }
    append((try? JSON.string(name).data()) ?? Data("\"\"".utf8))
    append(UInt8(ascii: ":"))
    append(value)
    append(UInt8(ascii: "}"))
  }
}

extension ResourceDefinition {
  /// The last segment of the path that is no variable, such as `comments`.
  fileprivate var lastName: String {
    name.split(separator: "/").last { !$0.hasPrefix("{") }.map { String($0) } ?? ""
  }
}
