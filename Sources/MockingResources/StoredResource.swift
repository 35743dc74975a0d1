import CatenaSystem
package import Mocking
package import Networking

/// A resource of a store with its shared items at one time.
package struct StoredResource: Sendable {
  private let store: ResourceStore
  private let index: Int
  private let definition: ResourceDefinition
  private let table: ResourceTable

  fileprivate init(_ index: Int, of data: ResourceData, in store: ResourceStore) {
    self.store = store
    self.index = index
    definition = data.definitions[index]
    table = data.tables[index]
  }

  /// The path.
  package var path: String { definition.name }

  /// The number of items.
  package var count: Int { table.count }

  /// The items in the order of their creation.
  package var items: [JSON] { table.items.map(\.json) }

  /// Returns the item with the id of another item, or `nil` if there is none.
  package func item(like other: JSON) -> JSON? {
    let options = definition.options
    let id =
      options.isObject ? ResourceOptions.objectID : ResourceItem.id(of: other[options.key])
    return id.flatMap { table[$0]?.json }
  }

  /// Replaces the items in the store.
  ///
  /// - Parameter items: The new items. Those without an id receive one.
  /// - Throws: ``ResourceStore/InvalidItem`` for the first item that violates the options. No item is
  ///   then changed.
  package func replaceItems(_ items: [JSON]) throws(ResourceStore.InvalidItem) {
    try store.replaceItems(items, of: index)
  }

  /// Restores the initial items in the store, those of all clients included.
  package func reset() { store.restore(index, from: nil) }
}

extension ResourceStore {
  /// The resources with their shared items at this time.
  package var storedResources: [StoredResource] {
    let data = state.withLock { $0.shared }
    return data.activeIndices.map { StoredResource($0, of: data, in: self) }
  }

  /// The number of changes of the shared items.
  package var revision: Int { state.withLock { $0.shared.revision } }
}

// MARK: - Resources of files

extension ResourceCollection {
  /// Adds a resource that a file describes.
  ///
  /// - Parameters:
  ///   - definition: The resource.
  ///   - items: The initial items. Those without an id receive one.
  ///   - order: The order of the members in the file.
  ///   - defaults: The delays, pacing, fault and header fields of the responses.
  /// - Returns: The routes with their responses, and the number of items.
  /// - Throws: ``ResourceStore/InvalidItem`` for the first item that violates the options. The resource
  ///   is then not added.
  package func add(
    _ definition: ResourceDefinition, items: [JSON], order: MemberOrder, defaults: Mock
  ) throws(ResourceStore.InvalidItem) -> (routes: [(route: Route, mock: Mock)], itemCount: Int) {
    let table = try ResourceStore.table(items, definition, order: order, store.values)
    return (ResourceHandler(in: self, definition, table).routes(defaults), table.count)
  }
}

extension ResourceDraft.Content {
  /// The paths of all resources.
  package var paths: [String] { data.paths }

  /// Whether clients have items of their own.
  package var isolatesClients: Bool { isolation != nil }

  /// Returns the member of a resource that refers to items of a resource that does not exist.
  ///
  /// - Parameter path: The path of the resource.
  /// - Returns: The member and the path to which it refers, or `nil` if there is none.
  package func unknownReference(at path: String) -> (member: String, resource: String)? {
    data.unknownReference(at: path)
  }

  /// Returns the first initial item of a resource with a reference to an item that does not exist.
  ///
  /// - Parameter path: The path of the resource.
  /// - Returns: The index of the item, the member and the path to which it refers, or `nil` if there is
  ///   none.
  package func brokenReference(
    at path: String
  ) -> (index: Int, member: String, resource: String)? {
    data.brokenReference(at: path).map { ($0.index, $0.reference.member, $0.reference.resource) }
  }
}

extension ResourceOptions.IDRule {
  /// Returns the rule of a pattern, or `nil` if the pattern has no variable.
  package static func checkedPattern(_ text: String) -> Self? {
    IDPattern(text).hasVariable ? .pattern(text) : nil
  }
}
