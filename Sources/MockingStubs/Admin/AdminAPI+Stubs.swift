import CatenaSystem
import Foundation
import Mocking
import MockingDocuments
import MockingResources
import Networking

extension AdminAPI {
  /// The maximum number of routes that a backend can have after a request adds some.
  private static let maximumRoutes = 20_000

  static let stubOperations = [
    AdminOperation(.get, "stubs", query: ["limit", "offset"]) { try $0.listStubs($1) },
    AdminOperation(.post, "stubs", query: ["check"], body: .required) { try $0.addStubs($1) },
    AdminOperation(.get, "stubs/{id}") { .json(try $0.record(of: RouteID(rawValue: $1["id"]))) },
    AdminOperation(.put, "stubs/{id}", body: .required) { try $0.replaceStub($1) },
    AdminOperation(.patch, "stubs/{id}", body: .required) { try $0.changeStub($1) },
    AdminOperation(.delete, "stubs/{id}") { try $0.removeStub($1) },
  ]

  // MARK: Reading

  private func listStubs(_ call: AdminCall) throws -> ReservedPathResponse {
    let limit = try call.number("limit", 1...10_000) ?? 10_000
    let offset = try call.number("offset", 0...Int.max) ?? 0
    let entries = backend.routes.all
    let page = entries.dropFirst(offset).prefix(limit)
    return .json([
      "stubs": .array(page.map { record($0) }), "total": .int(entries.count),
    ])
  }

  /// Returns the properties of a stub.
  private func record(of id: RouteID) throws -> JSON {
    record(try stub(id))
  }

  func record(_ entry: MockRoutes.Entry) -> JSON {
    let origin = changes.withLock { changes in
      changes.added.contains(entry.id)
        ? "added" : changes.replaced[entry.id] != nil ? "changed" : "initial"
    }
    return entry.record(backend.routes.adjustment(of: entry), origin: origin)
  }

  private func stub(_ id: RouteID) throws -> MockRoutes.Entry {
    guard let entry = backend.routes[id] else { throw AdminProblem.missing("stub", id.rawValue) }
    return entry
  }

  // MARK: Changing

  private func addStubs(_ call: AdminCall) throws -> ReservedPathResponse {
    guard let body = call.body else { return .noContent }
    var values = [body]
    if body.json.dictionary?["routes"] != nil {
      let object = try body.object(["routes"], "a stub, or an object with a member \"routes\"")
      values = try object.required("routes", "an array").elements("an array of routes")
    }
    let store = ResourceStore()
    var routes: [Route] = []
    for value in values {
      try Self.checkID(of: value)
      routes += try parse(value, in: store, text: call.request.body).map(\.route)
    }
    if try call.flag("check") == true {
      try Self.check(routes)
      return .noContent
    }
    let ids = try add(routes)
    let stubs = try ids.map { try record(of: $0) }
    var response = ReservedPathResponse.json(["stubs": .array(stubs)], status: 201)
    if ids.count == 1 { response.mock.headers["Location"] = Self.location(of: ids[0]) }
    return response
  }

  /// Checks that an identifier can be a segment of a path.
  private static func checkID(of value: StubValue) throws(JSONDocumentError) {
    guard case .string(let id)? = value.json.dictionary?["id"] else { return }
    let isValid =
      (1...100).contains(id.utf8.count) && id.utf8.first != UInt8(ascii: ".")
      && id.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
    guard !isValid else { return }
    throw JSONDocumentError(
      path: value.path.appending(.member("id")),
      text: "expected an identifier of letters, digits, \"-\", \"_\" and \".\", such as \"login\"")
  }

  /// Adds routes before all others with the same priority.
  func add(_ routes: [Route]) throws -> [RouteID] {
    try Self.check(routes)
    guard backend.routes.count + routes.count <= Self.maximumRoutes else {
      throw AdminProblem(409, "there are at most \(Self.maximumRoutes) stubs")
    }
    let ids = try backend.routes.add(routes, at: .first)
    changes.withLock { $0.added.formUnion(ids) }
    events.publish("stubs")
    return ids
  }

  static func location(of id: RouteID) -> String {
    "\(path)stubs/\(PercentEncoding.url.encoded(id.rawValue))"
  }

  private func replaceStub(_ call: AdminCall) throws -> ReservedPathResponse {
    let id = RouteID(rawValue: call["id"])
    let entry = try stub(id)
    guard let body = call.body else { return .noContent }
    let route = try route(body, replacing: entry, text: call.request.body)
    try replace(entry, with: route)
    return .json(try record(of: id))
  }

  /// Parses the new definition of a route.
  private func route(
    _ value: StubValue, replacing entry: MockRoutes.Entry, text: Data
  ) throws -> Route {
    var value = value
    if let definition = entry.route.definition {
      value = StubValue(
        json: AdminMask.restored(
          value.json, from: definition, maskedAs: AdminMask.definition(definition)),
        path: value.path)
    }
    if let name = value.json.dictionary?["id"]?.string, name != entry.id.rawValue {
      throw AdminProblem(409, "the member \"id\" differs from the id in the path")
    }
    guard !value.isResource else {
      throw JSONDocumentError(
        path: value.path.appending(.member("resource")), refersToName: true,
        text: "a stub cannot be replaced by a resource; remove it, and add the resource")
    }
    let route = try parse(value, in: ResourceStore(), text: text)[0].route
    try Self.check([route])
    return route
  }

  /// Replaces a route, and keeps its delay and its fault.
  private func replace(_ entry: MockRoutes.Entry, with route: Route) throws {
    let adjustment = backend.routes.adjustment(of: entry)
    try backend.routes.replace(entry.id, with: route)
    backend.routes.adjust(entry, by: ResponseAdjustment())
    if let new = backend.routes[entry.id] { backend.routes.adjust(new, by: adjustment) }
    changes.withLock { changes in
      guard !changes.added.contains(entry.id), changes.replaced[entry.id] == nil else { return }
      changes.replaced[entry.id] = entry.route
    }
    events.publish("stubs")
  }

  private func changeStub(_ call: AdminCall) throws -> ReservedPathResponse {
    let id = RouteID(rawValue: call["id"])
    let entry = try stub(id)
    let object = try call.object(
      ["enabled", "delay", "fault", "definition"],
      "an object such as {\"enabled\": false} or {\"delay\": \"2 s\"}")
    // All members are parsed before the first change.
    let isEnabled = try object["enabled"].map { value throws(JSONDocumentError) in
      guard let flag = value.json.bool else { throw value.expected("true or false") }
      return flag
    }
    var adjustment = backend.routes.adjustment(of: entry)
    try adjustment.change(by: object)
    let route = try object["definition"].map { value in
      try self.route(value, replacing: entry, text: call.request.body)
    }
    backend.routes.adjust(entry, by: adjustment)
    if let route { try replace(entry, with: route) }
    if let isEnabled { try backend.routes.setEnabled(id, isEnabled) }
    events.publish("stubs")
    return .json(try record(of: id))
  }

  private func removeStub(_ call: AdminCall) throws -> ReservedPathResponse {
    let id = RouteID(rawValue: call["id"])
    let entry = try stub(id)
    guard backend.routes.remove(id) else { throw AdminProblem.missing("stub", id.rawValue) }
    backend.routes.adjust(entry, by: ResponseAdjustment())
    changes.withLock { changes in
      if changes.added.remove(id) == nil { changes.removed.append(entry) }
    }
    events.publish("stubs")
    return .noContent
  }

  // MARK: Resetting

  /// Restores the stubs as they were before the requests to the API.
  func resetStubs() throws {
    let (added, replaced, removed) = changes.withLock { changes in
      defer { (changes.added, changes.replaced, changes.removed) = ([], [:], []) }
      return (changes.added, changes.replaced, changes.removed)
    }
    for id in added { backend.routes.remove(id) }
    for entry in removed { try backend.routes.restore(entry) }
    for (id, route) in replaced where backend.routes[id] != nil {
      try backend.routes.replace(id, with: route)
    }
    for entry in backend.routes.all {
      backend.routes.adjust(entry, by: ResponseAdjustment())
      if !entry.isEnabled { try backend.routes.setEnabled(entry.id, true) }
    }
    events.publish("stubs")
  }

  // MARK: Reading files again

  /// A route of a file, by which it is recognized when the file is read again.
  struct FileRoute: Hashable {
    let id: RouteID?
    let method: HTTPMethod?
    let template: String
    let definition: JSON?
    /// The number of equal routes before it.
    var index = 0

    init(_ route: Route) {
      (id, method) = (route.id, route.method)
      (template, definition) = (route.template, route.definition)
    }
  }

  /// The changes of a route of a file by requests.
  struct FileChange {
    var isRemoved = false
    var replacement: Route?
    var isEnabled = true
    var adjustment = ResponseAdjustment()

    /// Whether the route is unchanged.
    var isEmpty: Bool {
      !isRemoved && replacement == nil && isEnabled && adjustment.isEmpty
    }
  }

  /// Returns the changes of routes that requests have not added.
  func fileChanges() -> [FileRoute: FileChange] {
    let (added, replaced, removed) = changes.withLock { ($0.added, $0.replaced, $0.removed) }
    let present = backend.routes.all.filter { !added.contains($0.id) }
    let removedIDs = Set(removed.map(\.id))
    var found: [FileRoute: FileChange] = [:]
    for (route, entry) in Self.identified(present + removed, { replaced[$0.id] ?? $0.route }) {
      let change =
        removedIDs.contains(entry.id)
        ? FileChange(isRemoved: true)
        : FileChange(
          replacement: replaced[entry.id] == nil ? nil : entry.route, isEnabled: entry.isEnabled,
          adjustment: backend.routes.adjustment(of: entry))
      if !change.isEmpty { found[route] = change }
    }
    return found
  }

  /// Applies changes to the routes that have been read again.
  ///
  /// - Returns: The number of changed routes.
  func apply(_ fileChanges: [FileRoute: FileChange]) -> Int {
    guard !fileChanges.isEmpty else { return 0 }
    let added = changes.withLock { $0.added }
    let present = backend.routes.all.filter { !added.contains($0.id) }
    var count = 0
    for (route, entry) in Self.identified(present, \.route) {
      guard let change = fileChanges[route] else { continue }
      count += 1
      if change.isRemoved {
        backend.routes.remove(entry.id)
        changes.withLock { $0.removed.append(entry) }
        continue
      }
      // A route that has been removed at this moment is not changed.
      if let replacement = change.replacement,
        (try? backend.routes.replace(entry.id, with: replacement)) != nil
      {
        changes.withLock { $0.replaced[entry.id] = entry.route }
      }
      guard let current = backend.routes[entry.id] else { continue }
      backend.routes.adjust(current, by: change.adjustment)
      if !change.isEnabled { try? backend.routes.setEnabled(entry.id, false) }
    }
    return count
  }

  /// Returns entries in the order of the file, each with the identity of its route.
  private static func identified(
    _ entries: [MockRoutes.Entry], _ original: (MockRoutes.Entry) -> Route
  ) -> [(FileRoute, MockRoutes.Entry)] {
    var counts: [FileRoute: Int] = [:]
    return entries.sorted { $0.position < $1.position }.map { entry in
      var route = FileRoute(original(entry))
      let index = counts[route, default: 0]
      counts[route] = index + 1
      route.index = index
      return (route, entry)
    }
  }

  // MARK: Parsing

  /// Parses a definition in the format of stub files.
  ///
  /// - Parameters:
  ///   - value: The definition.
  ///   - store: The store for the items of a resource.
  ///   - text: The text that contains the definition, for the order of members.
  /// - Returns: The stubs: one, or those of a resource.
  /// - Throws: `JSONDocumentError`.
  func parse(
    _ value: StubValue, in store: ResourceStore, text: Data
  ) throws(JSONDocumentError) -> [Stub] {
    let number = changes.withLock { changes in
      changes.parsedCount += 1
      return changes.parsedCount
    }
    let folder = options.folder ?? Self.missingFolder
    do throws(JSONDocumentError) {
      guard !value.isResource else {
        return try value.resource(in: folder, defaults: nil, to: store, text: text)
      }
      let stub = try value.stub(
        in: folder, defaults: nil, at: .init(file: "admin API", line: number, column: 1))
      return [stub.with(definition: value.json)]
    } catch {
      guard options.folder == nil,
        error.text.hasPrefix("there is no file") || error.text.hasPrefix("there is no folder")
      else { throw error }
      throw JSONDocumentError(
        path: error.path, text: "the admin API has no folder for files; use \"text\" or \"json\"")
    }
  }

  /// A folder in which no file exists.
  private static let missingFolder = URL(fileURLWithPath: "/dev/null/", isDirectory: true)
}

extension ResponseAdjustment {
  /// Applies a merge patch with the members `delay`, `fault` and `faultChance`.
  ///
  /// - Throws: `JSONDocumentError`. The adjustment is then unchanged.
  mutating func change(by patch: StubObject) throws(JSONDocumentError) {
    var new = self
    if let value = patch["delay"] {
      new.delay = value.json == .null ? nil : Setting(try value.delay(), json: value.json)
    }
    if let value = patch["fault"] {
      switch value.json {
      case .null: new.fault = nil
      case "none": new.fault = Setting(nil, json: value.json)
      default: new.fault = Setting(try value.interruption(), json: value.json)
      }
    }
    if let value = patch["faultChance"] {
      new.faultChance = value.json == .null ? nil : try value.chance()
    }
    self = new
  }
}
