import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

@Suite(.gated)
struct StubFileResourceTests {
  @Test func aResourceRespondsToAllRequests() async throws {
    let stubs = try StubFixture(
      #"""
      {"routes": [
        {"method": "GET", "path": "/carts/7", "status": 503},
        {"resource": "/users", "key": "name", "ids": "client", "data": [{"z": 1, "name": "ann", "a": 2}]},
        {"resource": "/users/{user}/carts", "foreignKeys": {"user": "owner"}, "ids": "c-{counter}",
         "nestedPaths": ["/carts"], "required": ["size"], "types": {"size": "integer"}, "unique": ["tag"],
         "readOnly": ["total"], "onParentDelete": "refuse", "requiresIfMatch": false, "pageSize": 2,
         "maximumPageSize": 5, "parameters": {"page": "page"}, "maximumItems": 2,
         "maximumItemBytes": 1000, "createsOnPut": true, "createdAt": "made", "updatedAt": "changed",
         "headers": {"X-Shop": "1"}, "priority": 2, "when": {"headers": {"X-A": true}}, "comment": 1},
        {"resource": "/tags", "data": "tags.json", "methods": ["GET"]}
      ]}
      """#)
    try Data(#"[{"id": 5, "y": 1, "x": 2}]"#.utf8).write(to: stubs.folder.url("tags.json"))
    let transport = try stubs.transport()
    #expect(await transport.send(.get, "/users/ann").text == #"{"z":1,"name":"ann","a":2}"#)
    #expect(await transport.send(.get, "/tags").text == #"[{"id":5,"y":1,"x":2}]"#)
    #expect(await transport.send(.delete, "/tags/5").status == 405)
    #expect(await transport.send(.get, "/carts/7").status == 503)
    let headers: HTTPHeaders = ["X-A": "1"]
    #expect(await transport.send(.get, "/carts/7", nil, headers).status == 404)
    let created = await transport.send(.post, "/users/ann/carts", #"{"size":1}"#, headers)
    #expect(created.status == 201)
    #expect(created.headers["X-Shop"] == "1")
    #expect(created.json["id"] == "c-1")
    #expect(created.json["owner"] == "ann")
    #expect(created.json["made"].string?.isEmpty == false)
    #expect(await transport.send(.get, "/carts?page=1", nil, headers).ids == ["c-1"])
    #expect(await transport.send(.put, "/carts/x", #"{"size":2}"#, headers).status == 201)
    #expect(await transport.send(.post, "/carts", #"{"size":1.5}"#, headers).pointers == ["#/size"])
    #expect(await transport.send(.post, "/carts", #"{"size":1,"total":1}"#, headers).status == 422)
    #expect(await transport.send(.post, "/users/ann/carts", #"{"size":1}"#, headers).status == 507)
    #expect(await transport.send(.delete, "/users/ann").status == 409)
  }

  @Test func aResourceIsListedInTheSummaries() throws {
    let stubs = try StubFixture(#"{"routes": [{"resource": "/a", "data": [{}, {}]}]}"#)
    let file = try StubFile(contentsOf: stubs.file)
    #expect(file.summaries.count == 6)
    #expect(file.summaries[0].path == "/a")
    #expect(file.summaries[0].response == "resource /a, 2 initial items")
    #expect(file.summaries[5].path == "/a/{id}")
  }

  @Test func theStoreOfAFileSurvivesARestartAndAReload() async throws {
    let stubs = try StubFixture(
      #"{"store": "data/shop.json", "routes": [{"resource": "/a", "data": [{}]}]}"#)
    _ = try StubFile(contentsOf: stubs.file, opensStore: false)
    #expect(stubs.folder.names == ["stubs.json"])
    let first = try stubs.transport()
    #expect(await first.send(.post, "/a", "{}").status == 201)
    let second = try stubs.transport()
    #expect(await second.send(.get, "/a").ids == [1, 2])
    #expect(
      FileManager.default.fileExists(
        atPath: stubs.folder.url("data").appending(path: "shop.json").path)
    )
  }

  @Test func filesThatIncludeEachOtherHaveOneStore() async throws {
    let stubs = try StubFixture(
      #"{"basePath": "/v1", "include": "more.json", "routes": [{"resource": "/users", "data": [{}]}]}"#
    )
    try Data(
      #"""
      {"store": "data.json", "routes": [
        {"resource": "/users/{user}/carts", "nestedPaths": ["/carts"], "data": [{"userId": 1}]}
      ]}
      """#.utf8
    ).write(to: stubs.folder.url("more.json"))
    let transport = try stubs.transport()
    #expect(await transport.send(.get, "/v1/users/1/carts").ids == [1])
    #expect(await transport.send(.get, "/v1/users/2/carts").status == 404)
    #expect(await transport.send(.delete, "/v1/users/1").status == 204)
    #expect(await transport.send(.get, "/v1/carts").ids == [])
    #expect(FileManager.default.fileExists(atPath: stubs.folder.url("data.json").path))
  }

  @Test func clientsAreIsolated() async throws {
    let stubs = try StubFixture(
      #"{"isolation": {"header": "X-Client", "maximumClients": 3}, "routes": [{"resource": "/a"}]}"#
    )
    let transport = try stubs.transport()
    _ = await transport.send(.post, "/a", "{}", ["X-Client": "b"])
    #expect(await transport.send(.get, "/a", nil, ["X-Client": "b"]).ids == [1])
    #expect(await transport.send(.get, "/a").ids == [])
    let cookies = try StubFixture(
      #"{"isolation": {"cookie": "c"}, "routes": [{"resource": "/a"}]}"#)
    #expect(
      try await cookies.transport().send(.get, "/a").headers["Set-Cookie"]?.hasPrefix("c=") == true)
  }

  private static let mistakes: [(text: String, message: String)] = [
    (
      #"{"routes": [{"resource": "/a", "dta": []}]}"#,
      #"1:32: routes[0].dta: unknown key "dta"; did you mean "data"?"#
    ),
    (
      #"{"routes": [{"resource": "http://a"}]}"#,
      #"1:26: routes[0].resource: expected a path, such as "/boards/{id}", found "http://a": it is a URL; write only its path, /"#
    ),
    (
      #"{"routes": [{"resource": "/a/{id}"}]}"#,
      #"1:26: routes[0].resource: expected the path of a list, such as "/carts" or "/users/{user}/carts", found "/a/{id}""#
    ),
    (
      #"{"routes": [{"resource": "/a"}, {"resource": "/a"}]}"#,
      #"1:46: routes[1].resource: another resource has the path "/a""#
    ),
    (
      #"{"routes": [{"resource": "/a", "data": [{"id": 1}, {"id": "1"}]}]}"#,
      #"1:52: routes[0].data[1]: the id "1" occurs twice"#
    ),
    (
      #"{"routes": [{"resource": "/a", "required": ["b"], "data": [{}]}]}"#,
      "1:60: routes[0].data[0]: the member b is required"
    ),
    (
      #"{"routes": [{"resource": "/a", "data": 5}]}"#,
      "1:40: routes[0].data: expected an array of items, one object, or the name of a file with one of "
        + "them, found 5"
    ),
    (
      #"{"routes": [{"resource": "/a", "data": "bad.json"}]}"#,
      "1:40: routes[0].data: bad.json:2:1: expected JSON: the file ends before the JSON is complete"
    ),
    (
      #"{"routes": [{"resource": "/a", "data": "number.json"}]}"#,
      "1:40: routes[0].data: number.json: expected an array of items, or one object"
    ),
    (
      #"{"routes": [{"resource": "/a", "ids": "uuid", "data": {}}]}"#,
      #"1:32: routes[0].ids: "ids" is for a list of items, and "data" is one object"#
    ),
    (
      #"{"routes": [{"resource": "/u/{u}/a", "data": {}}]}"#,
      #"1:26: routes[0].resource: expected a path without variables, because "data" is one object, found "/u/{u}/a""#
    ),
    (
      #"{"routes": [{"resource": "/a", "ids": "guid"}]}"#,
      #"1:39: routes[0].ids: expected "counter", "uuid", "client" or a pattern such as "cart-{counter}" or "SHP-{counter:0000}", found "guid""#
    ),
    (
      #"{"routes": [{"resource": "/a", "types": {"b": "int"}}]}"#,
      #"1:47: routes[0].types.b: expected one of "string", "number", "integer", "boolean", "array", "object", found "int""#
    ),
    (
      #"{"routes": [{"resource": "/a", "status": 200}]}"#,
      #"1:32: routes[0].status: unknown key "status""#
    ),
    (
      #"{"isolation": {}, "routes": []}"#,
      #"1:15: isolation: expected {"header": "X-Client"} or {"cookie": "client"}, found an object"#
    ),
    (#"{"store": 5, "routes": []}"#, "1:11: store: expected the name of a file"),
  ]

  @Test(arguments: mistakes)
  func anErrorIsReportedWithItsLocation(text: String, message: String) throws {
    let stubs = try StubFixture(text)
    try Data("[\n".utf8).write(to: stubs.folder.url("bad.json"))
    try Data("1".utf8).write(to: stubs.folder.url("number.json"))
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    let description = error?.description ?? ""
    #expect(description.contains("stubs.json:\(message)"), "\(description)")
  }

  @Test func theFilesOfTheItemsAreListed() throws {
    let stubs = try StubFixture(
      #"{"routes": [{"resource": "/tags", "data": "tags.json"}, {"path": "/a", "file": "a.txt"}]}"#)
    try Data("[]".utf8).write(to: stubs.folder.url("tags.json"))
    try Data("a".utf8).write(to: stubs.folder.url("a.txt"))
    let names = try StubFile(contentsOf: stubs.file).files.map(\.lastPathComponent)
    #expect(names == ["stubs.json", "tags.json"])
  }
}
