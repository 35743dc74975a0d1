package import Networking
import Synchronization

/// A resource of a store with its shared items at one time, for an administrator.
package struct StoredResource {
  /// The path of the resource.
  package var path: String { definition.name }
  /// The items in the order of their creation.
  package var items: [JSON] { table.items.map(\.json) }
  /// The number of items.
  package var count: Int { table.count }
  private let store: ResourceStore
  private let index: Int
  private let definition: ResourceDefinition
  private let table: ResourceTable

  fileprivate init(_ store: ResourceStore, _ data: ResourceData, _ index: Int) {
    self.store = store
    self.index = index
    definition = data.definitions[index]
    table = data.tables[index]
  }

  /// Returns the stored item with the id of another item, or `nil` if there is none.
  package func item(withIDOf other: JSON) -> JSON? {
    ResourceItem.id(of: other[definition.options.key]).flatMap { table[$0]?.json }
  }

  /// Replaces the items in the store.
  ///
  /// - Parameter items: The new items. Those without an id receive one.
  /// - Throws: `ResourceStore.InvalidItem` for the first item that violates the options. No item is then
  ///   changed.
  package func replaceItems(by items: [JSON]) throws(ResourceStore.InvalidItem) {
    try store.replaceItems(items, of: index)
  }

  /// Restores the initial items of all clients.
  package func reset() { store.restore(index, from: nil) }
}

extension ResourceStore {
  /// The resources that requests can use, in the order of their creation.
  package var storedResources: [StoredResource] {
    let data = state.withLock { $0.shared }
    return data.activeIndices.map { StoredResource(self, data, $0) }
  }
}
