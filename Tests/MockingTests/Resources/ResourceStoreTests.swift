import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Mocking
@testable import MockingResources

@Suite(.gated)
struct ResourceStoreTests {
  // MARK: Nested resources

  private struct Shop {
    let store = ResourceStore()
    let users: Resource<JSON>
    let carts: Resource<JSON>
    let items: Resource<JSON>
    let transport: MockTransport

    init(_ configure: (inout ResourceOptions) -> Void = { _ in }) throws {
      users = try Resource("/users", data: [["id": 1], ["id": 2]], in: store)
      carts = try Resource(
        "/users/{user}/carts",
        data: [["id": 1, "userId": 1], ["id": 2, "userId": 2], ["id": 3, "userId": 1]], in: store
      ) { $0.nestedPaths = ["/carts"] }
      items = try Resource(
        "/users/{user}/carts/{cart}/items",
        data: [
          ["id": 1, "userId": 1, "cart": 1], ["id": 2, "userId": 2, "cart": 2],
          ["id": 3, "userId": 1, "cart": 3],
        ], in: store
      ) {
        $0.foreignKeys = ["cart": "cart"]
        configure(&$0)
      }
      transport = MockTransport(routes: users.routes() + carts.routes() + items.routes())
    }
  }

  @Test func aVariableMayHaveAColon() async throws {
    let store = ResourceStore()
    let users = try Resource("/users", data: [["id": 1], ["id": 2]], in: store)
    let posts = Resource("/users/:user/posts", in: store)
    let transport = MockTransport(routes: users.routes() + posts.routes())
    #expect(await transport.send(.post, "/users/1/posts", "{}").json == ["id": 1, "userId": 1])
    #expect(await transport.send(.get, "/users/1/posts").ids == [1])
    #expect(await transport.send(.get, "/users/2/posts").ids == [])
    #expect(await transport.send(.get, "/users/3/posts").status == 404)
    #expect(posts.path == "/users/{user}/posts")
  }

  @Test func nestedItemsBelongToTheirParents() async throws {
    let shop = try Shop()
    #expect(await shop.transport.send(.get, "/users/1/carts").ids == [1, 3])
    #expect(await shop.transport.send(.get, "/carts").ids == [1, 2, 3])
    #expect(await shop.transport.send(.get, "/users/1/carts/3/items").ids == [3])
    #expect(await shop.transport.send(.get, "/users/1/carts/2").status == 404)
    #expect(await shop.transport.send(.put, "/users/1/carts/2", "{}").status == 404)
    #expect(await shop.transport.send(.delete, "/users/1/carts/2").status == 404)
    #expect(await shop.transport.send(.get, "/users/1/carts/2/items").status == 404)
    #expect(await shop.transport.send(.get, "/users/9/carts").status == 404)
    #expect(await shop.transport.send(.post, "/users/9/carts", "{}").status == 404)
  }

  @Test func aNestedItemReceivesTheIDsOfItsParents() async throws {
    let shop = try Shop()
    let cart = await shop.transport.send(.post, "/users/2/carts", "{}")
    #expect(cart.json == ["id": 4, "userId": 2])
    #expect(cart.headers["Location"] == "/users/2/carts/4")
    let item = await shop.transport.send(.post, "/users/2/carts/4/items", #"{"userId":2}"#)
    #expect(item.json == ["id": 4, "userId": 2, "cart": 4])
    let wrong = await shop.transport.send(.post, "/users/2/carts", #"{"userId":1}"#)
    #expect(wrong.status == 422)
    #expect(wrong.pointers == ["#/userId"])
  }

  @Test func theDeletionOfAParentDeletesItsItems() async throws {
    let shop = try Shop()
    #expect(await shop.transport.send(.delete, "/users/1").status == 204)
    #expect(shop.carts.items.map { $0["id"] } == [2])
    #expect(shop.items.items.map { $0["id"] } == [2])
  }

  @Test func aRefusedDeletionChangesNothing() async throws {
    let shop = try Shop { $0.onParentDelete = .refuse }
    let refused = await shop.transport.send(.delete, "/users/1")
    #expect(refused.status == 409)
    #expect(refused.json["detail"].string?.contains("/users/{user}/carts/{cart}/items") == true)
    #expect(shop.users.count == 2)
    #expect(shop.carts.count == 3)
    #expect(throws: ResourceError.self) { try shop.carts.remove(id: 1) }
    #expect(try shop.items.remove(id: 2) != nil)
    #expect(try shop.users.remove(id: 2)?["id"] == 2)
    #expect(shop.carts.count == 2)
  }

  @Test func keptItemsSurviveTheirParent() async throws {
    let shop = try Shop { $0.onParentDelete = .keep }
    #expect(await shop.transport.send(.delete, "/users/1").status == 204)
    #expect(shop.carts.count == 1)
    #expect(shop.items.count == 3)
  }

  @Test func aResourceMayBeNestedInItself() async throws {
    let comments = try Resource(
      "/comments",
      data: [["id": 1], ["id": 2, "parentId": 1], ["id": 3, "parentId": 2], ["id": 4]]
    ) { $0.nestedPaths = ["/comments/{parent}/replies"] }
    #expect(await comments.transport.send(.get, "/comments/1/replies").ids == [2])
    #expect(await comments.transport.send(.delete, "/comments/1").status == 204)
    #expect(comments.items.map { $0["id"] } == [4])
  }

  // MARK: Clients

  @Test func eachClientHasItsOwnItems() async throws {
    let store = ResourceStore(isolation: .header("X-Client"), maximumClients: 2)
    let resource = try Resource("/a", data: [["id": 1]], in: store)
    let transport = resource.transport
    func post(_ client: String) async -> JSON {
      await transport.send(.post, "/a", "{}", ["X-Client": client]).json["id"]
    }
    #expect(await post("ann") == 2)
    #expect(await post("bob") == 2)
    #expect(await post("ann") == 3)
    #expect(await transport.send(.get, "/a", nil, ["X-Client": "eve"]).ids == [1])
    #expect(await transport.send(.get, "/a").ids == [1])
    #expect(resource.items.count == 1)
    #expect(resource.items(of: "ann").map { $0["id"] } == [1, 2, 3])
    #expect(store.clientCount == 2)
    // The client that has been inactive for the longest time is dropped.
    #expect(await post("eve") == 2)
    #expect(store.clientCount == 2)
    #expect(resource.items(of: "bob").map { $0["id"] } == [1])
    #expect(resource.items(of: "ann").count == 3)
    #expect(
      await transport.send(.get, "/a", nil, ["X-Client": String(repeating: "x", count: 257)]).status
        == 400)
    resource.reset()
    #expect(resource.items(of: "ann").count == 1)
  }

  @Test func aClientWithoutACookieReceivesOne() async throws {
    let store = ResourceStore(isolation: .cookie("client"), seed: 1)
    let transport = try Resource("/a", data: [["id": 1]], in: store).transport
    let first = await transport.send(.post, "/a", "{}")
    let cookie = try #require(first.headers["Set-Cookie"])
    #expect(cookie.hasPrefix("client="))
    #expect(cookie.hasSuffix("; Path=/; SameSite=Lax"))
    let pair = String(cookie.prefix { $0 != ";" })
    let second = await transport.send(.get, "/a", nil, ["Cookie": "other=1; \(pair)"])
    #expect(second.ids == [1, 2])
    #expect(second.headers["Set-Cookie"] == nil)
    let other = await transport.send(.get, "/a")
    #expect(other.ids == [1])
    #expect(other.headers["Set-Cookie"] != cookie)
    // A client that only reads uses no memory.
    #expect(store.clientCount == 1)
  }

  @Test func aSnapshotContainsTheClients() async throws {
    let store = ResourceStore(isolation: .header("X-Client"))
    let resource = Resource("/a", in: store)
    let transport = resource.transport
    _ = await transport.send(.post, "/a", "{}", ["X-Client": "ann"])
    let snapshot = store.snapshot()
    _ = await transport.send(.post, "/a", "{}", ["X-Client": "ann"])
    _ = await transport.send(.post, "/a", "{}", ["X-Client": "bob"])
    store.restore(snapshot)
    #expect(resource.items(of: "ann").count == 1)
    #expect(resource.items(of: "bob").isEmpty)
    store.reset()
    #expect(resource.items(of: "ann").isEmpty)
  }

  // MARK: Files

  private let folder = TemporaryFolder()
  private var file: URL { folder.url("data.json") }

  @Test func theItemsSurviveARestart() async throws {
    do {
      let store = ResourceStore()
      let resource = try Resource("/a", data: [["id": 1, "z": 1, "a": 2]], in: store)
      try store.open(file)
      _ = await resource.transport.send(.post, "/a", #"{"y":[1.0,"ü"],"b":null}"#)
      _ = await resource.transport.send(.post, "/a", "{}")
      _ = await resource.transport.send(.delete, "/a/3")
      store.close()
    }
    let store = ResourceStore()
    let resource = try Resource("/a", data: [["id": 1]], in: store)
    try store.open(file)
    #expect(
      await resource.transport.send(.get, "/a").text
        == #"[{"id":1,"a":2,"z":1},{"id":2,"y":[1.0,"ü"],"b":null}]"#)
    #expect(await resource.transport.send(.post, "/a", "{}").json["id"] == 4)
    store.reset()
    #expect(resource.items == [["id": 1]])
  }

  @Test func theFileIsPrivateAndReplacedAtomically() throws {
    let store = ResourceStore()
    let resource = Resource("/a", in: store)
    try store.open(file)
    try resource.insert(["b": 1])
    try store.flush()
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)
    #expect(folder.names == ["data.json", "data.json.lock"])
    #expect(
      try String(contentsOf: file, encoding: .utf8)
        == "{\"version\":1,\"resources\":{\n\"/a\":{\"counter\":1,\"items\":[\n{\"id\":1,\"b\":1}]}}}\n"
    )
  }

  @Test(
    arguments: [
      (["7"], ["8", "9", "10"]), ([7], [8, 9, 10]), ([], [1, 2, 3]), (["x"], nil),
    ] as [([JSON], [JSON]?)])
  func theKindOfTheIDsSurvivesARestart(initial: [JSON], expected: [JSON]?) throws {
    var created: [JSON] = []
    for round in 0..<3 {
      let store = ResourceStore()
      let resource = try Resource("/a", data: initial.map { ["id": $0] }, in: store)
      try store.open(file)
      created.append(try resource.insert(["b": 1])["id"])
      // Ids of clients are of another kind.
      if round == 0 { try resource.insert(["id": initial == ["x"] ? 7 : "abc"]) }
      try store.flush()
      store.close()
    }
    if let expected { #expect(created == expected) }
    if expected == nil { #expect(created.allSatisfy { $0.string?.count == 36 }) }
  }

  @Test func aServerThatStopsWritesTheItems() async throws {
    let store = ResourceStore()
    let resource = Resource("/a", in: store)
    try store.open(file)
    let server = try MockServer { resource }
    try resource.insert([:])
    server.stop()
    #expect(try JSON(parsing: Data(contentsOf: file))["resources"]["/a"]["items"] == [["id": 1]])
  }

  @Test func resourcesOfTheFileThatTheStoreDoesNotHaveAreKept() throws {
    try Data(#"{"resources":{"/b":{"counter":3,"items":[{"id":3}]},"/a":{"items":[]}}}"#.utf8)
      .write(to: file)
    let store = ResourceStore()
    let resource = try Resource("/a", data: [["id": 1]], in: store)
    try store.open(file)
    #expect(resource.items.isEmpty)
    try resource.insert([:])
    try store.flush()
    #expect(try JSON(parsing: Data(contentsOf: file))["resources"]["/b"]["items"] == [["id": 3]])
    #expect(Resource("/b", in: store).items == [["id": 3]])
  }

  @Test func aFileOfAnotherProcessIsRefused() throws {
    let lock = try FileLock(tryLocking: file.path + ".lock")
    let isLocked = lock != nil
    #expect(isLocked)
    let store = ResourceStore()
    let resource = Resource("/a", in: store)
    let error = #expect(throws: ResourceError.self) { try store.open(file) }
    #expect(error == .fileInUse(file))
    #expect(error?.description.contains("another process uses this file") == true)
    try resource.insert([:])
    #expect(folder.names == ["data.json.lock"])
    _ = consume lock
  }

  @Test func anotherStoreOfTheProcessTakesTheFileOver() throws {
    let (first, second) = (ResourceStore(), ResourceStore())
    let (old, new) = (Resource("/a", in: first), Resource("/a", in: second))
    try first.open(file)
    try old.insert(["n": 1])
    try second.open(file)
    #expect(new.items == [["id": 1, "n": 1]])
    try old.insert(["n": 2])
    try first.flush()
    try new.insert(["n": 3])
    second.close()
    try first.open(file)
    #expect(old.items == [["id": 1, "n": 1], ["id": 2, "n": 3]])
  }

  @Test(arguments: [
    ("{", "line 1, column"), ("[]", "expected an object with a member \"resources\""),
    (#"{"resources":{"/a":[]}}"#, "/a: expected an array \"items\""),
    (#"{"resources":{"/a":{"items":[{"id":1},{"id":1}]}}}"#, "/a[1]: the id \"1\" occurs twice"),
    (#"{"resources":{"/a":{"items":[5]}}}"#, "/a[0]: an item is an object"),
  ])
  func aMalformedFileIsRefusedAndKept(content: String, message: String) throws {
    try Data(content.utf8).write(to: file)
    let store = ResourceStore()
    let resource = Resource("/a", in: store)
    try resource.insert(["kept": true])
    let error = #expect(throws: ResourceError.self) { try store.open(file) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(resource.items == [["id": 1, "kept": true]])
    try store.flush()
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
  }

  @Test func aFileThatCannotBeWrittenIsReported() throws {
    let store = ResourceStore()
    let resource = Resource("/a", in: store)
    try store.open(file)
    try resource.insert([:])
    // A folder in place of the file, because root may write into every folder.
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(
      at: file.appending(path: "folder"), withIntermediateDirectories: true)
    #expect(throws: ResourceError.self) { try store.flush() }
    try FileManager.default.removeItem(at: file)
    try store.flush()
    #expect(try JSON(parsing: Data(contentsOf: file))["resources"]["/a"]["items"] == [["id": 1]])
  }
}
