import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// Requests to the admin API list, add, change and remove stubs.
@Suite(.gated)
struct AdminStubTests {
  @Test func anAddedStubRespondsBeforeTheOthers() async {
    let admin = AdminFixture()
    let added = admin.send(
      .post, "stubs", #"{"method": "GET", "path": "/boards", "json": [1], "id": "mine"}"#)
    #expect(added.status == 201)
    #expect(added.headers["Location"] == "/__mock/stubs/mine")
    #expect(added.json["stubs"][0]["definition"]["json"] == [1])
    #expect(await admin.transport.send(.get, "/boards").text == "[1]")
    let list = admin.send(.get, "stubs")
    #expect(list.json["stubs"].array?.map { $0["id"] } == ["mine", "boards"])
    #expect(list.json["stubs"].array?.map { $0["hits"] } == [1, 0])
    #expect(list.json["total"] == 2)
    #expect(admin.send(.get, "stubs?limit=1&offset=1").json["stubs"][0]["id"] == "boards")
    #expect(admin.send(.delete, "stubs/mine").status == 204)
    #expect(admin.send(.delete, "stubs/mine").status == 404)
    #expect(await admin.transport.send(.get, "/boards").text == "[]")
  }

  @Test func severalStubsAreAddedInTheirOrderOrNotAtAll() async {
    let admin = AdminFixture()
    let added = admin.send(
      .post, "stubs", #"{"routes": [{"path": "/a", "text": "1"}, {"path": "/a", "text": "2"}]}"#)
    #expect(added.status == 201)
    #expect(!added.headers.contains("Location"))
    #expect(await admin.transport.send(.get, "/a").text == "1")
    let refused = admin.send(
      .post, "stubs", #"{"routes": [{"path": "/b"}, {"path": "/c", "id": "boards"}]}"#)
    #expect(refused.status == 409)
    #expect(admin.send(.get, "stubs").json["total"] == 3)
  }

  @Test func stubsAreCheckedWithoutBeingAdded() {
    let admin = AdminFixture()
    #expect(admin.send(.post, "stubs?check=true", #"{"path": "/new"}"#).status == 204)
    let refused = admin.send(.post, "stubs?check=true", #"{"path": "/new", "staus": 1}"#)
    #expect(refused.status == 422 && refused.json["pointer"] == "/staus")
    #expect(admin.send(.post, "stubs?check=true", #"{"path": "/__mock/a"}"#).status == 409)
    #expect(admin.send(.get, "stubs").json["total"] == 1)
  }

  @Test func expressionsOfTemplatesAreNotMasked() throws {
    let admin = try AdminFixture(
      stubs: #"""
        {"routes": [
          {"id": "a", "path": "/a", "json": {"token": "{{ variables.token }}", "password": "s3cretvalue9",
            "apiKey": "{{ variables.key | default(\"s3cretvalue9\") }}"},
            "headers": {"Authorization": "Bearer {{ variables.token }}"}},
          {"id": "b", "path": "/b", "template": false, "json": {"token": "{{ s3cretvalue9 }}"}}]}
        """#)
    let answer = admin.send(.get, "stubs/a")
    let definition = answer.json["definition"]
    #expect(definition["json"]["token"] == "{{ variables.token }}")
    #expect(definition["headers"]["Authorization"] == "Bearer {{ variables.token }}")
    #expect(definition["json"]["apiKey"].string?.hasPrefix("{{ variables.key | default(") == true)
    #expect(!answer.text.contains("s3cretvalue9"))
    #expect(!admin.send(.get, "stubs/b").text.contains("s3cretvalue9"))
    // A value that is sent back unchanged keeps its secret.
    let text = (try? definition.data()).map { String(decoding: $0, as: UTF8.self) }
    #expect(admin.send(.put, "stubs/a", text).status == 200)
    let route = admin.transport.routes["a"]?.route
    #expect(route?.definition?["json"]["password"] == "s3cretvalue9")
    #expect(route?.definition?["json"]["apiKey"].string?.contains("s3cretvalue9") == true)
  }

  @Test func theRoutesOfAResourceHaveItsPath() throws {
    let admin = AdminFixture()
    _ = admin.send(.post, "stubs", #"{"resource": "/carts", "data": []}"#)
    let stubs = admin.send(.get, "stubs").json["stubs"].array ?? []
    #expect(stubs.count { $0["resource"] == "/carts" } == 6)
    #expect(stubs.count { $0["resource"] == .null } == 1)
  }

  @Test func aResourceIsAddedWithAllItsRoutes() async {
    let admin = AdminFixture()
    let added = admin.send(.post, "stubs", #"{"resource": "/carts", "data": [{"id": 1}]}"#)
    #expect(added.status == 201)
    #expect(added.json["stubs"].array?.allSatisfy { $0["definition"] == .null } == true)
    #expect(await admin.transport.send(.get, "/carts/1").status == 200)
    #expect(
      admin.send(.get, "resources").json["resources"]
        == [["name": "carts", "path": "/carts", "count": 1]])
  }

  @Test(arguments: [
    (#"{"path": "/a", "status": 99}"#, 422, 1, 26, "/status"),
    ("{\n \"path\": \"/a\",\n \"delay\": \"soon\"}", 422, 3, 11, "/delay"),
    (#"{"routes": [{"path": "/a"}, {"path": "a/*"}]}"#, 422, 1, 38, "/routes/1/path"),
    (#"{"path": "/a", "colour": "red"}"#, 422, 1, 16, "/colour"),
    (#"{"path": "/a", "file": "a.json"}"#, 422, 1, 24, "/file"),
    (#"{"path": "/a", "id": "../b"}"#, 422, 1, 22, "/id"),
    (#"{"path": "/{{"#, 400, 1, 14, nil),
  ])
  func anInvalidStubIsRefusedWithItsPlace(
    body: String, status: Int, line: Int, column: Int, pointer: String?
  ) {
    let admin = AdminFixture()
    let refused = admin.send(.post, "stubs", body)
    #expect(refused.status == status, "\(refused.text)")
    #expect(refused.headers["Content-Type"] == "application/problem+json")
    #expect(refused.json["line"] == .int(line), "\(refused.text)")
    #expect(refused.json["column"] == .int(column), "\(refused.text)")
    #expect(refused.json["pointer"].string == pointer)
    #expect(admin.send(.get, "stubs").json["total"] == 1)
  }

  @Test func aStubIsReplacedAtItsPlace() async {
    let admin = AdminFixture([
      Route(.get, "/a", .text("first")).id("x"), Route(.get, "/a", .text("second")),
    ])
    #expect(admin.send(.put, "stubs/x", #"{"path": "/a", "text": "new"}"#).status == 200)
    #expect(await admin.transport.send(.get, "/a").text == "new")
    #expect(admin.send(.put, "stubs/none", #"{"path": "/a"}"#).status == 404)
    #expect(admin.send(.put, "stubs/x", #"{"path": "/a", "id": "y"}"#).status == 409)
    #expect(admin.send(.put, "stubs/x", #"{"resource": "/a"}"#).status == 422)
    #expect(await admin.transport.send(.get, "/a").text == "new")
  }

  @Test func aStubIsTurnedOffAndOnAgain() async {
    let admin = AdminFixture([
      Route(.get, "/a", .text("first")).id("x"), Route(.get, "/a", .text("second")),
    ])
    #expect(admin.send(.patch, "stubs/x", #"{"enabled": false}"#).json["enabled"] == false)
    #expect(await admin.transport.send(.get, "/a").text == "second")
    #expect(admin.send(.get, "stubs").json["stubs"][0]["id"] == "x")
    #expect(admin.send(.put, "stubs/x", #"{"path": "/a", "text": "new"}"#).json["enabled"] == false)
    #expect(admin.send(.patch, "stubs/x", #"{"enabled": true}"#).json["enabled"] == true)
    #expect(await admin.transport.send(.get, "/a").text == "new")
  }

  @Test func aFaultIsSwitchedOnAndOff() async {
    let admin = AdminFixture([Route(.get, "/a", .text("first")).id("x")])
    let change = admin.send(
      .patch, "stubs/x", #"{"fault": {"type": "reset"}}"#, type: "application/merge-patch+json")
    #expect(change.json["fault"] == ["type": "reset"])
    #expect(await admin.transport.send(.get, "/a").status == 0)
    #expect(admin.send(.patch, "stubs/x", #"{"fault": null}"#).json["fault"] == .null)
    #expect(await admin.transport.send(.get, "/a").text == "first")
  }

  @Test func allMembersOfAChangeAreCheckedBeforeTheFirstOne() {
    let admin = AdminFixture([Route(.get, "/a", .text("first")).id("x")])
    for body in [
      #"{"enabled": false, "delay": 7}"#, #"{"enabled": false, "definition": {"path": 1}}"#,
      #"{"delay": "1 s", "enabled": "no"}"#, #"{"delay": "1 s", "id": "y"}"#,
    ] {
      #expect(admin.send(.patch, "stubs/x", body).status == 422, "\(body)")
    }
    let stub = admin.send(.get, "stubs/x").json
    #expect(stub["enabled"] == true)
    #expect(stub["delay"] == .null)
  }

  @Test func aMaskedDefinitionThatIsSentBackKeepsItsSecrets() async throws {
    let admin = try AdminFixture(
      stubs: #"""
        {"routes": [{"id": "x", "path": "/a", "text": "in",
          "when": {"headers": {"Authorization": "Bearer s3cret-token"}}}]}
        """#)
    let stub = admin.send(.get, "stubs/x")
    #expect(!stub.text.contains("s3cret"))
    #expect(stub.json["source"]["line"] == 1)
    var definition = stub.json["definition"]
    definition["text"] = "changed"
    let body = String(decoding: try definition.data(), as: UTF8.self)
    #expect(admin.send(.put, "stubs/x", body).status == 200)
    let headers: HTTPHeaders = ["Authorization": "Bearer s3cret-token"]
    #expect(await admin.transport.send(.get, "/a", nil, headers).text == "changed")
    #expect(await admin.transport.send(.get, "/a", nil, ["Authorization": "***"]).status == 0)
  }

  @Test func aResetRestoresTheFirstStubs() async {
    let admin = AdminFixture([
      Route(.get, "/a", .text("a")).id("a"), Route(.get, "/b", .text("b")).id("b"),
      Route(.get, "/c", .text("c")).id("c"),
    ])
    _ = admin.send(.post, "stubs", #"{"path": "/a", "text": "added"}"#)
    _ = admin.send(.put, "stubs/a", #"{"path": "/a", "text": "replaced"}"#)
    _ = admin.send(.delete, "stubs/b")
    _ = admin.send(.patch, "stubs/c", #"{"enabled": false, "delay": "1 s"}"#)
    #expect(admin.send(.post, "reset", #"{"stubs": true}"#).status == 204)
    for name in ["a", "b", "c"] {
      #expect(await admin.transport.send(.get, "/\(name)").text == name)
    }
    let ids = admin.send(.get, "stubs").json["stubs"].array?.map { $0["id"] }
    #expect(ids == ["a", "b", "c"])
  }

  @Test func newRoutesKeepThoseThatRequestsHaveAdded() async throws {
    let admin = AdminFixture()
    _ = admin.send(.post, "stubs", #"{"path": "/added", "text": "added", "id": "added"}"#)
    _ = admin.send(.patch, "stubs/added", #"{"fault": "none"}"#)
    _ = admin.send(.patch, "stubs/boards", #"{"delay": "1 s"}"#)
    #expect(try admin.api.replaceRoutes(with: [Route(.get, "/new", .text("new"))]) == 1)
    let stubs = admin.send(.get, "stubs").json["stubs"].array ?? []
    #expect(stubs.map { $0["path"] } == ["/added", "/new"])
    #expect(stubs.first?["fault"] == "none")
    #expect(await admin.transport.send(.get, "/added").text == "added")
    #expect(await admin.transport.send(.get, "/new").text == "new")
  }

  @Test func noRouteIsBelowThePathOfTheAPI() throws {
    let admin = AdminFixture()
    for path in ["/__mock/a", "/__mock", "/%5F_mock/{id}"] {
      #expect(admin.send(.post, "stubs", #"{"path": "\#(path)"}"#).status == 409, "\(path)")
      #expect(throws: MockServerError.reservedPath(path)) {
        try admin.api.replaceRoutes(with: [Route(.get, path, .text(""))])
      }
    }
    #expect(admin.send(.post, "stubs", #"{"path": "/{path*}"}"#).status == 201)
  }

  @Test func adjustmentsOfARouteTakePrecedenceOverThoseOfAll() {
    let adjustments = ResponseAdjustments()
    let reset = Mock.Interruption(fault: .reset, stage: .request)
    let close = Mock.Interruption(fault: .close, stage: .end)
    adjustments.all.delay = .init(.seconds(1), json: "1 s")
    adjustments.all.fault = .init(reset, json: "reset")
    adjustments.all.faultChance = 0.5
    adjustments[7].delay = .init(.seconds(2), json: "2 s")
    adjustments[8].fault = .init(close, json: .null)
    func adjusted(_ route: Int?) -> Mock {
      var mock = Mock.text("a").delayed(by: .seconds(9))
      adjustments.apply(to: &mock, of: route)
      return mock
    }
    #expect(adjusted(1).delay == .seconds(1))
    #expect(adjusted(1).interruption?.fault == .reset)
    #expect(adjusted(1).interruption?.chance == 0.5)
    #expect(adjusted(7).delay == .seconds(2))
    #expect(adjusted(8).interruption == close)
    #expect(adjusted(nil).delay == .seconds(9))
    #expect(adjusted(nil).interruption == nil)
  }

  // MARK: Reading files again

  private static let file = #"""
    {"routes": [
      {"path": "/a", "text": "a"}, {"path": "/twice", "text": "same"},
      {"path": "/twice", "text": "same"}, {"path": "/b", "text": "b", "id": "b"},
      {"path": "/c", "text": "c"}, {"path": "/d", "text": "d"}
    ]}
    """#

  private func id(_ admin: AdminFixture, of path: String, at index: Int = 0) throws -> String {
    let stubs = admin.send(.get, "stubs").json["stubs"].array ?? []
    let found = stubs.filter { $0["path"].string == path }
    return try #require(found.indices.contains(index) ? found[index]["id"].string : nil)
  }

  @Test func changesOfTheStubsOfAFileStayUntilTheyAreReset() async throws {
    let folder = TemporaryFolder()
    let file = try folder.file("stubs.json", Self.file)
    let admin = AdminFixture(try StubFile(contentsOf: file).routes)
    let changed = admin.send(
      .put, "stubs/\(try id(admin, of: "/a"))", #"{"path": "/a", "text": "new"}"#)
    #expect(changed.json["origin"] == "changed")
    _ = admin.send(.delete, "stubs/\(try id(admin, of: "/twice"))")
    _ = admin.send(.delete, "stubs/b")
    _ = admin.send(.patch, "stubs/\(try id(admin, of: "/c"))", #"{"enabled": false}"#)
    _ = admin.send(.patch, "stubs/\(try id(admin, of: "/d"))", #"{"fault": "reset"}"#)
    func checkChanges() async throws {
      #expect(await admin.transport.send(.get, "/a").text == "new")
      #expect(await admin.transport.send(.get, "/twice").text == "same")
      #expect(await admin.transport.send(.get, "/b").status == 0)
      #expect(await admin.transport.send(.get, "/c").status == 0)
      #expect(await admin.transport.send(.get, "/d").status == 0)
      let a = admin.send(.get, "stubs/\(try id(admin, of: "/a"))").json
      #expect(a["origin"] == "changed")
    }
    try await checkChanges()
    for _ in 0..<2 {
      #expect(try admin.api.replaceRoutes(with: try StubFile(contentsOf: file).routes) == 5)
      try await checkChanges()
      #expect(admin.send(.get, "stubs").json["total"] == 4)
    }
    #expect(admin.send(.post, "reset", #"{"stubs": true}"#).status == 204)
    for (path, text) in [("/a", "a"), ("/twice", "same"), ("/b", "b"), ("/c", "c"), ("/d", "d")] {
      #expect(await admin.transport.send(.get, path).text == text)
    }
    #expect(admin.send(.get, "stubs").json["total"] == 6)
    #expect(try admin.api.replaceRoutes(with: try StubFile(contentsOf: file).routes) == 0)
  }

  @Test func aStubWhoseDefinitionInTheFileHasChangedIsThatOfTheFile() async throws {
    let folder = TemporaryFolder()
    let file = try folder.file("stubs.json", Self.file)
    let admin = AdminFixture(try StubFile(contentsOf: file).routes)
    _ = admin.send(.put, "stubs/\(try id(admin, of: "/a"))", #"{"path": "/a", "text": "new"}"#)
    _ = admin.send(.delete, "stubs/b")
    let text = Self.file.replacing("\"text\": \"a\"", with: "\"text\": \"edited\"")
    try Data(text.utf8).write(to: file)
    #expect(try admin.api.replaceRoutes(with: try StubFile(contentsOf: file).routes) == 1)
    #expect(await admin.transport.send(.get, "/a").text == "edited")
    #expect(await admin.transport.send(.get, "/b").status == 0)
  }
}
