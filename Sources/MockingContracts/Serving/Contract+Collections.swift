import Foundation
package import Mocking
package import MockingResources
package import Networking

extension Contract {
  /// An operation of a contract for a list.
  package struct OperationSummary {
    /// The method.
    package let method: HTTPMethod
    /// The path template with its base path.
    package let path: String
    /// The identifier, the summary or another name.
    package let name: String
    /// Whether the operation is one of a collection that requests change.
    package let isOfCollection: Bool
  }

  /// The lists of the document that keep nothing, each with its path and the reason.
  package var statelessLists: [(path: String, reason: String)] {
    ContractCollection.search(content).omissions.map { ($0.path, $0.reason) }
  }

  /// The operations in the order of their routes.
  package var operationSummaries: [OperationSummary] {
    let collections = ContractCollection.all(in: content).filter(\.isChanged)
    let stateful = Set(collections.flatMap(\.operations.keys))
    return content.operations.enumerated().flatMap { index, operation in
      operation.basePaths.map { base in
        OperationSummary(
          method: operation.method, path: base + operation.path,
          name: operation.id ?? operation.summary ?? "from the contract",
          isOfCollection: stateful.contains(index))
      }
    }
  }

  /// Returns the routes of the operations, with the collections as resources.
  package func statefulRoutes(
    seed: UInt64, validatesRequests: Bool, dynamic: Bool = false,
    in resources: some ResourceCollection
  ) -> [Route] {
    var stateful: [Int: [String: (HTTPMethod) -> Route]] = [:]
    // The items by the path of their resource, for the collections below them.
    var known: [String: (collection: ContractCollection, items: [JSON])] = [:]
    for collection in ContractCollection.all(in: content) {
      let indices = collection.operations.keys.sorted()
      let options = collection.options(of: content)
      for basePath in indices.first.map({ content.operations[$0].basePaths }) ?? [] {
        let path = basePath + collection.path
        let items = collection.items(
          of: content, seed: seed, options, parents: path.parentList.flatMap { known[$0] })
        // A list without items would not keep its schema any more often than a sample does.
        guard !collection.isReadOnly || collection.isValidList(items, content) else { continue }
        guard let handler = ResourceHandler(in: resources, at: path, options, items: items) else {
          continue
        }
        if !collection.hidden.contains(collection.key) { known[path] = (collection, items) }
        let sampledIDs = collection.sampledIDs(content, options).map {
          SampledIDs($0, of: content, seed: seed, known: items.map { $0[collection.key] })
        }
        for (index, kind) in collection.operations {
          let operation = content.operations[index]
          let path = ContractPath(basePath + operation.path)
          let responder = CollectionResponder(
            collection: collection, kind: kind, index: index, options: options, content: content,
            sampledIDs: sampledIDs,
            responder: ContractResponder(
              operation, at: path, of: content, seed: seed, validates: validatesRequests,
              isDynamic: dynamic))
          stateful[index, default: [:]][basePath] = { method in
            handler.route(method, kind, responder.respond)
              .preparing(ifLong: responder.needsPreparation, responder.prepare)
          }
        }
      }
    }
    let gets = Dictionary(
      content.operations.enumerated().filter { $0.element.method == .get }.map {
        ($0.element.path, $0.offset)
      }, uniquingKeysWith: { first, _ in first })
    return content.operations.enumerated().flatMap { index, operation in
      operation.basePaths.map { basePath in
        // The length of a response to HEAD is that of the current items.
        let isHead = stateful[index] == nil && operation.method == .head
        let statefulIndex = isHead ? gets[operation.path] : index
        if let route = statefulIndex.flatMap({ stateful[$0]?[basePath] }) {
          return route(operation.method)
        }
        return route(
          operation, at: basePath, seed: seed, validatesRequests: validatesRequests,
          dynamic: dynamic)
      }
    }
  }
}

extension String {
  /// The path of the list that has the item to which a nested path belongs: `/users` for
  /// `/users/{id}/carts`.
  ///
  /// `nil` if the path does not follow an item.
  fileprivate var parentList: String? {
    guard let brace = lastIndex(of: "{") else { return nil }
    let list = self[..<brace].dropLast()
    return list.isEmpty ? nil : String(list)
  }
}
