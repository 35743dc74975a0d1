import CatenaSystem
import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources
@testable import MockingStubs

/// Requests to the admin API read and change scenarios, variables, resources and settings.
@Suite(.gated)
struct AdminStateTests {
  private static let cart = Scenario("cart")

  private func admin() -> AdminFixture {
    AdminFixture([
      Route(.get, "/cart", .text("filled")).when(Self.cart, is: "filled"),
      Route(.get, "/cart", .text("empty")).when(Self.cart, is: "started"),
      Route(.post, "/cart", .status(201)).then(Self.cart, setTo: "filled"),
      Route(.get, "/me", .template { request, _ in .json(request.variables["user"] ?? .null) }),
    ])
  }

  @Test func aScenarioIsListedAndSet() async {
    let admin = admin()
    let listed = admin.send(.get, "scenarios").json["scenarios"]
    #expect(
      listed == [
        ["name": "cart", "state": "started", "states": ["filled", "started"], "variables": [:]]
      ])
    let set = admin.send(.put, "scenarios/cart", #"{"state": "filled"}"#)
    #expect(set.json["state"] == "filled")
    #expect(await admin.transport.send(.get, "/cart").text == "filled")
    #expect(admin.send(.delete, "scenarios/cart").status == 204)
    #expect(await admin.transport.send(.get, "/cart").text == "empty")
    #expect(admin.send(.delete, "scenarios/none").status == 404)
    #expect(admin.send(.put, "scenarios/new%2Fname", "{}").json["state"] == "started")
    #expect(
      admin.send(.get, "scenarios").json["scenarios"].array?.map { $0["name"] } == [
        "cart", "new/name",
      ])
    #expect(admin.send(.put, "scenarios/cart", #"{"state": 1}"#).json["pointer"] == "/state")
  }

  @Test func variablesAreSetAndRemoved() async {
    let admin = admin()
    let body = #"{"variables": {"user": {"name": "ada", "password": "s3cret"}, "n": 1}}"#
    #expect(admin.send(.put, "scenarios/cart", body).json["state"] == "started")
    let variables = admin.send(.get, "variables")
    #expect(variables.json["variables"]["user"]["name"] == "ada")
    #expect(!variables.text.contains("s3cret"))
    #expect(await admin.transport.send(.get, "/me").json["password"] == "s3cret")
    let changed = admin.send(
      .patch, "variables", #"{"user": {"name": "bob", "password": "***"}, "n": null}"#)
    #expect(changed.json["variables"]["n"] == .null)
    #expect(changed.json["variables"].dictionary?.keys.contains("n") == false)
    #expect(await admin.transport.send(.get, "/me").json == ["name": "bob", "password": "s3cret"])
  }

  @Test func theItemsOfAResourceAreReplacedAndReset() async throws {
    let admin = try AdminFixture(
      stubs: #"""
        {"routes": [{"resource": "/users/{user}/carts", "required": ["total"],
          "data": [{"id": 1, "userId": 7, "total": 3, "pin": "482913"}]}]}
        """#)
    let name = "resources/users%2F%7Buser%7D%2Fcarts"
    let items = admin.send(.get, name)
    #expect(items.json[0]["total"] == 3)
    #expect(!items.text.contains("482913"))
    let replaced = admin.send(
      .put, name,
      #"[{"id": 2, "userId": 7, "total": 1}, {"id": 1, "userId": 7, "total": 4, "pin": "***"}]"#)
    #expect(replaced.status == 200, "\(replaced.text)")
    #expect(await admin.transport.send(.get, "/users/7/carts/1").json["pin"] == "482913")
    #expect(await admin.transport.send(.get, "/users/7/carts/2").json["total"] == 1)
    let refused = admin.send(.put, name, #"[{"id": 5, "total": 1}, {"id": 6}]"#)
    #expect(refused.status == 409)
    #expect(refused.json["pointer"] == "/1")
    #expect(admin.send(.put, name, "[1]").status == 422)
    #expect(admin.send(.delete, name).status == 204)
    #expect(admin.send(.get, name).json.array?.count == 1)
    #expect(admin.send(.get, "resources/none").status == 404)
  }

  @Test func aSnapshotRestoresItemsStatesAndVariables() async throws {
    let admin = try AdminFixture(
      stubs: #"{"routes": [{"resource": "/carts", "data": [{"id": 1}]}]}"#)
    _ = admin.send(.put, "scenarios/s", #"{"state": "a", "variables": {"n": 1}}"#)
    let taken = admin.send(.post, "snapshots")
    #expect(taken.status == 201)
    #expect(taken.json["id"] == 1)
    _ = await admin.transport.send(.delete, "/carts/1")
    _ = admin.send(.put, "scenarios/s", #"{"state": "b", "variables": {"n": 2}}"#)
    #expect(admin.send(.post, "snapshots/1/restore").status == 204)
    #expect(await admin.transport.send(.get, "/carts/1").status == 200)
    #expect(admin.send(.get, "scenarios").json["scenarios"][0]["state"] == "a")
    #expect(admin.send(.get, "variables").json["variables"] == ["n": 1])
    #expect(admin.send(.get, "snapshots").json["snapshots"].array?.map { $0["id"] } == [1])
    #expect(admin.send(.delete, "snapshots/1").status == 204)
    #expect(admin.send(.delete, "snapshots/1").status == 404)
    #expect(admin.send(.post, "snapshots/1/restore").status == 404)
  }

  @Test func theOldestSnapshotsAreDropped() {
    let admin = admin()
    for _ in 0..<60 { _ = admin.send(.post, "snapshots") }
    let ids = admin.send(.get, "snapshots").json["snapshots"].array?.map { $0["id"] } ?? []
    #expect(ids.count == 50)
    #expect(ids.first == 11)
  }

  @Test func aFaultOfAllStubsIsSwitchedOnAndOff() async {
    let admin = admin()
    let set = admin.send(.patch, "settings", #"{"fault": "reset", "delay": "0 ms"}"#)
    #expect(set.json == ["fault": "reset", "delay": "0 ms", "faultChance": .null])
    #expect(await admin.transport.send(.get, "/cart").status == 0)
    _ = admin.send(.patch, "settings", #"{"faultChance": 0}"#)
    #expect(await admin.transport.send(.get, "/cart").status == 200)
    let cleared = admin.send(.patch, "settings", #"{"fault": null, "faultChance": null}"#)
    #expect(cleared.json["delay"] == "0 ms")
    #expect(admin.send(.patch, "settings", #"{"faultChance": 2}"#).status == 422)
    #expect(admin.send(.patch, "settings", #"{"delay": "soon"}"#).json["pointer"] == "/delay")
  }

  @Test func aResetAppliesToTheNamedParts() async {
    let admin = admin()
    func change() async {
      _ = await admin.transport.send(.post, "/cart")
      _ = admin.send(.patch, "settings", #"{"delay": "0 ms"}"#)
    }
    await change()
    #expect(admin.send(.post, "reset", #"{"requests": true, "settings": false}"#).status == 204)
    #expect(admin.send(.get, "requests").json["requests"] == [])
    #expect(admin.send(.get, "settings").json["delay"] == "0 ms")
    #expect(admin.transport.scenarios[Self.cart] == "filled")
    await change()
    #expect(admin.send(.post, "reset").status == 204)
    #expect(admin.send(.get, "requests").json["requests"] == [])
    #expect(admin.send(.get, "settings").json["delay"] == .null)
    #expect(admin.transport.scenarios[Self.cart] == "started")
    #expect(admin.send(.post, "reset", #"{"all": true}"#).status == 422)
    #expect(admin.send(.post, "reset", #"{"stubs": 1}"#).status == 422)
  }

  @Test func theStatusAndTheWarningsAreThoseOfTheFiles() throws {
    let folder = TemporaryFolder()
    let scheduler = TestScheduler()
    let store = ResourceStore(scheduler: scheduler)
    let resource = Resource("/a", in: store)
    let file = folder.url("data.json")
    try store.open(file)
    let admin = AdminFixture(resource.routes())
    admin.api.setWarnings(["api.yaml: /b keeps no changes"])
    let info = admin.send(.get, "info").json
    #expect(info["status"] == "ok" && info["warnings"] == ["api.yaml: /b keeps no changes"])
    // A folder in place of the file, because root may write into every folder.
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(
      at: file.appending(path: "folder"), withIntermediateDirectories: true)
    try resource.insert([:])
    #expect(throws: ResourceError.self) { try store.flush() }
    let failed = admin.send(.get, "info").json
    #expect(failed["status"] == "unsaved")
    #expect(failed["data"][0]["failure"].string?.contains("cannot be written") == true)
    try FileManager.default.removeItem(at: file)
    try store.flush()
    #expect(admin.send(.get, "info").json["status"] == "ok")
  }

  @Test func theServerIsShutDownOnlyByItsInstance() {
    let calls = Mutex(0)
    var options = AdminAPI.Options()
    options.onShutdown = { calls.withLock { $0 += 1 } }
    let admin = AdminFixture(options: options)
    #expect(admin.send(.post, "shutdown", #"{"instance": "other"}"#).status == 409)
    #expect(admin.send(.post, "shutdown").status == 400)
    let instance = admin.send(.get, "info").json["instance"].string ?? ""
    let request = ReceivedRequest.admin(
      .post, "/__mock/shutdown",
      ["Host": "localhost", "Content-Type": "application/json"],
      body: Data(#"{"instance": "\#(instance)"}"#.utf8))
    let response = admin.api.response(to: request)
    #expect(response.mock.status == 202)
    #expect(calls.withLock { $0 } == 0)
    response.atEnd?()
    #expect(calls.withLock { $0 } == 1)
    #expect(
      AdminFixture().send(.post, "shutdown", #"{"instance": "\#(instance)"}"#).status == 409)
  }
}
