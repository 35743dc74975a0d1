import CatenaSystem
package import Foundation
package import Mocking
public import Networking

/// The items of all resources of a ``ResourceStore`` during one atomic step.
///
/// ```swift
/// let order = try store.update { items in
///   let rows = items["/carts/{cart}/items"].filter { $0["cartId"] == 7 }
///   for row in rows { try items.delete(row["id"], at: "/carts/{cart}/items") }
///   return try items.create(["total": 12.5], at: "/orders")
/// }
/// ```
///
/// A path is that of a resource. The names of its variables are ignored. An instance is valid only
/// inside the closure that receives it, and must not be used by another thread.
public final class ResourceTransaction {
  private(set) var data: ResourceData
  private let context: ResourceData.Context
  /// The items of resources that have been read, by the index of the resource.
  private var lists: [Int: [JSON]] = [:]

  init(_ data: ResourceData, _ context: ResourceData.Context) {
    self.data = data
    self.context = context.trusted
  }

  /// The items of a resource in the order of their creation.
  ///
  /// Empty if there is no resource at the path.
  ///
  /// - Parameter path: The path of the resource, such as `/carts/{cart}/items`.
  public subscript(path: String) -> [JSON] {
    guard let index = data.index(at: path) else { return [] }
    if let list = lists[index] { return list }
    let list = data.tables[index].items.map(\.json)
    lists[index] = list
    return list
  }

  /// Returns an item.
  ///
  /// - Parameters:
  ///   - id: The id. The integer 1 and the string `1` are equal ids.
  ///   - path: The path of the resource.
  /// - Returns: The item, or `nil` if there is none.
  public func item(_ id: JSON, at path: String) -> JSON? {
    guard let index = data.index(at: path), let id = ResourceItem.id(of: id) else { return nil }
    return data.tables[index][id]?.json
  }

  /// Adds an item.
  ///
  /// - Parameters:
  ///   - item: The item. Without an id it receives one by the rule of the resource. It may have
  ///     members that are read-only for clients.
  ///   - path: The path of the resource.
  /// - Returns: The item as stored.
  /// - Throws: ``ResourceError`` if there is no resource, the item violates the options, its parent
  ///   does not exist, or an item with its id exists.
  @discardableResult
  public func create(_ item: JSON, at path: String) throws(ResourceError) -> JSON {
    try reporting { () throws(ResourceProblem) in try insert(item, at: path) }
  }

  /// Applies a merge patch to an item.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - path: The path of the resource.
  ///   - patch: The members to change; `null` removes a member (RFC 7396).
  /// - Returns: The item as stored.
  /// - Throws: ``ResourceError`` if there is no item, or the new one violates the options.
  @discardableResult
  public func update(
    _ id: JSON, at path: String, with patch: JSON
  ) throws(ResourceError) -> JSON {
    try reporting { () throws(ResourceProblem) in try change(id, at: path, with: patch) }
  }

  /// Removes an item, and the items nested in it according to their options.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - path: The path of the resource.
  /// - Returns: The removed item.
  /// - Throws: ``ResourceError`` if there is no item, or a nested resource refuses.
  @discardableResult
  public func delete(_ id: JSON, at path: String) throws(ResourceError) -> JSON {
    try reporting { () throws(ResourceProblem) in try remove(id, at: path) }
  }

  // MARK: Changes

  private func reporting(
    _ body: () throws(ResourceProblem) -> JSON
  ) throws(ResourceError) -> JSON {
    do throws(ResourceProblem) {
      return try body()
    } catch {
      throw error.id.map { .missing(id: $0) } ?? ResourceError(error)
    }
  }

  fileprivate func insert(_ item: JSON, at path: String) throws(ResourceProblem) -> JSON {
    let index = try index(at: path)
    data.tables[index].order.learn(item)
    lists[index] = nil
    return try data.insert(item, into: index, [], context).json
  }

  fileprivate func change(
    _ id: JSON, at path: String, with patch: JSON
  ) throws(ResourceProblem) -> JSON {
    let index = try index(at: path)
    let current = try current(id, at: path, index)
    guard patch.dictionary != nil else {
      throw ResourceProblem(status: 422, detail: "the change of an item is an object")
    }
    data.tables[index].order.learn(patch)
    lists[index] = nil
    return try data.replace(current, with: current.json.merging(patch), in: index, [], context).json
  }

  fileprivate func remove(_ id: JSON, at path: String) throws(ResourceProblem) -> JSON {
    let current = try current(id, at: path, try index(at: path))
    // Nested resources may lose items, too.
    lists = [:]
    try data.remove(current.id, from: try index(at: path))
    return current.json
  }

  private func index(at path: String) throws(ResourceProblem) -> Int {
    guard let index = data.index(at: path) else {
      throw ResourceProblem(
        status: 500, detail: "there is no resource \(ReportFormatter.quoted(path))")
    }
    return index
  }

  private func current(
    _ id: JSON, at path: String, _ index: Int
  ) throws(ResourceProblem) -> ResourceItem {
    let text = ResourceItem.id(of: id) ?? (id.isNull ? "" : id.description)
    guard let item = data.tables[index][text] else {
      throw ResourceProblem(
        status: 404,
        detail: "there is no item with the id \(ReportFormatter.quoted(text)) in \(path)", id: text)
    }
    return item
  }
}

// MARK: - Templates

/// The reason why a resource refuses a change of a response, with the response that describes it.
package struct ChangeRefusal: Error {
  /// The response.
  package let mock: Mock
}

/// The items of a transaction for templates and for the changes of responses.
package final class TransactionItems: RequestItems {
  private let transaction: ResourceTransaction
  /// The order of all members, with the number of changes before which it was made.
  private var order: (revision: Int, members: MemberOrder)?

  init(_ transaction: ResourceTransaction) {
    self.transaction = transaction
  }

  package func key(at path: String) -> String? {
    transaction.data.index(at: path).map { transaction.data.definitions[$0].options.key }
  }

  package func items(at path: String) -> [JSON] { transaction[path] }

  package func item(_ id: JSON, at path: String) -> JSON? { transaction.item(id, at: path) }

  package func encode(_ json: JSON) throws -> Data {
    let revision = transaction.data.revision
    if let order, order.revision == revision { return try order.members.encode(json) }
    var members = MemberOrder()
    for table in transaction.data.tables { members.learn(table.order) }
    order = (revision, members)
    return try members.encode(json)
  }

  /// Adds an item, and returns it as stored.
  package func create(_ item: JSON, at path: String) throws(ChangeRefusal) -> JSON {
    try refusable(at: path) { () throws(ResourceProblem) in
      try transaction.insert(item, at: path)
    }
  }

  /// Applies a merge patch to an item, and returns it as stored.
  package func update(
    _ id: JSON, at path: String, with patch: JSON
  ) throws(ChangeRefusal) -> JSON {
    try refusable(at: path) { () throws(ResourceProblem) in
      try transaction.change(id, at: path, with: patch)
    }
  }

  /// Removes an item, and returns it.
  package func delete(_ id: JSON, at path: String) throws(ChangeRefusal) -> JSON {
    try refusable(at: path) { () throws(ResourceProblem) in try transaction.remove(id, at: path) }
  }

  private func refusable(
    at path: String, _ body: () throws(ResourceProblem) -> JSON
  ) throws(ChangeRefusal) -> JSON {
    do throws(ResourceProblem) {
      return try body()
    } catch {
      var problem = error
      // The request is for another path than that of the item.
      if !problem.detail.contains(path) { problem.detail += " in \(path)" }
      throw ChangeRefusal(mock: problem.mock)
    }
  }
}

extension ResourceStore {
  /// Reads and changes items of several resources in one atomic step.
  ///
  /// - Parameters:
  ///   - client: The client whose items are used, such as ``ReceivedRequest/client``. `nil` uses the
  ///     shared items.
  ///   - body: A closure that reads and changes the items. It runs once, before this method returns,
  ///     under the lock of the store, which it must not use. If it throws, nothing is changed.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, such as ``ResourceError`` of a change.
  public func update<Result: Sendable>(
    of client: String? = nil, _ body: (_ items: ResourceTransaction) throws -> Result
  ) throws -> Result {
    try transaction(of: client, by: nil, body)
  }

  private func transaction<Result: Sendable>(
    of client: String?, by values: TemplateValues?,
    _ body: (_ items: ResourceTransaction) throws -> Result
  ) throws -> Result {
    try perform(for: client, by: values) { data, context in
      let transaction = ResourceTransaction(data, context)
      let result = try body(transaction)
      data = transaction.data
      return result
    }
  }

  package func items(for client: String?) -> any RequestItems {
    let (data, context) = perform(for: client) { data, context in (data, context) }
    return TransactionItems(ResourceTransaction(data, context))
  }

  /// Changes items for a response, as one atomic step.
  ///
  /// - Parameters:
  ///   - request: The request, whose client's items are changed.
  ///   - values: The time and the random values of the backend.
  ///   - body: A closure that changes the items. If it throws, nothing is changed.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  package func change(
    for request: ReceivedRequest, _ values: TemplateValues,
    _ body: (TransactionItems) throws -> Mock
  ) throws -> Mock {
    try transaction(of: request.session.client, by: values) { try body(TransactionItems($0)) }
  }

  package func hint(for path: [String]) -> String? {
    ResourceRelations.hint(for: path, in: state.withLock { $0.shared })
  }

  package func session(
    for request: ReceivedRequest, _ values: () -> TemplateValues
  ) -> RequestSession {
    let (isolation, limit) = state.withLock { ($0.isolation, $0.maximumClients) }
    var session = RequestSession(maximumClients: limit, resources: self)
    switch isolation {
    case nil: break
    case .header(let name): session.client = request.headers.values(for: name).first
    case .cookie(let name):
      if let value = request.cookies.values(for: name).first {
        session.client = value
      } else {
        let value = ResourceTable.uuid(self.values(of: values()))
        session.client = value
        session.newCookie = "\(name)=\(value); Path=/; SameSite=Lax"
      }
    }
    return session
  }
}

extension Route {
  /// Returns a copy whose templates read and change the resources of a store.
  ///
  /// A route needs it only if a backend has the resources of several stores. Otherwise it uses those of
  /// the first route of a ``Resource``. If the store isolates clients, each client has variables,
  /// scenarios, sequences, counters and limits of responses of its own.
  ///
  /// - Parameter store: The store.
  /// - Returns: The route.
  public func using(_ store: ResourceStore) -> Route {
    var route = self
    route.resources.used = store
    return route
  }

  /// Returns a copy of a route of a resource, whose responses read and change the items of a store.
  func stored(in store: ResourceStore) -> Route {
    var route = self
    route.resources.storage = store
    return route
  }
}
