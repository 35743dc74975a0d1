public import Foundation
import Mocking
public import Networking

/// A collection of items that requests list, create, read, change and delete.
///
/// ```swift
/// let boards = try Resource<Board>("/boards", data: [Board(id: 1, title: "Fish")])
/// let provider = MockProvider<BoardsAPI>(routes: boards.routes())
///
/// // POST /boards, GET /boards?title_like=fish&_sort=-id, PATCH /boards/1 ...
///
/// #expect(boards.items.count == 2)
/// #expect(boards[1]?.title == "Balsa Fish")
/// ```
///
/// ``Resource/init(_:in:_:)`` without a type has items of the type `JSON`. With a type, each item must
/// decode as a value of the type; its JSON is stored as the client has sent it.
///
/// - **Requests.** The guide "Resources" lists the requests and their responses. A request that is
///   refused receives problem details (RFC 9457) that list every invalid member.
/// - **Sharing.** A resource belongs to a ``ResourceStore``. Its routes may be served by several
///   servers, providers and transports, which then share the items.
/// - **Steps.** Each request and each call is one atomic step. All members may be used from any thread.
///   The coders of `Value` run under a lock and must not use the store.
/// - **Clients.** With ``ResourceStore/Isolation`` the members use the shared items, which requests
///   without a client use, unless a method names a client.
public final class Resource<Value: Codable & Sendable>: Sendable {
  private let handler: ResourceHandler
  private let encoder: JSONEncoder
  private let decoder: JSONDecoder

  /// The store of the items.
  public var store: ResourceStore { handler.store }
  /// The path of the list.
  public var path: String { handler.definition.name }

  /// Creates a resource without items, with values of a type.
  ///
  /// - Parameters:
  ///   - path: The path of the list, such as `/users` or `/users/{user}/carts`. If it is malformed,
  ///     the initializer of a server with its routes throws.
  ///   - store: The store. Related resources have the same one.
  ///   - encoder: The encoder of values.
  ///   - decoder: The decoder of items.
  ///   - configure: A closure that changes the options. It runs once, before the initializer returns.
  @_disfavoredOverload
  public init(
    _ path: String, in store: ResourceStore = ResourceStore(),
    encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(),
    _ configure: (inout ResourceOptions) -> Void = { _ in }
  ) {
    let definition = Self.definition(path, decoder, configure)
    var table = ResourceTable(
      unique: definition.options.uniqueGroups, ids: definition.options.ids)
    table.order.learn(definition.options.key)
    handler = ResourceHandler(in: store, definition, table)
    self.encoder = encoder
    self.decoder = decoder
  }

  /// Creates a resource with initial items.
  ///
  /// - Parameters:
  ///   - path: The path of the list, such as `/users` or `/users/{user}/carts`. If it is malformed,
  ///     the initializer of a server with its routes throws.
  ///   - data: The initial items.
  ///   - store: The store. Related resources have the same one.
  ///   - encoder: The encoder of values.
  ///   - decoder: The decoder of items.
  ///   - configure: A closure that changes the options. It runs once, before the initializer returns.
  /// - Throws: ``ResourceError/refused(status:reason:)`` for an item that violates the options, or that
  ///   has the id of another one.
  @_disfavoredOverload
  public init(
    _ path: String, data: [Value], in store: ResourceStore = ResourceStore(),
    encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(),
    _ configure: (inout ResourceOptions) -> Void = { _ in }
  ) throws(ResourceError) {
    let definition = Self.definition(path, decoder, configure)
    var order = MemberOrder()
    var items: [JSON] = []
    for value in data {
      let (json, names) = try Self.encoded(value, encoder)
      order.learn(names)
      items.append(json)
    }
    do throws(ResourceStore.InvalidItem) {
      let table = try ResourceStore.table(items, definition, order: order, store.values)
      handler = ResourceHandler(in: store, definition, table)
    } catch {
      throw .refused(status: 422, reason: "\(path)[\(error.index)]: \(error.reason)")
    }
    self.encoder = encoder
    self.decoder = decoder
  }

  /// Creates a resource that is one object, such as the profile of the user.
  ///
  /// ```swift
  /// let profile = try Resource("/profile", object: Profile(name: "Ada"))
  /// // GET /profile, PUT /profile, PATCH /profile
  /// #expect(profile.object?.name == "Ada")
  /// ```
  ///
  /// The object has no id, and is neither created nor deleted. ``update(_:)`` replaces it in Swift code.
  ///
  /// - Parameters:
  ///   - path: The path of the object, such as `/profile`.
  ///   - object: The initial value.
  ///   - store: The store. Related resources have the same one.
  ///   - encoder: The encoder of values.
  ///   - decoder: The decoder of items.
  ///   - configure: A closure that changes the options. It runs once, before the initializer returns.
  ///     Options for ids, lists and parents have no effect.
  /// - Throws: ``ResourceError/refused(status:reason:)`` for an object that violates the options.
  @_disfavoredOverload
  public convenience init(
    _ path: String, object: Value, in store: ResourceStore = ResourceStore(),
    encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(),
    _ configure: (inout ResourceOptions) -> Void = { _ in }
  ) throws(ResourceError) {
    try self.init(path, data: [object], in: store, encoder: encoder, decoder: decoder) {
      configure(&$0)
      $0.isObject = true
    }
  }

  /// The value of a resource that is one object.
  public var object: Value? { items.first }

  private static func definition(
    _ path: String, _ decoder: JSONDecoder, _ configure: (inout ResourceOptions) -> Void
  ) -> ResourceDefinition {
    var options = ResourceOptions()
    configure(&options)
    guard Value.self != JSON.self else { return ResourceDefinition(path, options) }
    return ResourceDefinition(path, options) { item in
      _ = try decoder.decode(Value.self, fromText: item)
    }
  }

  // MARK: Routes

  /// Returns the routes for all requests.
  ///
  /// A route that a backend has before them overrides one of them.
  ///
  /// - Parameters:
  ///   - defaults: The delays, pacing, fault and header fields of all responses. Its status and its
  ///     body are ignored.
  ///   - adapt: A closure that changes each route, for example by a condition or a priority.
  /// - Returns: The routes, for a ``MockServer``, a ``MockTransport`` or a ``MockProvider``.
  ///   `verifyNoUnusedStubs()` does not require that they are used.
  public func routes(
    defaults: Mock = Mock(), _ adapt: (_ route: Route) -> Route = { $0 }
  ) -> [Route] {
    handler.routes(defaults).map { adapt($0.route) }
  }

  // MARK: Items

  /// The items in the order of their creation.
  public var items: [Value] { values(of: nil) }

  /// Returns the items of an isolated client, in the order of their creation.
  ///
  /// - Parameter client: The value of the header field or the cookie that identifies the client.
  /// - Returns: The items. The initial ones for a client that has changed nothing.
  public func items(of client: String) -> [Value] { values(of: client) }

  private func values(of client: String?) -> [Value] {
    let table = store.perform(for: client) { data, _ in data.tables[handler.index] }
    return table.items.compactMap { try? decoded($0) }
  }

  /// The number of items.
  public var count: Int { store.perform { data, _ in data.tables[handler.index].count } }

  /// The item with an id, or `nil` if there is none.
  ///
  /// - Parameter id: The id, which is encoded as an integer or a string. The integer 1 and the string
  ///   `1` are equal ids.
  public subscript(id: some Encodable) -> Value? {
    guard let id = text(of: id) else { return nil }
    let item = store.perform { data, _ in data.tables[handler.index][id] }
    return item.flatMap { try? decoded($0) }
  }

  /// Adds an item.
  ///
  /// - Parameter value: The item. If it has no id, it receives one by the rule of the resource. It may
  ///   have members that are read-only for clients.
  /// - Returns: The item as stored, with its id.
  /// - Throws: ``ResourceError/refused(status:reason:)`` if the item violates the options or an item
  ///   with its id exists.
  @discardableResult
  public func insert(_ value: Value) throws(ResourceError) -> Value {
    let (json, names) = try Self.encoded(value, encoder)
    return try change { data, context throws(ResourceProblem) in
      data.tables[handler.index].order.learn(names)
      data.tables[handler.index].order.learn(json)
      return try data.insert(json, into: handler.index, [], context)
    }
  }

  /// Replaces the item that has the id of a value.
  ///
  /// - Parameter value: The new item. Members that are read-only for clients keep their values if it
  ///   does not have them.
  /// - Returns: The item as stored.
  /// - Throws: ``ResourceError/missing(id:)``, or ``ResourceError/refused(status:reason:)`` if the item
  ///   violates the options.
  @discardableResult
  public func update(_ value: Value) throws(ResourceError) -> Value {
    let (json, names) = try Self.encoded(value, encoder)
    let options = handler.definition.options
    let id =
      options.isObject ? ResourceOptions.objectID : ResourceItem.id(of: json[options.key]) ?? ""
    return try change { data, context throws(ResourceProblem) in
      data.tables[handler.index].order.learn(names)
      data.tables[handler.index].order.learn(json)
      let current = try data.item(id, of: handler.index)
      return try data.replace(current, with: json, in: handler.index, [], context)
    }
  }

  /// Changes an item.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - body: A closure that changes the item. It runs outside of the lock, and again if another step
  ///     has changed the item in the meantime.
  /// - Returns: The item as stored.
  /// - Throws: ``ResourceError/missing(id:)``, ``ResourceError/refused(status:reason:)`` if the new
  ///   item violates the options, or the error of `body`. The item is then unchanged.
  @discardableResult
  public func update(id: some Encodable, _ body: (inout Value) throws -> Void) throws -> Value {
    let id = text(of: id) ?? ""
    while true {
      guard let current = store.perform({ data, _ in data.tables[handler.index][id] }) else {
        throw ResourceError.missing(id: id)
      }
      var value = try decoded(current)
      try body(&value)
      let (json, _) = try Self.encoded(value, encoder)
      let item: ResourceItem?
      do throws(ResourceProblem) {
        item = try store.perform { data, context throws(ResourceProblem) -> ResourceItem? in
          guard data.tables[handler.index][id]?.tag == current.tag else { return nil }
          return try data.replace(current, with: json, in: handler.index, [], context.trusted)
        }
      } catch {
        throw ResourceError(error)
      }
      if let item { return try decoded(item) }
    }
  }

  /// Removes an item, and the items nested in it according to their options.
  ///
  /// - Parameter id: The id.
  /// - Returns: The removed item, or `nil` if there is none.
  /// - Throws: ``ResourceError/refused(status:reason:)`` if a nested resource refuses.
  @discardableResult
  public func remove(id: some Encodable) throws(ResourceError) -> Value? {
    guard let id = text(of: id) else { return nil }
    do throws(ResourceProblem) {
      let item = try store.perform { data, _ throws(ResourceProblem) -> ResourceItem? in
        guard let item = data.tables[handler.index][id] else { return nil }
        try data.remove(id, from: handler.index)
        return item
      }
      return item.flatMap { try? decoded($0) }
    } catch {
      throw ResourceError(error)
    }
  }

  // MARK: Reset and snapshots

  /// Restores the initial items, for all clients.
  public func reset() { store.restore(handler.index, from: nil) }

  /// Returns the items of the whole store, including those of all clients.
  ///
  /// - Returns: The snapshot. Taking it copies no items.
  public func snapshot() -> ResourceSnapshot { store.snapshot() }

  /// Restores the items of this resource.
  ///
  /// - Parameter snapshot: A snapshot of the store.
  public func restore(_ snapshot: ResourceSnapshot) {
    store.restore(handler.index, from: snapshot)
  }

  // MARK: Coding

  private func change(
    _ body: (inout ResourceData, ResourceData.Context) throws(ResourceProblem) -> ResourceItem
  ) throws(ResourceError) -> Value {
    do throws(ResourceProblem) {
      let item = try store.perform { data, context throws(ResourceProblem) in
        try body(&data, context.trusted)
      }
      if let value = try? decoded(item) { return value }
      throw ResourceProblem(status: 422, detail: "the item cannot be decoded")
    } catch {
      throw error.status == 404 ? .missing(id: error.id ?? "") : ResourceError(error)
    }
  }

  private func decoded(_ item: ResourceItem) throws -> Value {
    if let value = item.json as? Value { return value }
    return try decoder.decode(fromText: item.text)
  }

  /// Returns a value as JSON, with the order in which it encodes its members.
  private static func encoded(
    _ value: Value, _ encoder: JSONEncoder
  ) throws(ResourceError) -> (JSON, MemberOrder) {
    var order = MemberOrder()
    if let json = value as? JSON { return (json, order) }
    do {
      let json = try JSON(parsing: try encoder.encode(value))
      if let parameters = try? Parameters(encoding: value) { order.learn(parameters) }
      return (json, order)
    } catch {
      throw .refused(status: 422, reason: "the value cannot be encoded: \(error)")
    }
  }

  private func text(of id: some Encodable) -> String? {
    if let text = id as? String { return text }
    return ResourceItem.id(of: try? JSON(parsing: try encoder.encode(id)))
  }
}

extension Resource where Value == JSON {
  /// Creates a resource of JSON objects without items.
  ///
  /// - Parameters:
  ///   - path: The path of the list, such as `/users` or `/users/{user}/carts`. If it is malformed,
  ///     the initializer of a server with its routes throws.
  ///   - store: The store. Related resources have the same one.
  ///   - configure: A closure that changes the options. It runs once, before the initializer returns.
  public convenience init(
    _ path: String, in store: ResourceStore = ResourceStore(),
    _ configure: (inout ResourceOptions) -> Void = { _ in }
  ) {
    self.init(
      path, in: store, encoder: JSONEncoder(), decoder: JSONDecoder(), configure)
  }

  /// Creates a resource of JSON objects with initial items.
  ///
  /// - Parameters:
  ///   - path: The path of the list, such as `/users` or `/users/{user}/carts`. If it is malformed,
  ///     the initializer of a server with its routes throws.
  ///   - data: The initial items. Those without an id receive one.
  ///   - store: The store. Related resources have the same one.
  ///   - configure: A closure that changes the options. It runs once, before the initializer returns.
  /// - Throws: ``ResourceError/refused(status:reason:)`` for an item that violates the options, or that
  ///   has the id of another one.
  public convenience init(
    _ path: String, data: [JSON], in store: ResourceStore = ResourceStore(),
    _ configure: (inout ResourceOptions) -> Void = { _ in }
  ) throws(ResourceError) {
    try self.init(
      path, data: data, in: store, encoder: JSONEncoder(), decoder: JSONDecoder(), configure)
  }

  /// Creates a resource that is one JSON object, such as the settings of an app.
  ///
  /// - Parameters:
  ///   - path: The path of the object, such as `/settings`.
  ///   - object: The initial object.
  ///   - store: The store. Related resources have the same one.
  ///   - configure: A closure that changes the options. It runs once, before the initializer returns.
  ///     Options for ids, lists and parents have no effect.
  /// - Throws: ``ResourceError/refused(status:reason:)`` for an object that violates the options.
  public convenience init(
    _ path: String, object: JSON, in store: ResourceStore = ResourceStore(),
    _ configure: (inout ResourceOptions) -> Void = { _ in }
  ) throws(ResourceError) {
    try self.init(
      path, object: object, in: store, encoder: JSONEncoder(), decoder: JSONDecoder(), configure)
  }
}

extension RouteBuilder {
  /// Adds the routes of a resource.
  public static func buildExpression<Value>(_ resource: Resource<Value>) -> [Route] {
    resource.routes()
  }
}
