import Foundation
import Mocking
import MockingResources
import Networking

/// A path that may be that of a collection.
struct CollectionCandidate {
  let path: String
  /// The variable of the path of an item.
  let variable: String?
  let lists: [Int]
  let items: [Int]
  let content: Contract.Content
  /// The lists in the response of the list.
  private var arrays: [EnvelopedValue] = []
  /// The item in the response to a request that reads or creates one.
  private var single: EnvelopedValue?

  init(
    _ path: String, _ itemPath: String?, _ indices: [String: [Int]], _ content: Contract.Content
  ) {
    self.path = path
    variable = itemPath.map { String($0.dropFirst(path.count + 2).dropLast()) }
    lists = indices[path] ?? []
    items = itemPath.flatMap { indices[$0] } ?? []
    self.content = content
    arrays = schema(.list).map { program.lists(in: $0) } ?? []
    single = (schema(.read) ?? schema(.create)).map { item(in: $0, like: arrays.map(\.schema)) }
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
    for index in items {
      operations[index] =
        changesItem(content.operations[index])
        ? .patch : Self.itemOperation(content.operations[index].method)
    }
    return operations
  }

  /// Returns whether an operation is a POST that changes some members of an item, as in an API without
  /// PUT and PATCH: its body has members of the item that it responds with.
  private func changesItem(_ operation: ContractOperation) -> Bool {
    guard operation.method == .post, let body = operation.bodySchema,
      let response = operation.successSchema,
      !items.contains(where: { [.put, .patch].contains(content.operations[$0].method) })
    else { return false }
    let item = item(in: response, like: []).schema
    return visibleKey(program.memberSchemas(of: item)) != nil
      && !program.memberNames(of: item).isDisjoint(with: program.memberNames(of: body))
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
      let members = program.memberSchemas(of: list.schema)
      guard !members.isEmpty, let key = key(members) else { return readOnlyList() }
      return ContractCollection(self, operations, list, key: key, isShared: false)
    }
    guard has(.list) || has(.create) else {
      // Objects without a list: the client knows their ids from elsewhere.
      guard let single, let key = key(program.memberSchemas(of: single.schema)) else { return nil }
      let item = EnvelopedValue(path: [], schema: single.schema)
      return ContractCollection(self, operations, item, key: key, isShared: false)
    }
    func omission(_ reason: String) -> ContractCollection.Omission {
      ContractCollection.Omission(path: path, reason: reason)
    }
    let list = list(isCertain: false)
    if schema(.list) != nil, list == nil {
      let names = arrays.map { $0.path.joined(separator: ".") }.joined(separator: ", ")
      throw omission(
        names.isEmpty
          ? "the response of GET is not a list: neither an array nor an object with one"
          : "the response of GET has several lists (\(names)), none of which has the name of the path"
      )
    }
    let isRead = schema(.read) != nil
    guard let item = (isRead ? single : list ?? single)?.schema, list != nil || isRead else {
      throw omission("neither its list nor an item has a response with a schema in JSON")
    }
    let members = program.memberSchemas(of: item)
    guard !members.isEmpty else { throw omission("its items are not objects with members") }
    guard let key = key(members) else {
      throw omission(
        "its items have no member for {\(variable)}, and no POST or PUT tells a client their ids")
    }
    let items = EnvelopedValue(path: list?.path ?? [], schema: item)
    return ContractCollection(self, operations, items, key: key, isShared: false)
  }

  /// Returns the list as a collection without changes, or `nil` if the response is not a list of objects.
  func readOnlyList() -> ContractCollection? {
    guard let list = list(isCertain: true),
      let index = operations.first(where: { $0.value == .list })
    else { return nil }
    let members = program.memberSchemas(of: list.schema)
    guard !members.isEmpty else { return nil }
    let key = keys.first { members[$0] != nil } ?? Self.hiddenName("id", members)
    return ContractCollection(self, [index.key: .list], list, key: key, isShared: true)
  }

  // MARK: Lists and envelopes

  private static let listNames = [
    "data", "items", "results", "content", "values", "records", "entries", "hits", "elements",
  ]
  private static let itemNames: Set<String> = [
    "data", "item", "result", "response", "payload", "object", "record", "entity", "embedded",
    "hits",
  ]

  /// The last segment of the path of the list, such as `payments`.
  private var segment: String { path.split(separator: "/").last.map(String.init) ?? "" }

  /// Returns whether an object with a name is the envelope of an item or of a list.
  private func isEnvelope(_ name: String) -> Bool {
    let name = Self.normalized(name)
    return Self.itemNames.contains(name) || name == Self.normalized(segment.singular)
  }

  /// Returns the list: the one whose elements are items, or the only one, or one with a usual name.
  ///
  /// - Parameter isCertain: Whether the name of a member must be that of a list unless its elements are
  ///   items. `false` takes the only list in the response, whichever name it has.
  /// - Returns: The list, or `nil` if the response is none.
  private func list(isCertain: Bool) -> EnvelopedValue? {
    if let list = arrays.first, list.path.isEmpty { return list }
    let names = single.map { program.memberNames(of: $0.schema) } ?? []
    let objects = arrays.filter { !program.memberSchemas(of: $0.schema).isEmpty }
    let same = objects.filter { program.memberNames(of: $0.schema) == names }
    let lists = [same, objects, arrays].first { !$0.isEmpty } ?? []
    let isAny = !isCertain || !same.isEmpty
    let only = isAny ? [lists, lists.filter { $0.path.count == 1 }].first { $0.count == 1 } : nil
    return lists.first { Self.normalized($0.path.last ?? "") == Self.normalized(segment) }
      ?? only?.first
      ?? Self.listNames.lazy.compactMap { name in
        lists.first { $0.path.last == name && $0.path.dropLast().allSatisfy(isEnvelope) }
      }.first
  }

  /// Returns the item in a body: the body itself, or an object in it within two levels.
  ///
  /// - Parameters:
  ///   - body: The schema of the body.
  ///   - items: The schemas of items, such as those of the elements of the list.
  /// - Returns: The item.
  func item(in body: Int, like items: [Int]) -> EnvelopedValue {
    let whole = EnvelopedValue(path: [], schema: body)
    guard visibleKey(program.memberSchemas(of: body)) == nil else { return whole }
    let known = items.map { program.memberNames(of: $0) }
    let names = known.reduce(into: Set<String>()) { $0.formUnion($1) }
    let shared = program.memberNames(of: body).intersection(names)
    // An object that is a member of an item, such as an owner, is no envelope.
    let objects = program.values(in: body) { !names.contains($0) || shared == [$0] }
      .map { (value: $0, names: program.memberNames(of: $0.schema)) }
      .filter { !$0.names.isEmpty }
    let found =
      objects.first { known.contains($0.names) }
      ?? objects.first { object in
        let common = object.names.intersection(names)
        return isEnvelope(object.value.path.last ?? "") && common.count >= shared.count
          && (!common.isEmpty || visibleKey(program.memberSchemas(of: object.value.schema)) != nil)
      }
    return found?.value ?? whole
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

  /// The names of a member with the id.
  private var keys: [String] { [variable, "id", "_id", "uuid", "key"].compactMap(\.self) }

  /// The variable in lower case without the name of an item, such as `gid` for `taskGid` of `/tasks`.
  private var shortVariable: String? {
    let item = Self.normalized(segment.singular)
    let name = Self.normalized(variable ?? "")
    return !item.isEmpty && name.count > item.count && name.hasPrefix(item)
      ? String(name.dropFirst(item.count)) : nil
  }

  /// Returns the member of an item with the id: that of the variable's name, with or without the name of
  /// an item, or `id`.
  private func visibleKey(_ members: [String: Int]) -> String? {
    func isID(_ name: String) -> Bool {
      let types = members[name].map { program.types(of: $0) } ?? []
      return !types.isDisjoint(with: [.integer, .number, .string])
    }
    let others = [variable.map(Self.normalized), shortVariable].compactMap(\.self)
    return keys.first(where: isID)
      ?? others.lazy.compactMap { name in
        members.keys.sorted().first { Self.normalized($0) == name && isID($0) }
      }.first
  }

  /// Returns the member with the id, or one beside the item if a request tells the client the id.
  private func key(_ members: [String: Int]) -> String? {
    if let name = visibleKey(members) { return name }
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
