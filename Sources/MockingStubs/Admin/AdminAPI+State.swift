import CatenaSystem
import Foundation
import Mocking
import MockingRecordings
import MockingResources
import Networking

/// The items of all resources, the states of all scenarios and the variables at one time.
struct AdminSnapshot: Sendable {
  let id: Int
  let date: Date
  let scenarios: ScenarioSnapshot
  /// The stores with their items.
  let stores: [(store: ResourceStore, items: ResourceSnapshot)]

  /// The properties for the admin API.
  var record: JSON { ["id": .int(id), "time": .string(HAR.Entry.timestamp(date))] }
}

extension AdminAPI {
  static let stateOperations = [
    AdminOperation(.get, "scenarios") { admin, _ in .json(admin.scenarioList) },
    AdminOperation(.put, "scenarios/{name}", body: .required) { try $0.setScenario($1) },
    AdminOperation(.delete, "scenarios/{name}") { try $0.restartScenario($1) },
    AdminOperation(.get, "variables") { admin, _ in .json(admin.variableList) },
    AdminOperation(.patch, "variables", body: .required) { try $0.changeVariables($1) },
    AdminOperation(.get, "resources") { admin, _ in .json(admin.resourceList) },
    AdminOperation(.get, "resources/{name}") { .json(try $0.items($1)) },
    AdminOperation(.put, "resources/{name}", body: .required) { try $0.replaceItems($1) },
    AdminOperation(.delete, "resources/{name}") { try $0.resetItems($1) },
    AdminOperation(.get, "snapshots") { admin, _ in
      .json(["snapshots": .array(admin.changes.withLock { $0.snapshots }.map(\.record))])
    },
    AdminOperation(.post, "snapshots") { admin, _ in admin.takeSnapshot() },
    AdminOperation(.post, "snapshots/{id}/restore") { try $0.restoreSnapshot($1) },
    AdminOperation(.delete, "snapshots/{id}") { try $0.removeSnapshot($1) },
    AdminOperation(.get, "settings") { admin, _ in .json(try admin.settings()) },
    AdminOperation(.patch, "settings", body: .required) { try $0.changeSettings($1) },
    AdminOperation(.post, "reset", body: .optional) { try $0.reset($1) },
  ]

  // MARK: Scenarios

  /// The maximum number of scenarios and of variables that requests can add.
  private static let maximumNames = 1_000

  /// The scenarios of the routes, and those whose states have been set, with their known states.
  private var knownScenarios: [(scenario: Scenario, states: Set<String>)] {
    var known: [Scenario: Set<String>] = [:]
    for entry in backend.routes.all {
      for step in entry.route.transition.requiredStates + entry.route.transition.nextStates {
        known[step.scenario, default: [step.scenario.initialState]].insert(step.state)
      }
    }
    for (scenario, state) in backend.scenarios.snapshot.states {
      known[scenario, default: [scenario.initialState]].insert(state)
    }
    return known.map { ($0.key, $0.value) }.sorted {
      ($0.scenario.name, $0.scenario.initialState) < ($1.scenario.name, $1.scenario.initialState)
    }
  }

  private var maskedVariables: JSON {
    AdminMask.json(.dictionary(backend.variables.values))
  }

  private var variableList: JSON { ["variables": maskedVariables] }

  private var scenarioList: JSON {
    let variables = maskedVariables
    return [
      "scenarios": .array(
        knownScenarios.map { record($0.scenario, $0.states, variables) }),
      "variables": variables,
    ]
  }

  private func record(_ scenario: Scenario, _ states: Set<String>, _ variables: JSON) -> JSON {
    [
      "name": .string(scenario.name), "state": .string(backend.scenarios[scenario]),
      "states": .array(states.sorted().map { .string($0) }), "variables": variables,
    ]
  }

  private func setScenario(_ call: AdminCall) throws -> ReservedPathResponse {
    let object = try call.object(
      ["state", "variables"], "an object such as {\"state\": \"created\"}")
    let state = try object["state"]?.string("the name of a state")
    let variables = try object["variables"]?.members("an object of variables") ?? []
    let known = knownScenarios
    let scenario = known.first { $0.scenario.name == call["name"] }?.scenario
    guard scenario != nil || known.count < Self.maximumNames else {
      throw AdminProblem(409, "there are at most \(Self.maximumNames) scenarios")
    }
    try set(variables)
    let changed = scenario ?? Scenario(call["name"])
    let states = backend.scenarios
    // A new scenario is listed from now on.
    if let state {
      states[changed] = state
    } else if scenario == nil {
      states[changed] = changed.initialState
    }
    events.publish("scenarios")
    let all = knownScenarios.first { $0.scenario == changed }?.states ?? []
    return .json(record(changed, all, maskedVariables))
  }

  private func restartScenario(_ call: AdminCall) throws -> ReservedPathResponse {
    let scenarios = knownScenarios.map(\.scenario).filter { $0.name == call["name"] }
    guard !scenarios.isEmpty else { throw AdminProblem.missing("scenario", call["name"]) }
    for scenario in scenarios { backend.scenarios.restart(scenario) }
    events.publish("scenarios")
    return .noContent
  }

  private func changeVariables(_ call: AdminCall) throws -> ReservedPathResponse {
    guard let body = call.body else { return .noContent }
    try set(try body.members("an object of variables, such as {\"user\": {\"id\": 7}}"))
    events.publish("scenarios")
    return .json(variableList)
  }

  /// Sets variables, and removes those whose value is `null`.
  private func set(_ variables: [(name: String, value: StubValue)]) throws {
    let current = backend.variables
    let old = current.values
    guard Set(old.keys).union(variables.map(\.name)).count <= Self.maximumNames else {
      throw AdminProblem(409, "there are at most \(Self.maximumNames) variables")
    }
    for (name, value) in variables {
      let json = old[name].map { AdminMask.restored([name: value.json], from: [name: $0])[name] }
      let new = json ?? value.json
      current[name] = new == .null ? JSON?.none : new
    }
  }

  // MARK: Resources

  private var resources: [StoredResource] { backend.stores.flatMap(\.storedResources) }

  private var resourceList: JSON {
    [
      "resources": .array(
        resources.map {
          [
            "name": .string($0.name), "path": .string($0.path),
            "count": .int($0.count),
          ]
        })
    ]
  }

  private func resource(_ call: AdminCall) throws(AdminProblem) -> StoredResource {
    let name = String(call["name"].drop { $0 == "/" })
    guard let resource = resources.first(where: { $0.name == name }) else {
      var problem = AdminProblem.missing("resource", call["name"])
      let names = resources.prefix(20).map(\.name).joined(separator: ", ")
      problem.detail += names.isEmpty ? "; there are none" : "; there are: \(names)"
      throw problem
    }
    return resource
  }

  private func items(_ call: AdminCall) throws -> JSON {
    AdminMask.json(.array(try resource(call).items))
  }

  private func replaceItems(_ call: AdminCall) throws -> ReservedPathResponse {
    guard let body = call.body else { return .noContent }
    for item in try body.elements("an array of items") {
      guard case .dictionary = item.json else { throw item.expected("an object") }
    }
    let resource = try resource(call)
    guard case .array(let new) = body.json else { return .noContent }
    // Items are compared with those of the same id, because their order may have changed.
    let items = new.map { item in
      resource.item(like: item).map { AdminMask.restored(item, from: $0) } ?? item
    }
    do throws(ResourceStore.InvalidItem) {
      try resource.replaceItems(items)
    } catch {
      var problem = AdminProblem(409, error.reason)
      problem.pointer = "/\(error.index)"
      throw problem
    }
    events.publish("resources")
    return .json(try self.items(call))
  }

  private func resetItems(_ call: AdminCall) throws -> ReservedPathResponse {
    try resource(call).reset()
    events.publish("resources")
    return .noContent
  }

  // MARK: Snapshots

  /// The maximum number of snapshots, beyond which the oldest one is dropped.
  private static let maximumSnapshots = 50

  private func takeSnapshot() -> ReservedPathResponse {
    let scenarios = backend.scenarios.snapshot
    let stores = backend.stores.map { (store: $0, items: $0.snapshot()) }
    let snapshot = changes.withLock { changes in
      changes.snapshotCount += 1
      let snapshot = AdminSnapshot(
        id: changes.snapshotCount, date: Date(), scenarios: scenarios, stores: stores)
      changes.snapshots.append(snapshot)
      if changes.snapshots.count > Self.maximumSnapshots { changes.snapshots.removeFirst() }
      return snapshot
    }
    return .json(snapshot.record, status: 201)
  }

  private func restoreSnapshot(_ call: AdminCall) throws -> ReservedPathResponse {
    let id = call.number(ofPath: "id")
    guard let snapshot = changes.withLock({ $0.snapshots.first { $0.id == id } }) else {
      throw AdminProblem.missing("snapshot", call["id"])
    }
    backend.scenarios.restore(snapshot.scenarios)
    for (store, items) in snapshot.stores { store.restore(items) }
    events.publish("scenarios")
    events.publish("resources")
    return .noContent
  }

  private func removeSnapshot(_ call: AdminCall) throws -> ReservedPathResponse {
    let id = call.number(ofPath: "id")
    let isRemoved = changes.withLock { changes in
      guard let index = changes.snapshots.firstIndex(where: { $0.id == id }) else { return false }
      changes.snapshots.remove(at: index)
      return true
    }
    guard isRemoved else { throw AdminProblem.missing("snapshot", call["id"]) }
    return .noContent
  }

  // MARK: Settings

  private func settings() throws -> JSON {
    let all = try backend.routes.adjustment()
    return [
      "delay": all.delay?.json ?? .null, "fault": all.fault?.json ?? .null,
      "faultChance": all.faultChance.map { .double($0) } ?? .null,
    ]
  }

  private func changeSettings(_ call: AdminCall) throws -> ReservedPathResponse {
    let object = try call.object(
      ["delay", "fault", "faultChance"], "an object such as {\"delay\": \"2 s\"}")
    var all = try backend.routes.adjustment()
    try all.change(by: object)
    try backend.routes.adjust(by: all)
    events.publish("settings")
    return .json(try settings())
  }

  private func reset(_ call: AdminCall) throws -> ReservedPathResponse {
    let names = ["stubs", "requests", "scenarios", "resources", "settings"]
    let object = try call.object(names, "an object such as {\"requests\": true}")
    var wanted: Set<String> = []
    for (name, value) in object.members {
      guard let flag = value.json.bool else { throw value.expected("true or false") }
      if flag { wanted.insert(name) }
    }
    if object.members.isEmpty { wanted = Set(names) }
    if wanted.contains("stubs") { try resetStubs() }
    if wanted.contains("requests") { backend.journal.reset() }
    if wanted.contains("scenarios") { backend.scenarios.reset() }
    if wanted.contains("resources") { for store in backend.stores { store.reset() } }
    if wanted.contains("settings") {
      try? backend.routes.adjust(by: ResponseAdjustment())
    }
    events.publish("reset")
    return .noContent
  }
}

extension StoredResource {
  /// The path without the slash at its beginning.
  fileprivate var name: String { String(path.drop { $0 == "/" }) }
}
