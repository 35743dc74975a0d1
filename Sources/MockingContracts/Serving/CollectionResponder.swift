import CatenaSystem
import Foundation
import Mocking
import MockingResources
import Networking

/// The responses of an operation of a collection: those of a resource, in the form that the contract
/// describes.
struct CollectionResponder: Sendable {
  let collection: ContractCollection
  let kind: ResourceHandler.Operation
  /// The index of the operation.
  let index: Int
  /// The options of the resource.
  let options: ResourceOptions
  let content: Contract.Content
  /// The ids that are made from their schema.
  ///
  /// `nil` if a rule makes them, or the client.
  let sampledIDs: SampledIDs?
  /// The responses that are not those of the resource.
  let responder: ContractResponder

  private var operation: ContractOperation { content.operations[index] }

  private var envelopes: (request: [String], response: [String]) {
    collection.itemEnvelopes[index] ?? ([], [])
  }

  /// The media type of the body around an item or a list, if the document has one.
  private var envelope: (media: ContractMedia, response: ContractResponse)? {
    guard !(kind == .list ? collection.envelope : envelopes.response).isEmpty,
      let response = operation.successfulResponse?.response,
      let media = response.content.first(where: \.isJSON)
    else { return nil }
    return (media, response)
  }

  /// Returns whether ``prepare(_:)`` takes long, because the body around an item or a list has yet to be
  /// made.
  func needsPreparation(for request: ReceivedRequest) -> Bool {
    !responder.hasEnvelope && envelope != nil
  }

  /// Does the parts of a response that need no resource.
  func prepare(_ request: ReceivedRequest) {
    _ = responder.problem(of: request)
    if let envelope { _ = responder.envelope(envelope.media, of: envelope.response) }
  }

  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - resource: The response of the resource to a request.
  /// - Returns: The response.
  func respond(
    to request: ReceivedRequest, _ resource: (_ request: ReceivedRequest) -> Mock
  ) -> Mock {
    if let problem = responder.problem(of: request) { return problem }
    let preferences = RequestPreferences(request)
    // The client asks for a response of the document.
    guard preferences.status == nil, preferences.example == nil, preferences.problem == nil else {
      return responder.respond(to: request)
    }
    let mock = resource(prepared(request))
    if kind == .read, mock.status == 404,
      let id = request.path.text.split(separator: "/").last, Self.aliases.contains(String(id))
    {
      return responder.respond(to: request)
    }
    switch mock.status {
    case 200...299: return success(mock, request)
    case 400...: return failure(mock)
    default: return mock
    }
  }

  /// The texts in place of an id that name the item of the client, such as in `/users/me`.
  private static let aliases: Set<String> = ["me", "self", "current"]

  /// Returns a request in the form that a resource expects.
  private func prepared(_ request: ReceivedRequest) -> ReceivedRequest {
    switch kind {
    case .list: filtered(request)
    case .create, .replace, .patch: writable(request)
    case .read, .delete: request
    }
  }

  /// Returns a request with the item without its envelope and the members that only responses have, in
  /// JSON if it is a form.
  ///
  /// A client should not send them, but a request with them is valid.
  ///
  /// Source: OpenAPI 3.0.4, Schema Object, `readOnly`.
  private func writable(_ request: ReceivedRequest) -> ReceivedRequest {
    let form = RequestChecker(contract: content, operation: operation).form(request)
    let json = form ?? request.json
    let enveloped = json[at: envelopes.request]
    guard case .dictionary(var members) = enveloped.isNull ? json : enveloped else {
      return request
    }
    let id = members[options.key]
    for name in options.readOnly + collection.hidden + [options.key] { members[name] = nil }
    let hasClientIDs = options.ids == .client && sampledIDs == nil
    // Programs send the number 0 or an empty text for an id that they do not know.
    if hasClientIDs || kind == .create && collection.acceptsIDs(content) && id != 0 && id != "" {
      members[options.key] = id
    }
    if kind == .create, let sampledIDs, members[options.key] == nil {
      members[options.key] = sampledIDs.next()
    }
    guard form != nil || members != json.dictionary else { return request }
    guard let body = try? JSON.dictionary(members).data() else { return request }
    var request = request
    if form != nil { request.headers["Content-Type"] = "application/json" }
    request.body = body
    return request
  }

  /// Returns a request without the parameters that are not those of the list and name no member, because
  /// a resource takes them for filters.
  private func filtered(_ request: ReceivedRequest) -> ReceivedRequest {
    guard let target = RequestTarget(request.target), let query = target.query else {
      return request
    }
    let names = options.parameters.all
    let members = content.program.memberSchemas(of: collection.itemSchema)
    let kept = query.split(separator: "&").filter { part in
      let name = part.prefix { $0 != "=" }
      let decoded = PercentEncoding.decode(name, plusIsSpace: true) ?? String(name)
      return names.contains(decoded) || members[decoded] != nil
    }
    let text = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    var request = request
    request.target = target.path + text
    return request
  }

  // MARK: Success

  private func success(_ mock: Mock, _ request: ReceivedRequest) -> Mock {
    guard let (status, response) = operation.successfulResponse else { return mock }
    guard let media = response.content.first(where: \.isJSON) else {
      return responder.headers(
        of: response, Mock(status: status, headers: mock.headers.withoutBody), request)
    }
    guard case .data(let data) = mock.body, !data.isEmpty, let value = try? JSON(parsing: data)
    else {
      // The resource has no body for this response, such as that of a DELETE.
      return responder.respond(to: request)
    }
    var body = item(value, without: hiddenMembers)
    let schema = content.program.schema(at: envelopes.response, in: media.schema)
    if kind == .list {
      body = list(value, mock, media, response, request)
    } else if isItem(body, schema) {
      body = completed(body, schema)
      if !envelopes.response.isEmpty {
        var whole = responder.envelope(media, of: response)
        whole[at: envelopes.response] = body
        body = whole
      }
    } else {
      var result = responder.respond(to: request)
      // A response of another kind still leads to the new item.
      if let location = mock.headers["Location"] { result.headers["Location"] = location }
      return result
    }
    var result = mock
    result.status = status
    result.headers["Content-Type"] = media.text
    if let text = try? body.data() { result.body = .data(text) }
    for header in response.headers where Self.totalFields.contains(header.name.lowercased()) {
      result.headers[header.name] = mock.headers["X-Total-Count"]
    }
    return responder.headers(of: response, result, request)
  }

  /// The members that are only in requests, or stored beside the items.
  private var hiddenMembers: Set<String> {
    content.program.members(of: collection.itemSchema, with: .writeOnly).union(collection.hidden)
  }

  /// Returns an item without some members.
  private func item(_ item: JSON, without names: Set<String>) -> JSON {
    guard case .dictionary(let members) = item, !names.isEmpty else { return item }
    return .dictionary(members.filter { !names.contains($0.key) })
  }

  /// Returns whether a schema is that of items, and not of another object such as a message about a change.
  private func isItem(_ item: JSON, _ schema: Int?) -> Bool {
    guard let schema, let members = item.dictionary else { return true }
    let names = content.program.memberSchemas(of: schema)
    return names.isEmpty || members.isEmpty || members.keys.contains { names[$0] != nil }
  }

  /// Returns an item with the members that a response requires and the item does not have.
  private func completed(_ item: JSON, _ schema: Int?) -> JSON {
    guard let schema, case .dictionary(let members) = item else { return item }
    let missing = content.program.requiredMembers(of: schema).subtracting(members.keys)
    guard !missing.isEmpty, let sample = responder.sample(schema, seed: 0).value.dictionary else {
      return item
    }
    return .dictionary(sample.filter { missing.contains($0.key) }.merging(members) { $1 })
  }

  // MARK: Lists

  private static let totals = ["total", "total_count", "totalCount", "totalItems", "total_items"]
  private static let totalFields: Set<String> = ["x-total", "x-total-count", "total-count"]
  private static let counts = ["count", "size"]
  private static let pageCounts = [
    "total_pages", "totalPages", "page_count", "pageCount", "last_page", "lastPage",
  ]
  private static let cursors = [
    "next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next", "cursor",
  ]
  private static let nextPages = ["next_page", "nextPage"]
  private static let continuations = ["has_more", "hasMore", "has_next", "hasNext"]

  /// Returns the body of a list: an array, or an object with the items and what its names tell.
  private func list(
    _ items: JSON, _ mock: Mock, _ media: ContractMedia, _ response: ContractResponse,
    _ request: ReceivedRequest
  ) -> JSON {
    let hidden = hiddenMembers
    let items = JSON.array(
      (items.array ?? []).map { completed(item($0, without: hidden), collection.itemSchema) })
    guard !collection.envelope.isEmpty else { return items }
    var body = responder.envelope(media, of: response)
    body[at: collection.envelope] = items
    for depth in collection.envelope.indices {
      let path = collection.envelope.prefix(depth)
      guard let schema = content.program.schema(at: path, in: media.schema) else { continue }
      body[at: path] = .dictionary(
        described(body[at: path].dictionary ?? [:], schema, items.array?.count ?? 0, mock, request))
    }
    return body
  }

  /// Returns an object around a list, with the numbers and cursors that the names of its members tell.
  private func described(
    _ object: [String: JSON], _ schema: Int, _ count: Int, _ mock: Mock, _ request: ReceivedRequest
  ) -> [String: JSON] {
    let members = content.program.memberSchemas(of: schema)
    let total = mock.headers["X-Total-Count"].flatMap { Int($0) } ?? 0
    let next = mock.headers["X-Next-Cursor"]
    let hasNext = next != nil || mock.headers["Link"]?.contains("rel=\"next\"") == true
    let required = content.program.requiredMembers(of: schema)
    var body = object
    for member in Set(members.keys).union(object.keys) {
      let types = members[member].map { content.program.types(of: $0) } ?? []
      if types.isEmpty || types.contains(.integer) {
        if Self.totals.contains(member) { body[member] = .int(total) }
        if Self.counts.contains(member) { body[member] = .int(count) }
        if Self.pageCounts.contains(member) { body[member] = .int(pageCount(of: total, request)) }
      }
      if Self.continuations.contains(member) { body[member] = .bool(hasNext) }
      if Self.cursors.contains(member) { body[member] = next.map { .string($0) } }
      if let number = position(member, members, request) { body[member] = .int(number) }
      if Self.nextPages.contains(member), case .dictionary(let page)? = body[member] {
        // The last page has none.
        let last: JSON? =
          types.contains(.null) ? .null : required.contains(member) ? .dictionary(page) : nil
        body[member] = hasNext ? nextPage(page, count, request) : last
      }
    }
    for member in Self.cursors where body[member] == nil && required.contains(member) {
      // The last page has no cursor.
      let isNullable = members[member].map { content.program.types(of: $0).contains(.null) } ?? true
      body[member] = isNullable ? .null : ""
    }
    return body
  }

  /// Returns the object that leads to the next page, with the offset or the number of the page.
  private func nextPage(_ page: [String: JSON], _ count: Int, _ request: ReceivedRequest) -> JSON {
    let names = options.parameters
    let isOffset = page[names.offset] != nil
    let name = isOffset ? names.offset : names.page
    let next =
      isOffset ? (number(name, request) ?? 0) + count : (number(name, request) ?? 1) + 1
    let path = request.path.text
    let query =
      request.query.items.filter { $0.name != name }.map { ($0.name, $0.value) } + [
        (name, "\(next)")
      ]
    let target =
      path + "?"
      + query.map { [$0, $1].map(PercentEncoding.form.encoded).joined(separator: "=") }
      .joined(separator: "&")
    var result = page
    if case .int? = page[name] { result[name] = .int(next) }
    if case .string? = page[name] { result[name] = .string("\(next)") }
    if page["path"] != nil { result["path"] = .string(target) }
    for member in ["uri", "url", "href"] where page[member] != nil {
      let host = request.headers["Host"] ?? "127.0.0.1"
      result[member] = .string("\(request.scheme)://\(host)\(target)")
    }
    return .dictionary(result)
  }

  /// Returns the value of a member of a list that has the page, the offset or the limit of the request.
  ///
  /// A parameter that the request does not have has its default.
  private func position(
    _ member: String, _ members: [String: Int], _ request: ReceivedRequest
  ) -> Int? {
    if let number = request.query[member].flatMap({ Int($0) }) { return number }
    let isNumber = members[member].map { content.program.types(of: $0).contains(.integer) }
    guard isNumber == true, !Self.counts.contains(member) else { return nil }
    let names = options.parameters
    if ContractCollection.pages.contains(member) { return number(names.page, request) ?? 1 }
    if ContractCollection.offsets.contains(member) { return number(names.offset, request) ?? 0 }
    guard ContractCollection.limits.contains(member) else { return nil }
    return number(names.limit, request) ?? options.pageSize
  }

  /// Returns the number of pages for a number of items, at least 1.
  private func pageCount(of total: Int, _ request: ReceivedRequest) -> Int {
    let limit = number(options.parameters.limit, request) ?? options.pageSize ?? .max
    let size = max(min(limit, options.maximumPageSize ?? .max), 1)
    return max((total - 1) / size + 1, 1)
  }

  /// Returns the value of a parameter of a request, or its default.
  private func number(_ name: String, _ request: ReceivedRequest) -> Int? {
    request.query[name].flatMap { Int($0) } ?? collection.defaultNumber(of: name, content)
  }

  // MARK: Failures

  /// Returns the response of the document for the status of a failure.
  private func failure(_ mock: Mock) -> Mock {
    guard case .data(let data) = mock.body, let problem = try? JSON(parsing: data) else {
      return mock
    }
    let errors = problem["errors"].array ?? []
    var result = responder.problem(mock.status, problem["detail"].string ?? "", errors: errors)
    for field in mock.headers where field.name.lowercased() != "content-type" {
      result.headers[field.name] = field.value
    }
    return result
  }
}

/// Ids that are made from their schema.
final class SampledIDs: Sendable {
  private let schema: Int
  private let content: Contract.Content
  private let seed: UInt64
  /// The limit for the work of one id, because a new item needs its id on the thread of the server.
  static let maximumWork = 100_000
  private let work = Mutex(0)
  /// The number of ids that were made, and the ids of all items.
  private let state: Mutex<(count: UInt64, known: Set<JSON>)>
  /// The number of attempts to make an id that no item has.
  private static let attemptCount = 50

  init(_ schema: Int, of content: Contract.Content, seed: UInt64, known: [JSON]) {
    self.schema = schema
    self.content = content
    self.seed = seed
    state = Mutex((0, Set(known)))
  }

  /// The steps and bytes of all ids that have been made.
  var workCount: Int { work.withLock { $0 } }

  /// Returns another id.
  ///
  /// Its schema may have few values, so that an item with this id may exist.
  func next() -> JSON {
    var (id, steps) = (JSON.null, 0)
    for _ in 0..<Self.attemptCount where steps < Self.maximumWork {
      let number = state.withLock { state in
        state.count += 1
        return state.count
      }
      // The initial items have the first seeds.
      id =
        SchemaSampler.sample(
          schema, of: content, seed: seed &+ 1_000_000 &+ number, usesExamples: false,
          maximumWork: Self.maximumWork - steps, counting: &steps
        ).value
      if state.withLock({ $0.known.insert(id).inserted }) { break }
    }
    work.withLock { $0 += steps }
    return id
  }
}

extension HTTPHeaders {
  /// The fields that do not describe a body.
  fileprivate var withoutBody: HTTPHeaders {
    HTTPHeaders(fields.filter { $0.name.lowercased() != "content-type" })
  }
}
