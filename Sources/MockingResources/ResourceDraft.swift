import CatenaSystem
package import Foundation
import Mocking
import Networking

/// A place to which resources are added: a store, or the draft of one.
package protocol ResourceCollection {
  /// The store whose items the routes of the resources use.
  var store: ResourceStore { get }

  /// Returns whether there is a resource with the same path.
  func contains(_ definition: ResourceDefinition) -> Bool

  /// Adds a resource.
  ///
  /// - Parameters:
  ///   - definition: The resource.
  ///   - table: The initial items.
  /// - Returns: The index of the resource in the store.
  func add(_ definition: ResourceDefinition, _ table: ResourceTable) -> Int
}

/// The resources of files that are being read, which ``ResourceStore/commit(_:)`` makes the resources of
/// a store in one step.
///
/// The routes of the draft have the store and the indexes that are valid then. Until then the store is
/// unchanged: if the files are invalid, the draft is dropped. It is used by one thread.
package final class ResourceDraft: ResourceCollection {
  /// The resources, without items of requests.
  package struct Content: Sendable {
    /// The resources with their initial items, at their indexes in the store.
    fileprivate(set) var data = ResourceData()
    fileprivate(set) var isolation: ResourceStore.Isolation?
    fileprivate(set) var maximumClients = 100
    /// The file for the items.
    package var file: URL?

    /// The indexes of the resources.
    var indices: [Int] { data.activeIndices }
  }

  package let store: ResourceStore
  /// The resources so far.
  package private(set) var content = Content()

  /// Creates a draft without resources.
  package init(of store: ResourceStore) {
    self.store = store
  }

  /// Sets the part of a request that identifies its client.
  package func isolate(by isolation: ResourceStore.Isolation, maximumClients: Int) {
    content.isolation = isolation
    content.maximumClients = max(maximumClients, 1)
  }

  package func contains(_ definition: ResourceDefinition) -> Bool {
    content.data.hasResource(at: definition.paths[0].normalized)
  }

  package func add(_ definition: ResourceDefinition, _ table: ResourceTable) -> Int {
    let index = store.reserve(definition, except: content.indices)
    // Those in between are not of this draft.
    while content.data.definitions.count <= index { content.data.reserve(definition) }
    content.data.activate([(index, definition, table)])
    return index
  }
}

extension ResourceStore {
  /// Returns an index for a resource of a draft: the one that an earlier resource of files with the same
  /// path has, or a new one.
  ///
  /// - Parameters:
  ///   - definition: The resource.
  ///   - taken: The indexes of the draft's other resources.
  /// - Returns: The index.
  func reserve(_ definition: ResourceDefinition, except taken: [Int]) -> Int {
    state.withLock { state in
      let data = state.initial
      let known = data.definitions.indices.first { index in
        data.definitions[index].name == definition.name && !taken.contains(index)
          && (data.phases[index] != .active || state.draftIndices.contains(index))
      }
      if let known { return known }
      for client in Array(state.clients.keys) { state.clients[client]?.data.reserve(definition) }
      state.shared.reserve(definition)
      return state.initial.reserve(definition)
    }
  }

  /// Makes the resources of a draft the resources of the store, in place of those of the draft before.
  ///
  /// This is one step: a request finds the old resources or the new ones, and its change is in the
  /// items afterwards, whichever routes it has. Items are kept if the initial items of their resource
  /// are the same, or if the store has a file. The items of a resource that is not in the draft are kept
  /// for a later draft, and in the file.
  ///
  /// - Parameter draft: The resources. If its file is not the open one, that is closed.
  /// - Throws: ``ResourceError`` if the file cannot be opened, or if kept items violate the options of the
  ///   draft. The store is then unchanged.
  package func commit(_ draft: ResourceDraft.Content) throws(ResourceError) {
    let (initial, oldFile) = state.withLock { ($0.initial, $0.file) }
    let isOther = draft.file?.standardizedFileURL.path != oldFile?.path
    if isOther { try oldFile?.flush(self) }
    var opened: (file: ResourceFile, content: ResourceFileContent?)?
    if isOther, let url = draft.file {
      let file = try ResourceFile(url, for: self)
      opened = (file, try file.read())
      if opened?.content == nil { try file.create(fileContent) }
    }
    var commit = ResourceCommit(
      draft: draft, values: values, content: opened?.content,
      opensFile: opened != nil)
    for index in draft.indices {
      let (old, new) = (initial.definitions[index], draft.data.definitions[index])
      // The texts of many items are compared before the lock is taken.
      if initial.phases[index] != .reserved, old.options.key == new.options.key,
        initial.tables[index].hasSameItems(as: draft.data.tables[index])
      {
        commit.unchanged.insert(index)
      }
    }
    let before: State
    let hasChanged: Bool
    do throws(ResourceError) {
      (before, hasChanged) = try state.withLock { [commit] state throws(ResourceError) in
        let before = state
        if isOther { state.file = opened?.file }
        do throws(ResourceError) {
          return (before, try commit.apply(to: &state))
        } catch {
          state.file = oldFile
          throw error
        }
      }
    } catch {
      // A later commit would read the items of now from a new file.
      if let opened, opened.content == nil { opened.file.remove() }
      throw error
    }
    // Requests may have changed items since the flush.
    if isOther { oldFile?.finish(with: Self.fileContent(of: before)) }
    if hasChanged { openFile?.changed(self) }
  }
}

/// The change of a store by a draft.
private struct ResourceCommit {
  let draft: ResourceDraft.Content
  let values: TemplateValues
  /// The content of a file that has been opened.
  let content: ResourceFileContent?
  /// Whether a file has been opened.
  let opensFile: Bool
  /// The resources whose initial items are the same as before.
  var unchanged: Set<Int> = []

  /// Changes the state, or nothing if it throws.
  ///
  /// - Returns: Whether the content of the file differs.
  func apply(to state: inout ResourceStore.State) throws(ResourceError) -> Bool {
    var hasChanged = false
    var tables: [Int: ResourceTable] = [:]
    var unknown = content?.resources ?? state.unknown
    for index in draft.indices {
      tables[index] = try table(index, state, &unknown, &hasChanged)
    }
    let removed = state.draftIndices.subtracting(draft.indices)
    let keepsClients = state.isolation == draft.isolation
    if !keepsClients { state.clients = [:] }
    let definitions = draft.data.definitions
    func resources(
      _ table: (_ index: Int) -> ResourceTable?
    ) -> [(index: Int, definition: ResourceDefinition, table: ResourceTable)] {
      draft.indices.compactMap { index in table(index).map { (index, definitions[index], $0) } }
    }
    let initial = draft.data.tables
    state.initial.activate(resources { initial[$0] })
    state.shared.activate(resources { tables[$0] })
    for (client, old) in state.clients.mapValues(\.data.tables) {
      state.clients[client]?.data.activate(
        resources { index in
          unchanged.contains(index)
            ? initial[index].taking(old[index]) : initial[index].following(old[index])
        })
    }
    state.initial.retire(removed)
    state.shared.retire(removed)
    for client in Array(state.clients.keys) { state.clients[client]?.data.retire(removed) }
    (state.isolation, state.maximumClients) = (draft.isolation, draft.maximumClients)
    state.draftIndices = Set(draft.indices)
    state.unknown = unknown
    return hasChanged
  }

  /// Returns the shared items of a resource.
  ///
  /// - Parameters:
  ///   - index: The index of the resource.
  ///   - state: The state before the change.
  ///   - unknown: The saved items of other resources, from which those of this one are removed.
  ///   - hasChanged: Set to `true` if the items are others than those in the file.
  /// - Returns: The items.
  /// - Throws: ``ResourceError/malformed(_:reason:)`` if saved items violate the options.
  private func table(
    _ index: Int, _ state: ResourceStore.State, _ unknown: inout [String: JSON],
    _ hasChanged: inout Bool
  ) throws(ResourceError) -> ResourceTable {
    let (definition, initial) = (draft.data.definitions[index], draft.data.tables[index])
    let current = state.shared.tables[index]
    func restored(
      _ saved: JSON, learning other: MemberOrder?
    ) throws(ResourceError) -> ResourceTable {
      var order = initial.order
      if let other { order.learn(other) }
      return try ResourceFileContent.table(saved, definition, order, values, draft.file)
        .following(current)
    }
    if let saved = unknown.removeValue(forKey: definition.name) {
      return try restored(saved, learning: content?.order)
    }
    let isKnown = state.shared.phases[index] != .reserved
    let hasFile = state.file != nil && !opensFile
    let isSame =
      hasFile
      ? state.shared.definitions[index].options == definition.options : unchanged.contains(index)
    if opensFile || !isKnown || !isSame { hasChanged = true }
    if isKnown, isSame { return initial.taking(current) }
    guard isKnown, hasFile else { return initial.following(current) }
    let saved: JSON = [
      "items": .array(current.items.map(\.json)), "counter": .int(current.counter),
    ]
    return try restored(saved, learning: current.order)
  }
}
