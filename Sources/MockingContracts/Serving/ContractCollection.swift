import Foundation
import MockingResources
import Networking

/// A collection that the paths of a contract describe: a list, such as `/pets`, and its items, such as
/// `/pets/{id}`.
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

  /// Returns the collections of a contract.
  ///
  /// A list without operations on its items, an item without a member for its id, and a nested list whose
  /// items have no member for their parent are not collections.
  static func all(in content: Contract.Content) -> [ContractCollection] {
    var indices: [String: [Int]] = [:]
    for (index, operation) in content.operations.enumerated() {
      indices[operation.path, default: []].append(index)
    }
    return indices.keys.sorted().compactMap { path in
      // The path of an item is that of a list, with a variable.
      guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
      let last = path[path.index(after: slash)...]
      let list = String(path[..<slash])
      guard last.hasPrefix("{"), last.hasSuffix("}"), last.count(where: { $0 == "{" }) == 1,
        !list.hasSuffix("}")
      else { return nil }
      return ContractCollection(
        list, variable: String(last.dropFirst().dropLast()), ofList: indices[list] ?? [],
        ofItems: indices[path] ?? [], in: content)
    }
  }

  private init?(
    _ path: String, variable: String, ofList lists: [Int], ofItems items: [Int],
    in content: Contract.Content
  ) {
    var operations: [Int: ResourceHandler.Operation] = [:]
    for index in lists { operations[index] = Self.listOperation(content.operations[index].method) }
    for index in items { operations[index] = Self.itemOperation(content.operations[index].method) }
    func schema(_ operation: ResourceHandler.Operation) -> Int? {
      let found = operations.first { $0.value == operation }
      return found.flatMap { content.operations[$0.key].successSchema }
    }
    let program = content.program
    let list = schema(.list)
    var envelope: String?
    var element = list.flatMap { program.elementSchema(of: $0) }
    if let list, element == nil {
      let arrays = program.memberSchemas(of: list).filter {
        program.types(of: $0.value).contains(.array) && program.elementSchema(of: $0.value) != nil
      }
      guard arrays.count == 1, let (name, array) = arrays.first else { return nil }
      envelope = name
      element = program.elementSchema(of: array)
    }
    guard let item = schema(.read) ?? element ?? schema(.create),
      list != nil || schema(.read) != nil
    else { return nil }
    let members = program.memberSchemas(of: item)
    guard let key = Self.key(variable, members) else { return nil }
    var foreignKeys: [String: String] = [:]
    for name in ContractPath(path).names {
      guard let member = Self.foreignKey(name, members) else { return nil }
      foreignKeys[name] = member
    }
    self.path = path
    self.operations = operations
    itemSchema = item
    self.envelope = envelope
    self.key = key
    self.foreignKeys = foreignKeys
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

  /// Returns the member with the id: that of the variable's name, or `id`.
  private static func key(_ variable: String, _ members: [String: Int]) -> String? {
    [variable, "id", "_id", "uuid", "key"].first { members[$0] != nil }
  }

  /// Returns the member with the id of a parent, for a variable such as `userId` or `user`.
  private static func foreignKey(_ variable: String, _ members: [String: Int]) -> String? {
    let base = ["Id", "_id", "ID"].first { variable.hasSuffix($0) }
    let name = base.map { String(variable.dropLast($0.count)) } ?? variable
    return [variable, "\(name)Id", "\(name)_id", "\(name)ID"].first { members[$0] != nil }
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
