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
  /// The members of the list's response that lead to the items.
  ///
  /// Empty if the response is an array.
  let envelope: [String]
  /// The members that lead to an item in the requests and responses of the other operations, by their
  /// indices in the contract.
  let itemEnvelopes: [Int: (request: [String], response: [String])]
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

  /// Whether a request creates, changes or deletes items.
  var isChanged: Bool { operations.values.contains { ![.list, .read].contains($0) } }

  /// A list that keeps nothing.
  struct Omission: Error, Hashable {
    /// The path of the list in the document.
    let path: String
    /// The reason, such as `its items have no member for {id}`.
    let reason: String
  }

  typealias SearchResult = (collections: [ContractCollection], omissions: [Omission])

  /// Returns the collections of a contract.
  static func all(in content: Contract.Content) -> [ContractCollection] {
    search(content).collections
  }

  /// Returns the collections of a contract in the order of their paths, and the lists that are none.
  static func search(_ content: Contract.Content) -> SearchResult {
    content.collections.value { find(in: content) }
  }

  private static func find(in content: Contract.Content) -> SearchResult {
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
      let candidate = CollectionCandidate(list, items[list], indices, content)
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

  init(
    _ candidate: CollectionCandidate, _ operations: [Int: ResourceHandler.Operation],
    _ list: EnvelopedValue, key: String, isShared: Bool
  ) {
    path = candidate.path
    self.operations = operations
    itemSchema = list.schema
    envelope = list.path
    func itemPath(_ body: Int?) -> [String] {
      body.map { candidate.item(in: $0, like: [list.schema]).path } ?? []
    }
    var itemEnvelopes: [Int: (request: [String], response: [String])] = [:]
    for (index, kind) in operations where kind != .list {
      let operation = candidate.content.operations[index]
      itemEnvelopes[index] = (itemPath(operation.bodySchema), itemPath(operation.successSchema))
    }
    self.itemEnvelopes = itemEnvelopes
    self.key = key
    variable = isShared ? nil : candidate.variable
    variables = candidate.variables
    let members = candidate.content.program.memberSchemas(of: list.schema)
    var foreignKeys: [String: String] = [:]
    for (name, parent) in candidate.parents where !isShared {
      foreignKeys[name] = candidate.foreignKey(name, of: parent, members, except: key)
    }
    self.foreignKeys = foreignKeys
    hidden = Set(foreignKeys.values).union([key]).subtracting(members.keys)
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

  /// The schema of the body of a request: that of JSON, or else the first one, such as that of a form.
  var bodySchema: Int? { (body?.content.first(where: \.isJSON) ?? body?.content.first)?.schema }

  /// The schema of the JSON body of the successful response.
  var successSchema: Int? { successfulResponse?.response.content.first(where: \.isJSON)?.schema }
}
