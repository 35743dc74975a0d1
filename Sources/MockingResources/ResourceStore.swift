import CatenaSystem
public import Foundation
import Mocking
import Networking
public import Promises

/// The items of related resources, with one lock, one file and one set of clients.
///
/// ```swift
/// let store = ResourceStore()
/// let users = Resource("/users", in: store)
/// let carts = Resource("/users/{user}/carts", in: store)   // deleted with their user
/// try store.open(URL(filePath: "shop.json"))               // the data survives a restart
/// let server = try MockServer(routes: users.routes() + carts.routes())
/// ```
///
/// - **Steps.** Each request and each call is one atomic step, for all resources of the store. All
///   members may be used from any thread.
/// - **Parents.** A resource whose path continues the path of another resource with a variable is
///   nested in it. Its requests require an existing parent, and its items contain the parent's id.
/// - **Clients.** With an ``Isolation``, each client has its own copy of the initial data.
/// - **File.** See ``open(_:)``.
public final class ResourceStore: RouteStorage, ResourceCollection, Sendable {
  /// The part of a request that identifies its client.
  public enum Isolation: Sendable, Hashable {
    /// The value of a header field. Requests without the field use the shared data.
    case header(String)
    /// The value of a cookie. The response to a request without the cookie sets it to a random
    /// value.
    case cookie(String)
  }

  /// The data of one client.
  struct Client {
    var data: ResourceData
    /// The number of the last step of the client.
    var lastUse = 0
  }

  struct State {
    /// The data at the start and after a reset.
    var initial = ResourceData()
    /// The data of Swift code, and of requests without a client.
    var shared = ResourceData()
    var clients: [String: Client] = [:]
    var steps = 0
    var isolation: Isolation?
    var maximumClients = 100
    var file: ResourceFile?
    /// The resources in the file that the store does not have, by path.
    var unknown: [String: JSON] = [:]
    /// The indexes of the resources of the last draft.
    var draftIndices: Set<Int> = []
    var saveObserver: (@Sendable (ResourceError?) -> Void)?
  }

  let state: Mutex<State>
  /// The clock for writes of the file.
  let scheduler: any Scheduler
  private let wallClock: (@Sendable () -> Date)?
  private let isSeeded: Bool
  /// The random values for Swift code, and with a seed also for requests.
  let values: TemplateValues

  /// Creates a store without resources.
  ///
  /// - Parameters:
  ///   - isolation: The part of a request that identifies its client. `nil` gives all clients the
  ///     same data.
  ///   - maximumClients: The maximum number of clients with data of their own. If there are more, the
  ///     data of the client that has been inactive for the longest time is dropped.
  ///   - seed: The seed of the random ids. `nil` uses the random numbers of the backend that responds.
  ///   - wallClock: Returns the time for the members ``ResourceOptions/createdAt`` and
  ///     ``ResourceOptions/updatedAt``. Called once for each step, and must not block. `nil` uses
  ///     ``TemplateValues/now`` of the backend, which follows virtual time.
  ///   - scheduler: The clock for the writes of an open file.
  public init(
    isolation: Isolation? = nil, maximumClients: Int = 100, seed: UInt64? = nil,
    wallClock: (@Sendable () -> Date)? = nil, scheduler: any Scheduler = .live
  ) {
    var state = State()
    state.isolation = isolation
    state.maximumClients = max(maximumClients, 1)
    self.state = Mutex(state)
    self.wallClock = wallClock
    self.scheduler = scheduler
    isSeeded = seed != nil
    values = TemplateValues(seed: seed)
  }

  package var isolation: Isolation? { state.withLock { $0.isolation } }

  // MARK: Resources

  package var store: ResourceStore { self }

  /// Adds a resource, and drops the data of all clients.
  ///
  /// If an open file has items of the resource, they replace the initial ones until a reset.
  ///
  /// - Parameters:
  ///   - definition: The resource.
  ///   - table: The initial items.
  /// - Returns: The index of the resource.
  package func add(_ definition: ResourceDefinition, _ table: ResourceTable) -> Int {
    state.withLock { state in
      let index = state.initial.add(definition, table)
      var current = table
      if let saved = state.unknown[definition.name],
        let restored = try? ResourceFileContent.table(
          saved, definition, table.order, values, nil)
      {
        state.unknown[definition.name] = nil
        current = restored
        current.idRule = restored.idRule ?? table.idRule
      }
      _ = state.shared.add(definition, current)
      state.clients = [:]
      return index
    }
  }

  /// Returns whether the store has a resource with the same path.
  package func contains(_ definition: ResourceDefinition) -> Bool {
    state.withLock { $0.initial.hasResource(at: definition.paths[0].normalized) }
  }

  /// The error in an item of a list.
  package struct InvalidItem: Error {
    /// The index of the item.
    package let index: Int
    /// The violation.
    package let reason: String
  }

  /// Returns the items of a list.
  ///
  /// - Parameters:
  ///   - data: The items. Those without an id receive one.
  ///   - definition: The resource.
  ///   - order: The known order of the members.
  ///   - counter: The last number that an id used.
  ///   - values: The source of random ids.
  /// - Returns: The items.
  /// - Throws: ``InvalidItem`` for the first item that violates the options.
  static func table(
    _ data: [JSON], _ definition: ResourceDefinition, order: MemberOrder, counter: Int = 0,
    _ values: TemplateValues
  ) throws(InvalidItem) -> ResourceTable {
    var table = ResourceTable(
      unique: definition.options.uniqueGroups, ids: definition.options.ids, counter: counter)
    table.order = order
    table.order.learn(definition.options.key)
    table.idRule = .like(data.map { $0[definition.options.key] })
    // Ids are generated only after the largest given one is known.
    for item in data {
      table.reserve(item[definition.options.key])
      table.order.learn(item)
    }
    for (index, item) in data.enumerated() {
      do throws(ResourceProblem) {
        try ResourceData.load(item, into: &table, definition, values)
      } catch {
        let reason = error.errors.first.map { "\($0.path) \($0.text)" }
        throw InvalidItem(index: index, reason: reason ?? error.detail)
      }
    }
    return table
  }

  // MARK: Steps

  /// Runs a step on the data of a client.
  ///
  /// - Parameters:
  ///   - client: The client. `nil` uses the shared data.
  ///   - backend: The values of the backend that responds. `nil` for a step of Swift code.
  ///   - body: The step. It runs under a lock. It receives the time and the random numbers for
  ///     changes.
  /// - Returns: The result of the step.
  /// - Throws: The error of the step.
  func perform<Result: Sendable, Failure: Error>(
    for client: String? = nil, by backend: TemplateValues? = nil,
    _ body: (inout ResourceData, ResourceData.Context) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let context = ResourceData.Context(
      now: wallClock?() ?? (backend ?? values).now, values: values(of: backend))
    let (result, file) = try state.withLock { state throws(Failure) -> (Result, ResourceFile?) in
      guard let client else {
        let revision = state.shared.revision
        let result = try body(&state.shared, context)
        return (result, state.shared.revision == revision ? nil : state.file)
      }
      state.steps += 1
      guard state.clients[client] == nil else {
        state.clients[client]?.lastUse = state.steps
        let new = Client(data: state.initial)
        return (try body(&state.clients[client, default: new].data, context), nil)
      }
      // A client that changes nothing needs no data of its own.
      var data = state.initial
      let result = try body(&data, context)
      if data.revision != state.initial.revision {
        if state.clients.count >= state.maximumClients {
          let oldest = state.clients.min { $0.value.lastUse < $1.value.lastUse }
          if let oldest { state.clients[oldest.key] = nil }
        }
        state.clients[client] = Client(data: data, lastUse: state.steps)
      }
      return (result, nil)
    }
    file?.changed(self)
    return result
  }

  /// Returns the random values for a backend.
  func values(of backend: TemplateValues?) -> TemplateValues {
    isSeeded ? values : backend ?? values
  }

  /// The number of clients with data of their own.
  public var clientCount: Int { state.withLock { $0.clients.count } }

  // MARK: Reset and snapshots

  /// Restores the initial items of all resources and drops the data of all clients.
  public func reset() {
    let file = state.withLock { state in
      state.shared = state.initial
      state.clients = [:]
      return state.file
    }
    file?.changed(self)
  }

  /// Returns the items of all resources, including those of all clients.
  ///
  /// - Returns: The snapshot. Taking it copies no items.
  public func snapshot() -> ResourceSnapshot {
    state.withLock { state in
      ResourceSnapshot(shared: state.shared.tables, clients: state.clients.mapValues(\.data.tables))
    }
  }

  /// Restores the items of a snapshot.
  ///
  /// - Parameter snapshot: A snapshot of this store. Resources that were added later keep their
  ///   items, and clients that were added later are dropped.
  public func restore(_ snapshot: ResourceSnapshot) {
    let file = state.withLock { state in
      state.shared.restore(snapshot.shared, only: nil)
      state.clients = snapshot.clients.mapValues { tables in
        var data = state.initial
        data.restore(tables, only: nil)
        return Client(data: data, lastUse: state.steps)
      }
      return state.file
    }
    file?.changed(self)
  }

  /// The location of the open file.
  package var file: URL? { openFile?.url }

  /// Replaces the shared items of a resource.
  ///
  /// - Parameters:
  ///   - items: The new items. Those without an id receive one.
  ///   - index: The index of the resource.
  /// - Throws: ``InvalidItem`` for the first item that violates the options. No item is then changed.
  func replaceItems(_ items: [JSON], of index: Int) throws(InvalidItem) {
    let (definition, old) = state.withLock {
      ($0.shared.definitions[index], $0.shared.tables[index])
    }
    if items.count > definition.options.maximumItems {
      throw InvalidItem(
        index: definition.options.maximumItems,
        reason: "the resource has at most \(definition.options.maximumItems) items")
    }
    var table = try Self.table(
      items, definition, order: old.order, counter: old.counter, values)
    let file = state.withLock { state in
      table.follow(state.shared.tables[index])
      state.shared.tables[index] = table
      return state.file
    }
    file?.changed(self)
  }

  /// Restores one resource: the initial items of all clients, or the shared items of a snapshot.
  func restore(_ index: Int, from snapshot: ResourceSnapshot?) {
    let file = state.withLock { state in
      guard let snapshot else {
        state.shared.restore(state.initial.tables, only: index)
        for client in Array(state.clients.keys) {
          state.clients[client]?.data.restore(state.initial.tables, only: index)
        }
        return state.file
      }
      state.shared.restore(snapshot.shared, only: index)
      for client in Array(state.clients.keys) {
        state.clients[client]?.data.restore(
          snapshot.clients[client] ?? state.initial.tables, only: index)
      }
      return state.file
    }
    file?.changed(self)
  }
}

/// The items of a ``ResourceStore`` at one time.
public struct ResourceSnapshot: Sendable {
  let shared: [ResourceTable]
  let clients: [String: [ResourceTable]]
}

extension ResourceData {
  /// Restores the items and the counter of one resource, or of all.
  fileprivate mutating func restore(_ saved: [ResourceTable], only index: Int?) {
    for position in tables.indices
    where saved.indices.contains(position) && (index ?? position) == position {
      tables[position] = saved[position]
    }
  }
}
