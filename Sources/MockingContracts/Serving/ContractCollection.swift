import Foundation
import Mocking
import MockingResources
import Networking

/// A collection that the paths of a contract describe: a list, such as `/pets`, and its items, such as
/// `/pets/{id}`.
///
/// A list without a path for its items is a collection, too: its items can be created if the list has a
/// POST, and its pages and filters work.
struct ContractCollection: Sendable {
  /// The path of the list in the document.
  let path: String
  /// The operations by their indices in the contract.
  let operations: [Int: ResourceHandler.Operation]
  /// The schema of an item in responses.
  let itemSchema: Int
  /// The member of the list's response that has the items.
  ///
  /// `nil` if the response is an array.
  let envelope: String?
  /// The name of the member with the id.
  let key: String
  /// The members that have the ids of parents, by the variables of the path.
  let foreignKeys: [String: String]
  /// The members that are stored beside an item, because its schema does not have them.
  let hidden: Set<String>
  /// The schemas of the variables in the paths, by their names.
  let variables: [String: Int]
  /// The variable with the id in the path of an item.
  ///
  /// `nil` if the list has no such path.
  let variable: String?

  /// Whether no request changes the items: the collection is a list that only pages and filters.
  var isReadOnly: Bool { operations.values.allSatisfy { $0 == .list } }

  /// A list that keeps nothing.
  struct Omission: Error, Hashable {
    /// The path of the list in the document.
    let path: String
    /// The reason, such as `its items have no member for {id}`.
    let reason: String
  }

  /// Returns the collections of a contract.
  static func all(in content: Contract.Content) -> [ContractCollection] {
    search(content).collections
  }

  /// Returns the collections of a contract in the order of their paths, and the lists that are none.
  static func search(
    _ content: Contract.Content
  ) -> (collections: [ContractCollection], omissions: [Omission]) {
    var indices: [String: [Int]] = [:]
    for (index, operation) in content.operations.enumerated() {
      indices[operation.path, default: []].append(index)
    }
    var items: [String: String] = [:]
    for path in indices.keys.sorted() {
      // The path of an item is that of a list, with a variable.
      guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { continue }
      let last = path[path.index(after: slash)...]
      let list = String(path[..<slash])
      guard last.hasPrefix("{"), last.hasSuffix("}"), last.count(where: { $0 == "{" }) == 1
      else { continue }
      items[list] = path
    }
    var collections: [ContractCollection] = []
    var omissions: [Omission] = []
    for list in Set(indices.keys).union(items.keys).sorted() where !list.hasSuffix("}") {
      // A resource has variables that are whole segments.
      guard ContractPath(list).segments.allSatisfy({ $0.count == 1 }),
        (try? PathTemplate(list)) != nil, (try? PathTemplate(items[list] ?? list)) != nil
      else {
        if items[list] != nil {
          omissions.append(
            Omission(path: list, reason: "a variable of its path is only a part of a segment"))
        }
        continue
      }
      let candidate = Candidate(list, items[list], indices, content)
      do throws(Omission) {
        if let collection = try candidate.collection() { collections.append(collection) }
      } catch {
        omissions.append(error)
        // The pages and the filters of its list work nevertheless.
        if let collection = candidate.readOnlyList() { collections.append(collection) }
      }
    }
    return (collections, omissions)
  }

  fileprivate init(
    _ candidate: Candidate, _ operations: [Int: ResourceHandler.Operation],
    _ shape: (element: Int, envelope: String?), key: String, isShared: Bool
  ) {
    path = candidate.path
    self.operations = operations
    itemSchema = shape.element
    envelope = shape.envelope
    self.key = key
    variable = isShared ? nil : candidate.variable
    variables = candidate.variables
    let members = candidate.content.program.memberSchemas(of: shape.element)
    var foreignKeys: [String: String] = [:]
    for (name, parent) in candidate.parents where !isShared {
      foreignKeys[name] = candidate.foreignKey(name, of: parent, members, except: key)
    }
    self.foreignKeys = foreignKeys
    hidden = Set(foreignKeys.values).union([key]).subtracting(members.keys)
  }
}

/// A path that may be that of a collection.
private struct Candidate {
  let path: String
  /// The variable of the path of an item.
  let variable: String?
  let lists: [Int]
  let items: [Int]
  let content: Contract.Content

  init(
    _ path: String, _ itemPath: String?, _ indices: [String: [Int]], _ content: Contract.Content
  ) {
    self.path = path
    variable = itemPath.map { String($0.dropFirst(path.count + 2).dropLast()) }
    lists = indices[path] ?? []
    items = itemPath.flatMap { indices[$0] } ?? []
    self.content = content
  }

  private var program: SchemaProgram { content.program }

  /// The variables of the path, each with the segment before it.
  var parents: [(name: String, segment: String)] {
    var last = ""
    return path.split(separator: "/").flatMap { segment -> [(String, String)] in
      let names = ContractPath("/" + segment).names
      defer { if names.isEmpty { last = String(segment) } }
      return names.map { ($0, last) }
    }
  }

  /// The schemas of the variables.
  var variables: [String: Int] {
    var schemas: [String: Int] = [:]
    for parameter in (items + lists).flatMap({ content.operations[$0].parameters })
    where parameter.location == .path {
      schemas[parameter.name] = parameter.schema
    }
    return schemas
  }

  /// The operations by their indices.
  private var operations: [Int: ResourceHandler.Operation] {
    var operations: [Int: ResourceHandler.Operation] = [:]
    for index in lists { operations[index] = Self.listOperation(content.operations[index].method) }
    for index in items { operations[index] = Self.itemOperation(content.operations[index].method) }
    return operations
  }

  private static func listOperation(_ method: HTTPMethod) -> ResourceHandler.Operation? {
    switch method {
    case .get: .list
    case .post: .create
    default: nil
    }
  }

  private static func itemOperation(_ method: HTTPMethod) -> ResourceHandler.Operation? {
    switch method {
    case .get: .read
    case .put: .replace
    case .patch: .patch
    case .delete: .delete
    default: nil
    }
  }

  private func schema(_ operation: ResourceHandler.Operation) -> Int? {
    operations.first { $0.value == operation }.flatMap { content.operations[$0.key].successSchema }
  }

  private func has(_ operation: ResourceHandler.Operation) -> Bool {
    operations.values.contains(operation)
  }

  // MARK: Collections

  /// Returns the collection, or `nil` if the path is not that of one.
  ///
  /// - Throws: The reason why a list with a path for its items keeps nothing.
  func collection() throws(ContractCollection.Omission) -> ContractCollection? {
    guard let variable else {
      // Another path with a POST, such as that of a login, is no collection.
      guard has(.create), let list = list(isCertain: true) else { return readOnlyList() }
      let members = program.memberSchemas(of: list.element)
      guard !members.isEmpty, let key = key(members) else { return readOnlyList() }
      return ContractCollection(self, operations, list, key: key, isShared: false)
    }
    guard has(.list) || has(.create) else {
      // Objects without a list: the client knows their ids from elsewhere.
      guard let item = schema(.read), let key = key(program.memberSchemas(of: item)) else {
        return nil
      }
      return ContractCollection(self, operations, (item, nil), key: key, isShared: false)
    }
    func omission(_ reason: String) -> ContractCollection.Omission {
      ContractCollection.Omission(path: path, reason: reason)
    }
    let list = list(isCertain: false)
    if let schema = schema(.list), list == nil {
      let names = arrays(of: schema).keys.sorted().joined(separator: ", ")
      throw omission(
        names.isEmpty
          ? "the response of GET is not a list: neither an array nor an object with one"
          : "the response of GET has several lists (\(names)), none of which has the name of the path"
      )
    }
    guard let item = schema(.read) ?? list?.element ?? schema(.create),
      list != nil || schema(.read) != nil
    else { throw omission("neither its list nor an item has a response with a schema in JSON") }
    let members = program.memberSchemas(of: item)
    guard !members.isEmpty else { throw omission("its items are not objects with members") }
    guard let key = key(members) else {
      throw omission(
        "its items have no member for {\(variable)}, and no POST or PUT tells a client their ids")
    }
    return ContractCollection(self, operations, (item, list?.envelope), key: key, isShared: false)
  }

  /// Returns the list as a collection without changes, or `nil` if the response is not a list of objects.
  func readOnlyList() -> ContractCollection? {
    guard let list = list(isCertain: true),
      let index = operations.first(where: { $0.value == .list })
    else { return nil }
    let members = program.memberSchemas(of: list.element)
    guard !members.isEmpty else { return nil }
    let key = Self.keys(variable).first { members[$0] != nil } ?? Self.hiddenName("id", members)
    return ContractCollection(self, [index.key: .list], list, key: key, isShared: true)
  }

  // MARK: Lists

  private static let envelopes = [
    "data", "items", "results", "content", "values", "records", "entries", "hits", "elements",
  ]

  /// Returns the members of an object that are lists, with the schemas of their elements.
  private func arrays(of schema: Int) -> [String: Int] {
    program.memberSchemas(of: schema).compactMapValues { member in
      program.types(of: member).contains(.array) ? program.elementSchema(of: member) : nil
    }
  }

  /// Returns the schema of the elements of the list, and the member of the response that has them.
  ///
  /// - Parameter isCertain: Whether the name of a member must be that of a list. `false` takes the only
  ///   list in the response, whichever name it has.
  /// - Returns: The schema and the member, or `nil` if the response is not a list.
  private func list(isCertain: Bool) -> (element: Int, envelope: String?)? {
    guard let schema = schema(.list) else { return nil }
    if let element = program.elementSchema(of: schema) { return (element, nil) }
    let arrays = arrays(of: schema)
    if !isCertain, arrays.count == 1, let (name, element) = arrays.first { return (element, name) }
    let segment = Self.normalized(path.split(separator: "/").last.map(String.init) ?? "")
    let name =
      arrays.keys.sorted().first { Self.normalized($0) == segment }
      ?? Self.envelopes.first { arrays[$0] != nil }
    return name.flatMap { name in arrays[name].map { ($0, name) } }
  }

  // MARK: Members

  /// Returns a name without marks between its words, in lower case.
  private static func normalized(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// Returns a name that no member has.
  private static func hiddenName(_ name: String, _ members: [String: Int]) -> String {
    members[name] == nil ? name : hiddenName("_" + name, members)
  }

  /// Returns the names of a member with the id.
  private static func keys(_ variable: String?) -> [String] {
    [variable, "id", "_id", "uuid", "key"].compactMap(\.self)
  }

  /// Returns the member with the id: that of the variable's name, or `id`, or one beside the item if a
  /// request tells the client the id.
  private func key(_ members: [String: Int]) -> String? {
    if let name = Self.keys(variable).first(where: { members[$0] != nil }) { return name }
    if let variable,
      let name = members.keys.sorted().first(where: {
        Self.normalized($0) == Self.normalized(variable)
      })
    {
      return name
    }
    let isKnown = has(.create) || has(.replace)
    return isKnown && !lists.isEmpty ? Self.hiddenName(variable ?? "id", members) : nil
  }

  /// Returns the member with the id of a parent, for a variable such as `userId`, `user`, or `id` after
  /// the segment `users`.
  ///
  /// Items without such a member have it beside them.
  func foreignKey(
    _ variable: String, of segment: String, _ members: [String: Int], except key: String
  ) -> String {
    let base = ["Id", "_id", "ID"].first { variable.hasSuffix($0) }
    let name = base.map { String(variable.dropLast($0.count)) } ?? variable
    let parent = segment.singular
    let isGeneral = ["id", "_id", "uuid", "key"].contains(variable)
    let names =
      (isGeneral ? [] : [variable])
      + (isGeneral ? [parent] : [name, parent]).flatMap {
        ["\($0)Id", "\($0)_id", "\($0)ID"]
      }
    let found = names.first { name in
      // A member with the parent itself is no id.
      let types = members[name].map { program.types(of: $0) } ?? []
      return name != key && !types.isDisjoint(with: [.integer, .number, .string])
    }
    return found ?? Self.hiddenName(isGeneral ? "\(parent)Id" : variable, members)
  }
}

extension ContractOperation {
  /// The first successful response that the document names.
  var successfulResponse: (status: Int, response: ContractResponse)? {
    for response in responses {
      if case .status(let status) = response.code, (200...299).contains(status) {
        return (status, response)
      }
    }
    return responses.first { $0.code == .class(2) }.map { (200, $0) }
  }

  /// The schema of the JSON body of the successful response.
  var successSchema: Int? { successfulResponse?.response.content.first(where: \.isJSON)?.schema }
}
