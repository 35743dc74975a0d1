import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingResources
@testable import MockingStubs

@Suite(.gated)
struct ResourceRequestTests {
  private func carts(_ configure: (inout ResourceOptions) -> Void = { _ in }) throws
    -> MockTransport
  {
    try Resource(
      "/carts", data: [["id": 1, "color": "red"], ["id": 2, "color": "blue"]], configure
    )
    .transport
  }

  // MARK: Operations

  @Test func anItemIsCreatedReadChangedAndDeleted() async throws {
    let carts = try carts()
    let created = await carts.send(.post, "/carts", #"{"color":"green","size":2.50}"#)
    #expect(created.status == 201)
    #expect(created.headers["Location"] == "/carts/3")
    #expect(created.headers["Content-Type"] == "application/json")
    #expect(created.text == #"{"id":3,"color":"green","size":2.5}"#)

    let read = await carts.send(.get, "/carts/3")
    #expect(read.status == 200)
    #expect(read.text == created.text)
    #expect(read.headers["ETag"] == created.headers["ETag"])

    let replaced = await carts.send(.put, "/carts/3", #"{"color":"black"}"#)
    #expect(replaced.status == 200)
    #expect(replaced.text == #"{"id":3,"color":"black"}"#)

    let merged = await carts.send(.patch, "/carts/3", #"{"size":4,"color":null}"#)
    #expect(merged.text == #"{"id":3,"size":4}"#)

    let patched = await carts.send(
      .patch, "/carts/3", #"[{"op":"add","path":"/tags","value":["a"]}]"#,
      type: "application/json-patch+json")
    #expect(patched.text == #"{"id":3,"size":4,"tags":["a"]}"#)

    let deleted = await carts.send(.delete, "/carts/3")
    #expect(deleted.status == 204)
    #expect(deleted.text == "")
    #expect(await carts.send(.get, "/carts/3").status == 404)
    #expect(await carts.send(.get, "/carts").ids == [1, 2])
  }

  @Test func theNumberOfADeletedItemIsNotUsedAgain() async throws {
    let carts = try carts()
    _ = await carts.send(.delete, "/carts/2")
    #expect(await carts.send(.post, "/carts", "{}").json["id"] == 3)
  }

  @Test func membersKeepTheOrderInWhichTheyFirstOccurred() async throws {
    let resource = Resource("/a")
    let transport = resource.transport
    let body = #"{"z":1,"a":{"y":[{"x":1,"b":2}]},"\u006d":3}"#
    let created = await transport.send(.post, "/a", body)
    #expect(created.text == #"{"id":1,"z":1,"a":{"y":[{"x":1,"b":2}]},"m":3}"#)
  }

  @Test func numbersKeepTheirValues() async throws {
    let transport = Resource("/a").transport
    let body = #"{"big":123456789012345678901234567890,"max":9223372036854775807,"f":0.1,"g":1e-7}"#
    let created = await transport.send(.post, "/a", body)
    #expect(
      created.text
        == #"{"id":1,"big":123456789012345678901234567890,"max":9223372036854775807,"f":0.1,"g":1e-07}"#
    )
  }

  @Test func headHasTheFieldsOfGetWithoutABody() async throws {
    let carts = try carts()
    let (get, head) = (await carts.send(.get, "/carts"), await carts.send(.head, "/carts"))
    #expect(head.status == 200)
    #expect(head.headers["ETag"] == get.headers["ETag"])
    #expect(head.headers["X-Total-Count"] == "2")
    #expect(head.text == "")
  }

  @Test func aDisabledMethodIsNotAllowed() async throws {
    let carts = try carts { $0.methods = [.get, .post] }
    #expect(await carts.send(.delete, "/carts/1").status == 405)
    #expect(await carts.send(.put, "/carts", "{}").headers["Allow"] == "GET, HEAD, OPTIONS, POST")
  }

  @Test func aRouteBeforeTheResourceOverridesIt() async throws {
    let resource = try Resource("/carts", data: [["id": 1]])
    let transport = MockTransport(
      routes: [Route(.get, "/carts/{id}", .status(503)).times(1)]
        + resource.routes(defaults: Mock(headers: ["X-Shop": "1"])) { $0.where(.header("X-A")) })
    #expect(await transport.send(.get, "/carts/1").status == 503)
    #expect(await transport.send(.get, "/carts/1").status == 0)
    let response = await transport.send(.get, "/carts/1", nil, ["X-A": "b"])
    #expect(response.status == 200)
    #expect(response.headers["X-Shop"] == "1")
  }

  // MARK: Ids

  @Test(arguments: [
    (ResourceOptions.IDRule.counter, "^1$"),
    (.uuid, "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"),
    (.pattern("cart-{counter}"), "^cart-1$"), (.pattern("SHP-{counter:0000}"), "^SHP-0001$"),
  ])
  func aNewItemReceivesAnIDByTheRule(rule: ResourceOptions.IDRule, pattern: String) async throws {
    let resource = Resource("/a") { $0.ids = rule }
    let id = await resource.transport.send(.post, "/a", "{}").json["id"]
    let text = id.string ?? id.int.map(String.init) ?? ""
    #expect(try Regex(pattern).wholeMatch(in: text) != nil, "\(text)")
  }

  @Test func idsFromTheSameSeedAreEqual() async {
    func ids() async -> [JSON] {
      let resource = Resource("/a", in: ResourceStore(seed: 7)) { $0.ids = .uuid }
      let transport = resource.transport
      for _ in 0..<3 { _ = await transport.send(.post, "/a", "{}") }
      return await transport.send(.get, "/a").ids
    }
    let (first, second) = (await ids(), await ids())
    #expect(first == second)
    #expect(Set(first).count == 3)
  }

  @Test func aClientMayGiveTheID() async throws {
    let carts = try carts()
    #expect(
      await carts.send(.post, "/carts", #"{"id":"a/b ü"}"#).headers["Location"]
        == "/carts/a%2Fb%20%C3%BC")
    #expect(await carts.send(.get, "/carts/a%2Fb%20%C3%BC").json["id"] == "a/b ü")
    #expect(await carts.send(.post, "/carts", #"{"id":"1"}"#).status == 409)
    #expect(await carts.send(.post, "/carts", #"{"id":9}"#).status == 201)
    #expect(await carts.send(.post, "/carts", "{}").json["id"] == 10)
  }

  @Test func largeGivenIDsDoNotOverflowTheCounter() async throws {
    let carts = try carts()
    #expect(await carts.send(.post, "/carts", #"{"id":9223372036854775807}"#).status == 201)
    #expect(await carts.send(.post, "/carts", "{}").json["id"] == 3)
  }

  @Test func putCreatesAnItemWhereTheClientChoosesIDs() async throws {
    let transport = Resource("/a") { $0.ids = .client }.transport
    #expect(await transport.send(.post, "/a", "{}").pointers == ["#/id"])
    let created = await transport.send(.put, "/a/x", #"{"b":1}"#)
    #expect(created.status == 201)
    #expect(created.headers["Location"] == "/a/x")
    #expect(created.text == #"{"id":"x","b":1}"#)
    #expect(await transport.send(.put, "/a/x", #"{"b":2}"#).status == 200)
    #expect(await transport.send(.put, "/a/y", #"{"id":"z"}"#).pointers == ["#/id"])
    #expect(await transport.send(.put, "/a/y", "{}", ["If-Match": "*"]).status == 412)
    #expect(await transport.send(.put, "/a/x", "{}", ["If-None-Match": "*"]).status == 412)
    #expect(try await carts().send(.put, "/carts/7", "{}").status == 404)
  }

  // MARK: Errors

  @Test func allInvalidMembersAreListed() async throws {
    let transport = Resource("/users") {
      $0.required = ["email", "name"]
      $0.types = ["age": .integer, "email": .string, "tags": .array, "a/b": .boolean]
      $0.readOnly = ["total"]
    }.transport
    let response = await transport.send(
      .post, "/users", #"{"name":null,"email":5,"age":1.5,"tags":{},"a/b":"x","total":1}"#)
    #expect(response.status == 422)
    #expect(response.headers["Content-Type"] == "application/problem+json")
    #expect(
      response.pointers == ["#/total", "#/name", "#/a~1b", "#/age", "#/email", "#/tags"])
    #expect(
      response.text.hasPrefix(
        #"{"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"#))
    #expect(response.json["errors"][3] == ["detail": "must be an integer", "pointer": "#/age"])
    #expect(await transport.send(.get, "/users").ids == [])
    #expect(await transport.send(.post, "/users", #"{"name":"a","email":"b"}"#).json["id"] == 1)
  }

  @Test(arguments: [
    (HTTPMethod.get, "/carts/9", nil as String?, "application/json", 404),
    (.put, "/carts/9", "{}", "application/json", 404),
    (.patch, "/carts/9", "{}", "application/json", 404),
    (.delete, "/carts/9", nil, "application/json", 404),
    (.post, "/carts", "{", "application/json", 400),
    (.post, "/carts", "", "application/json", 400),
    (.post, "/carts", "null", "application/json", 422),
    (.post, "/carts", "[]", "application/json", 422),
    (.post, "/carts", "a=b", "application/x-www-form-urlencoded", 415),
    (.post, "/carts", #"{"id":true}"#, "application/json", 422),
    (.post, "/carts", #"{"id":""}"#, "application/json", 422),
    (.post, "/carts", #"{"id":1.5}"#, "application/json", 422),
    (.post, "/carts", #"{"id":1}"#, "application/json", 409),
    (.put, "/carts/1", #"{"id":2}"#, "application/json", 422),
    (.patch, "/carts/1", #"{"id":2}"#, "application/json", 422),
    (.patch, "/carts/1", "5", "application/merge-patch+json", 422),
    (.patch, "/carts/1", "{}", "text/plain", 415),
    (.patch, "/carts/1", "{}", "application/json-patch+json", 400),
    (.patch, "/carts/1", #"[{"op":"remove","path":"/x"}]"#, "application/json-patch+json", 422),
    (
      .patch, "/carts/1", #"[{"op":"test","path":"/color","value":1}]"#,
      "application/json-patch+json", 409
    ),
    (
      .patch, "/carts/1", #"[{"op":"replace","path":"","value":1}]"#, "application/json-patch+json",
      422
    ),
    (.get, "/carts?_page=0", nil, "application/json", 400),
    (.get, "/carts?_limit=x", nil, "application/json", 400),
    (.get, "/carts?_offset=-1", nil, "application/json", 400),
    (.get, "/carts?_cursor=!", nil, "application/json", 400),
    (.get, "/carts?_srot=id", nil, "application/json", 400),
  ])
  func aRefusedRequestHasProblemDetailsAndChangesNothing(
    method: HTTPMethod, target: String, body: String?, type: String, status: Int
  ) async throws {
    let carts = try carts()
    let before = await carts.send(.get, "/carts").text
    let response = await carts.send(method, target, body, type: type)
    #expect(response.status == status, "\(response.text)")
    #expect(response.json["status"] == .int(status))
    #expect(response.headers["Content-Type"] == "application/problem+json")
    #expect(await carts.send(.get, "/carts").text == before)
    #expect(await carts.send(.post, "/carts", "{}").json["id"] == 3)
  }

  @Test func copiesOfAPatchBeyondTheSizeOfAnItemAreRefused() async throws {
    let transport = Resource("/items") { $0.maximumItemBytes = 100_000 }.transport
    let big = String(repeating: "x", count: 60_000)
    #expect(await transport.send(.post, "/items", #"{"big":"\#(big)"}"#).status == 201)
    let copies = (0..<999).map { #"{"op":"copy","from":"/big","path":"/c\#($0)"}"# }
    let response = await transport.send(
      .patch, "/items/1", "[\(copies.joined(separator: ","))]",
      type: "application/json-patch+json")
    #expect(response.status == 413)
    #expect(response.json["detail"] == "operation 1: the copies have more than 100000 bytes")
    #expect(await transport.send(.get, "/items/1").json.dictionary?.count == 2)
  }

  @Test func anUnsupportedPatchNamesTheSupportedTypes() async throws {
    let response = try await carts().send(.patch, "/carts/1", "a", type: "text/plain")
    #expect(
      response.headers["Accept-Patch"]
        == "application/merge-patch+json, application/json-patch+json")
  }

  @Test func uniqueMembersAreUniqueAlsoAfterChanges() async throws {
    let transport = Resource("/users") { $0.unique = ["email"] }.transport
    #expect(await transport.send(.post, "/users", #"{"email":"a"}"#).status == 201)
    #expect(await transport.send(.post, "/users", #"{"email":null}"#).status == 201)
    #expect(await transport.send(.post, "/users", #"{"email":null}"#).status == 201)
    let conflict = await transport.send(.post, "/users", #"{"email":"a"}"#)
    #expect(conflict.status == 409)
    #expect(conflict.pointers == ["#/email"])
    #expect(await transport.send(.patch, "/users/2", #"{"email":"a"}"#).status == 409)
    #expect(await transport.send(.put, "/users/1", #"{"email":"a","b":1}"#).status == 200)
    #expect(await transport.send(.patch, "/users/1", #"{"email":"c"}"#).status == 200)
    #expect(await transport.send(.patch, "/users/2", #"{"email":"a"}"#).status == 200)
    _ = await transport.send(.delete, "/users/1")
    #expect(await transport.send(.post, "/users", #"{"email":"c"}"#).json["id"] == 4)
  }

  @Test func limitsOfItemsAndBytesAreKept() async throws {
    let carts = try carts {
      $0.maximumItems = 3
      $0.maximumItemBytes = 40
    }
    #expect(
      await carts.send(.post, "/carts", #"{"a":"\#(String(repeating: "x", count: 40))"}"#).status
        == 413)
    #expect(await carts.send(.patch, "/carts/1", #"{"abcdefgh":"01234567"}"#).status == 413)
    #expect(await carts.send(.post, "/carts", "{}").status == 201)
    #expect(await carts.send(.post, "/carts", "{}").status == 507)
    #expect(await carts.send(.get, "/carts").ids == [1, 2, 3])
  }

  // MARK: Read-only members and times

  @Test func readOnlyMembersKeepTheirValues() async throws {
    let resource = try Resource("/a", data: [["id": 1, "total": 5, "b": 1]]) {
      $0.readOnly = ["total"]
    }
    let transport = resource.transport
    #expect(await transport.send(.put, "/a/1", #"{"b":2}"#).json == ["id": 1, "total": 5, "b": 2])
    #expect(await transport.send(.put, "/a/1", #"{"b":3,"total":5}"#).status == 200)
    #expect(await transport.send(.patch, "/a/1", #"{"total":6}"#).pointers == ["#/total"])
    try resource.update(id: 1) { $0["total"] = 7 }
    #expect(await transport.send(.get, "/a/1").json["total"] == 7)
  }

  /// The kinds of ids: numbers, texts of numbers, and UUIDs.
  private static func kind(_ id: JSON) -> String {
    switch id {
    case .int(let number): "\(number)"
    case .string(let text): UUID(uuidString: text) == nil ? "\"\(text)\"" : "UUID"
    default: "\(id)"
    }
  }

  @Test(
    arguments: [
      ([], "1"), ([1, 7], "8"), (["7"], "\"8\""), (["7", "010"], "\"11\""),
      (["0b8f3e9c-64d7-4a55-9a3b-0c6e1d2f4a71"], "UUID"), (["cart-1", "x"], "UUID"),
      (["99999999999999999999"], "UUID"), ([7, "x"], "8"), ([.null, "7"], "\"9\""),
    ] as [([JSON], String)])
  func newIDsAreLikeThoseOfTheItems(ids: [JSON], expected: String) async throws {
    let items = ids.map { JSON.dictionary(["id": $0]) }
    let resource = try Resource("/a", data: items)
    let created = await resource.transport.send(.post, "/a", "{}")
    #expect(created.status == 201 && Self.kind(created.json["id"]) == expected, "\(created.text)")
    let text = String(decoding: try JSON.array(items).data(), as: UTF8.self)
    let folder = TemporaryFolder()
    let stubs = try StubFile(
      contentsOf: folder.file("a.json", #"{"routes": [{"resource": "/a", "data": \#(text)}]}"#))
    let other = await MockTransport(routes: stubs.routes).send(.post, "/a", "{}")
    #expect(Self.kind(other.json["id"]) == expected, "\(other.text)")
    // The kind is that of the items that have been removed, too.
    for item in resource.items {
      try resource.remove(id: try #require(ResourceItem.id(of: item["id"])))
    }
    let next = await resource.transport.send(.post, "/a", "{}").json["id"]
    #expect((next.string == nil) == (created.json["id"].string == nil))
  }

  @Test(arguments: [("string", "7"), ("integer", 7), (nil, 7)] as [(String?, JSON)])
  func theIDOfAParentInAPathHasTheTypeOfTheMember(type: String?, expected: JSON) async throws {
    let carts = Resource("/users/{user}/carts") {
      $0.types["userId"] = type.flatMap { ResourceOptions.MemberType(rawValue: $0) }
    }
    let created = await carts.transport.send(.post, "/users/7/carts", "{}")
    #expect(created.status == 201 && created.json["userId"] == expected)
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: A, version: "1"}
        paths:
          /users/{userId}/carts:
            parameters: [{name: userId, in: path, required: true, schema: {type: string}}]
            get: {responses: {"200": {description: A, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/A"}}}}}}}
            post: {requestBody: {content: {application/json: {schema: {type: object}}}}, responses: {"201": {description: A, content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}}}
          /users/{userId}/carts/{id}:
            parameters: [{name: userId, in: path, required: true, schema: {type: string}}, {name: id, in: path, required: true, schema: {type: integer}}]
            get: {responses: {"200": {description: A, content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}}}
        components: {schemas: {A: {type: object, required: [id], properties: {id: {type: integer}, userId: {type: \(type ?? "[string, integer]")}}}}}
        """)
    let stateful = await MockTransport(contract: contract, store: ResourceStore())
      .send(.post, "/users/7/carts", "{}")
    #expect(stateful.status == 201 && stateful.json["userId"] == expected, "\(stateful.text)")
  }

  private struct Typed<ID: Codable & Sendable>: Codable, Sendable {
    var id: ID?
    var title: String
  }

  private struct Number: Codable, Sendable, RawRepresentable { var rawValue: Int }

  /// Returns the status and the kind of the id of a new item, and of one that a PUT creates.
  private static func created<ID: Codable & Sendable>(_ type: ID.Type) async -> [String] {
    let resource = Resource<Typed<ID>>("/a") { $0.createsOnPut = true }
    let transport = resource.transport
    let refused = await transport.send(.post, "/a", "{}")
    let first = await transport.send(.post, "/a", #"{"title":"a"}"#)
    let second = await transport.send(.post, "/a", #"{"title":"b"}"#)
    let put = await Resource<Typed<ID>>("/a") { $0.createsOnPut = true }.transport
      .send(.put, "/a/12", #"{"title":"a"}"#)
    return ["\(refused.status) \(refused.pointers)"]
      + [first, second, put].map { response in "\(response.status) \(kind(response.json["id"]))" }
  }

  @Test func newIDsHaveTheTypeOfTheItems() async {
    let refused = ##"422 ["#/title"]"##
    #expect(await Self.created(Int.self) == [refused, "201 1", "201 2", "201 12"])
    #expect(await Self.created(Number.self) == [refused, "201 1", "201 2", "201 12"])
    #expect(await Self.created(String.self) == [refused, "201 UUID", "201 UUID", "201 \"12\""])
    #expect(await Self.created(UUID.self).prefix(3) == [refused, "201 UUID", "201 UUID"])
  }

  @Test func thePatternOfIDsContinuesAfterTheGreatestNumber() async throws {
    let data: [JSON] = [["id": "SHP-0009"], ["id": "SHP-12-x"], ["id": "other"]]
    let transport = try Resource("/a", data: data) { $0.ids = .pattern("SHP-{counter:0000}") }
      .transport
    #expect(await transport.send(.post, "/a", "{}").json["id"] == "SHP-0010")
    #expect(await transport.send(.post, "/a", #"{"id":"SHP-12345"}"#).status == 201)
    #expect(await transport.send(.post, "/a", "{}").json["id"] == "SHP-12346")
  }

  @Test(arguments: [
    ("a-{counter}", 7, "a-7"), ("{counter:000}/b", 7, "007/b"), ("{counter:00}", 123, "123"),
    ("{uuid}", 1, "u"), ("x{", 1, "x{1"), ("{other}-{counter:0a}", 2, "{other}-{counter:0a}2"),
  ])
  func aPatternMakesIDs(pattern: String, number: Int, id: String) {
    #expect(IDPattern(pattern).id(number) { "u" } == id)
  }

  @Test func aReadOnlyMemberCanHaveADefault() async throws {
    let transport = Resource("/a") {
      $0.readOnly = ["status"]
      $0.defaults = ["status": "open"]
    }.transport
    #expect(await transport.send(.post, "/a", "{}").json == ["id": 1, "status": "open"])
    #expect(await transport.send(.post, "/a", #"{"status":"paid"}"#).pointers == ["#/status"])
  }

  @Test func timesOfCreationAndOfTheLastChangeAreStored() async throws {
    let time = TestScheduler()
    let store = ResourceStore(wallClock: {
      Date(timeIntervalSince1970: 1_700_000_000 + time.now / .seconds(1))
    })
    let resource = Resource("/a", in: store) {
      $0.createdAt = "createdAt"
      $0.updatedAt = "updatedAt"
    }
    let transport = resource.transport
    let created = await transport.send(.post, "/a", #"{"createdAt":"x"}"#).json
    await time.advance(by: .seconds(90))
    let changed = await transport.send(.patch, "/a/1", #"{"createdAt":"y","b":1}"#).json
    #expect(created["createdAt"] == created["updatedAt"])
    #expect(changed["createdAt"] == created["createdAt"])
    #expect(created["createdAt"] == "2023-11-14T22:13:20.000Z")
    #expect(changed["updatedAt"] == "2023-11-14T22:14:50.000Z")
  }

  @Test func timesFollowTheVirtualTimeOfTheBackend() async throws {
    let time = TestScheduler()
    let resource = Resource("/a") { $0.createdAt = "at" }
    let transport = MockTransport(routes: resource.routes(), scheduler: time)
    await time.advance(by: .seconds(90))
    let created = await transport.send(.post, "/a", "{}").json
    #expect(created["at"] == "2025-01-01T00:01:30.000Z")
  }

  // MARK: Versions

  @Test func aChangeOfAnOlderVersionIsRefused() async throws {
    let carts = try carts()
    let tag = await carts.send(.get, "/carts/1").headers["ETag"] ?? ""
    #expect(await carts.send(.patch, "/carts/1", "{}", ["If-Match": "\"x\""]).status == 412)
    #expect(await carts.send(.patch, "/carts/1", "{}", ["If-Match": "W/\(tag)"]).status == 412)
    let changed = await carts.send(
      .patch, "/carts/1", #"{"color":"x"}"#, ["If-Match": "\"y\", \(tag)"])
    #expect(changed.status == 200)
    let refused = await carts.send(.delete, "/carts/1", nil, ["If-Match": tag])
    #expect(refused.status == 412)
    #expect(refused.headers["ETag"] == changed.headers["ETag"])
    #expect(await carts.send(.delete, "/carts/1", nil, ["If-Match": "*"]).status == 204)
  }

  @Test func anUnchangedItemOrListIsNotSentAgain() async throws {
    let carts = try carts()
    for target in ["/carts", "/carts/1"] {
      let tag = await carts.send(.get, target).headers["ETag"] ?? ""
      let unchanged = await carts.send(.get, target, nil, ["If-None-Match": "\"a\", W/\(tag)"])
      #expect(unchanged.status == 304)
      #expect(unchanged.text == "")
    }
    let tag = await carts.send(.get, "/carts").headers["ETag"] ?? ""
    _ = await carts.send(.patch, "/carts/2", #"{"color":"x"}"#)
    #expect(await carts.send(.get, "/carts", nil, ["If-None-Match": tag]).status == 200)
  }

  @Test func aRequiredVersionIsDemanded() async throws {
    let carts = try carts { $0.requiresIfMatch = true }
    for method in [HTTPMethod.put, .patch] {
      #expect(await carts.send(method, "/carts/1", "{}").status == 428)
    }
    #expect(await carts.send(.delete, "/carts/1").status == 428)
    #expect(await carts.send(.delete, "/carts/1", nil, ["If-Match": "*"]).status == 204)
  }
}
