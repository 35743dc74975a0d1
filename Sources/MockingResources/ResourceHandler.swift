import CatenaSystem
import Foundation
package import Mocking
package import Networking

/// The responses of a resource to requests.
package struct ResourceHandler: Sendable {
  /// An operation of a route.
  package enum Operation: Sendable {
    case list
    case create
    case read
    case replace
    case patch
    case delete
  }

  let store: ResourceStore
  /// The index of the resource in its store.
  let index: Int
  let definition: ResourceDefinition

  private var options: ResourceOptions { definition.options }

  /// Adds a resource to a store, or to the draft of one.
  init(
    in collection: some ResourceCollection, _ definition: ResourceDefinition,
    _ table: ResourceTable
  ) {
    store = collection.store
    self.definition = definition
    index = collection.add(definition, table)
  }

  /// Adds a resource with items, unless another one has its path.
  ///
  /// Returns `nil` if another resource has the path, or if an item violates the options.
  package init?(
    in collection: some ResourceCollection, at path: String, _ options: ResourceOptions,
    items: [JSON]
  ) {
    let definition = ResourceDefinition(path, options)
    guard !collection.contains(definition),
      let table = try? ResourceStore.table(
        items, definition, order: MemberOrder(), collection.store.values)
    else { return nil }
    self.init(in: collection, definition, table)
  }

  /// Returns a route for an operation of the resource.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - operation: The operation.
  ///   - respond: A closure that returns the response to a request. It may change the response of the
  ///     resource to a request that it may change, too.
  /// - Returns: The route.
  package func route(
    _ method: HTTPMethod, _ operation: Operation,
    _ respond:
      @escaping @Sendable (
        _ request: ReceivedRequest, _ resource: (_ request: ReceivedRequest) -> Mock
      ) -> Mock
  ) -> Route {
    let path = definition.paths[0]
    let isList = operation == .list || operation == .create
    let mock = Mock.template { request, values in
      respond(request) { self.respond(to: $0, operation, at: path, values) }
    }
    var route = Route(method, isList ? path.list : path.item, mock).stored(in: store)
    route.resources.path = definition.name
    return route
  }

  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - operation: The operation of the route.
  ///   - path: The path of the resource that the request matches.
  ///   - values: The time and the random values of the backend.
  /// - Returns: The response, or problem details.
  func respond(
    to request: ReceivedRequest, _ operation: Operation, at path: ResourcePath,
    _ values: TemplateValues
  ) -> Mock {
    let isOwn = (request.session.resources as? ResourceStore) === store
    let session = isOwn ? request.session : store.session(for: request) { values }
    let mock = response(to: request, operation, path, session, values)
    // The backend adds the cookie of a session that it has created.
    guard !isOwn, let cookie = session.newCookie else { return mock }
    var result = mock
    result.headers.add(cookie, for: "Set-Cookie")
    return result
  }

  private func response(
    to request: ReceivedRequest, _ operation: Operation, _ path: ResourcePath,
    _ session: RequestSession, _ values: TemplateValues
  ) -> Mock {
    do throws(ResourceProblem) {
      guard session.client?.utf8.count ?? 0 <= 256 else {
        throw ResourceProblem(
          status: 400, detail: "the header field or cookie of the client has more than 256 bytes")
      }
      return try response(to: request, operation, path, session.client, values)
    } catch {
      return error.mock
    }
  }

  private func response(
    to request: ReceivedRequest, _ operation: Operation, _ path: ResourcePath, _ client: String?,
    _ values: TemplateValues
  ) throws(ResourceProblem) -> Mock {
    let id = options.isObject ? ResourceOptions.objectID : request.path[path.idVariable]
    let variables = request.path.variables
    switch operation {
    case .list: return try list(request, path, client)
    case .read:
      let hasRelations = ResourceRelations.areIn(request.query, options.parameters)
      let (item, data) = try store.perform(for: client, by: values) {
        data, _ throws(ResourceProblem) in
        let item = try data.item(id, of: index, try data.bound(path, variables))
        return (item, hasRelations ? data : nil)
      }
      guard let data else {
        return Self.response(item.text, tag: item.tag, request)
      }
      let relations = try ResourceRelations(request.query, of: index, in: data)
      let text = try relations.texts(of: [item], \.text)[0]
      return Self.response(text, tag: EntityTag.of(text), request)
    case .create:
      let json = try body(of: request)
      let item = try store.perform(for: client, by: values) {
        data, context throws(ResourceProblem) in
        let bound = try data.bound(path, variables)
        data.tables[index].order.learn(from: request.decodedBody)
        return try data.insert(json, into: index, bound, context)
      }
      return created(item, at: request.path.text + "/" + PercentEncoding.url.encoded(item.id))
    case .replace:
      let json = try body(of: request)
      let (item, isNew) = try store.perform(for: client, by: values) {
        data, context throws(ResourceProblem) in
        try replace(id, by: json, in: &data, path, context, request)
      }
      return isNew ? created(item, at: request.path.text) : Self.response(item.text, tag: item.tag)
    case .patch:
      let patch = try ResourcePatch(request, options)
      let item = try store.perform(for: client, by: values) {
        data, context throws(ResourceProblem) in
        let bound = try data.bound(path, variables)
        let current = try data.item(id, of: index, bound)
        try checkPreconditions(request, current)
        data.tables[index].order.learn(from: request.decodedBody)
        return try data.replace(
          current, with: try patch.applied(to: current.json, options), in: index, bound, context)
      }
      return Self.response(item.text, tag: item.tag)
    case .delete:
      try store.perform(for: client, by: values) { data, _ throws(ResourceProblem) in
        let current = try data.item(id, of: index, try data.bound(path, variables))
        try checkPreconditions(request, current)
        let dependents = try ResourceRelations.dependents(of: id, request.query, index, in: data)
        guard !dependents.isEmpty else { return try data.remove(id, from: index) }
        // If one cannot be removed, nothing is changed. A resource may refuse the removal of an item to
        // which its items refer.
        var changed = data
        for (index, item) in dependents { try changed.remove(item.id, from: index) }
        try changed.remove(id, from: index)
        data = changed
      }
      return .status(204)
    }
  }

  private func replace(
    _ id: String, by json: JSON, in data: inout ResourceData, _ path: ResourcePath,
    _ context: ResourceData.Context, _ request: ReceivedRequest
  ) throws(ResourceProblem) -> (ResourceItem, isNew: Bool) {
    let bound = try data.bound(path, request.path.variables)
    guard let current = data.tables[index][id] else {
      guard options.createsMissing else { throw .missing(id) }
      try checkPreconditions(request, nil)
      var json = json
      if json.dictionary != nil, json[options.key].isNull {
        json[options.key] = data.value(ofID: id, for: json, in: index)
      }
      guard json.dictionary == nil || ResourceItem.id(of: json[options.key]) == id else {
        throw .invalid([
          .init(
            path: [.member(options.key)],
            text: "must be the id in the path of the request")
        ])
      }
      data.tables[index].order.learn(from: request.decodedBody)
      return (try data.insert(json, into: index, bound, context), true)
    }
    _ = try data.item(id, of: index, bound)
    try checkPreconditions(request, current)
    data.tables[index].order.learn(from: request.decodedBody)
    return (try data.replace(current, with: json, in: index, bound, context), false)
  }

  // MARK: Routes

  /// Returns the routes of all paths of the resource.
  ///
  /// - Parameter defaults: The delays, pacing, fault and header fields of the responses.
  /// - Returns: The routes and their mocks.
  func routes(_ defaults: Mock) -> [(route: Route, mock: Mock)] {
    definition.paths.flatMap { path in
      let all: [(HTTPMethod, String, Operation)] = [
        (.get, path.list, .list), (.post, path.list, .create), (.get, path.item, .read),
        (.put, path.item, .replace), (.patch, path.item, .patch), (.delete, path.item, .delete),
      ]
      let object: [(HTTPMethod, String, Operation)] = [
        (.get, path.list, .read), (.put, path.list, .replace), (.patch, path.list, .patch),
      ]
      let routes = options.isObject ? object : all
      return routes.filter { options.methods.contains($0.0) }.map { method, template, operation in
        let mock = defaults.template { respond(to: $0, operation, at: path, $1) }
        var route = Route(method, template, mock)
        route.resources.storage = store
        route.resources.path = definition.name
        return (route, mock)
      }
    }
  }

  // MARK: Lists

  private func list(
    _ request: ReceivedRequest, _ path: ResourcePath, _ client: String?
  ) throws(ResourceProblem) -> Mock {
    let hasRelations = ResourceRelations.areIn(request.query, options.parameters)
    let (table, bound, data) = try store.perform(for: client) { data, _ throws(ResourceProblem) in
      let bound = try data.bound(path, request.path.variables)
      return (data.tables[index], bound, hasRelations ? data : nil)
    }
    // Filters, sorts and joins a copy after unlocking.
    let query = try ResourceQuery(request.query, options, table.order)
    let page = query.page(of: table.items, bound)
    func itemText(_ item: ResourceItem) -> Data {
      query.fields.isEmpty ? item.text : Self.text(of: query.fields, in: item, table.order)
    }
    let relations = try data.map { data throws(ResourceProblem) in
      try ResourceRelations(request.query, of: index, in: data)
    }
    let texts = try relations?.texts(of: page.items, itemText) ?? page.items.map(itemText)
    var text = Data("[".utf8)
    text.reserveCapacity(texts.reduce(2) { $0 + $1.count + 1 })
    for (position, item) in texts.enumerated() {
      if position > 0 { text.append(UInt8(ascii: ",")) }
      text.append(item)
    }
    text.append(UInt8(ascii: "]"))
    let identity = page.items.map(\.tag).joined() + "\(page.total)"
    let tag = hasRelations ? EntityTag.of(text) : EntityTag.of(identity.utf8)
    var mock = Self.response(text, tag: tag, request)
    mock.headers["X-Total-Count"] = String(page.total)
    // A list without items has no members yet.
    if table.count > 0, let warning = query.warning { mock.headers["X-Mock-Warning"] = warning }
    let links = ResourceLinks(request, query, page, options.parameters)
    if let value = links.value { mock.headers["Link"] = value }
    if case .cursor = query.paging, let next = page.next {
      mock.headers["X-Next-Cursor"] = next.text
    }
    return mock
  }

  private static func text(
    of fields: [String], in item: ResourceItem, _ order: MemberOrder
  ) -> Data {
    var members: [String: JSON] = [:]
    for name in fields { members[name] = item.json.dictionary?[name] }
    return (try? order.encode(.dictionary(members))) ?? Data("{}".utf8)
  }

  // MARK: Parts of requests and responses

  /// Returns the JSON body.
  private func body(of request: ReceivedRequest) throws(ResourceProblem) -> JSON {
    try ResourcePatch.checkSize(request, options)
    let type = ResourcePatch.type(of: request)
    guard type == nil || type == "application/json" || type?.hasSuffix("+json") == true else {
      throw ResourceProblem(
        status: 415,
        detail: "the content type \(type ?? "") is not supported; send application/json")
    }
    return try ResourcePatch.json(of: request)
  }

  /// Checks `If-Match` and `If-None-Match` of a request that changes an item.
  ///
  /// Source: RFC 9110 section 13.1; RFC 6585 section 3.
  private func checkPreconditions(
    _ request: ReceivedRequest, _ current: ResourceItem?
  ) throws(ResourceProblem) {
    let (match, noneMatch) = (
      request.headers.values(for: "If-Match"), request.headers.values(for: "If-None-Match")
    )
    if match.isEmpty, options.requiresIfMatch, current != nil {
      throw ResourceProblem(
        status: 428, detail: "send the ETag of the item in the header field If-Match")
    }
    let fails =
      !match.isEmpty && !EntityTag.matches(current?.tag, match, isWeak: false)
      || EntityTag.matches(current?.tag, noneMatch, isWeak: true)
    guard fails else { return }
    throw ResourceProblem(
      status: 412, detail: "the item has changed since the request's version of it",
      headers: current.map { ["ETag": $0.tag] } ?? [:])
  }

  private func created(_ item: ResourceItem, at location: String) -> Mock {
    var mock = Self.response(item.text, tag: item.tag)
    mock.status = 201
    mock.headers["Location"] = location
    return mock
  }

  /// Returns a 200, or a 304 if the request is a GET whose `If-None-Match` has the tag.
  private static func response(_ text: Data, tag: String, _ request: ReceivedRequest? = nil) -> Mock
  {
    if let list = request?.headers.values(for: "If-None-Match"),
      EntityTag.matches(tag, list, isWeak: true)
    {
      return Mock(status: 304, headers: ["ETag": tag])
    }
    return .data(text, contentType: "application/json").header("ETag", tag)
  }
}
