import CatenaSystem
import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources
@testable import MockingStubs

/// The items of a store while its stub files are read again.
@Suite(.gated)
struct ResourceReloadTests {
  private let store = ResourceStore()
  /// Released after the store, which may still write into it.
  private let folder = TemporaryFolder()
  private var data: URL { folder.url("data.json") }

  /// Reads a stub file for the store, without a change of the store.
  private func read(_ text: String, in file: URL? = nil) throws -> StubFile {
    let stubs = try folder.file("stubs.json", text)
    return try StubFile(contentsOf: [stubs], in: store, data: file)
  }

  /// Reads a stub file, and makes its resources those of the store.
  @discardableResult
  private func load(_ text: String, in file: URL? = nil) throws -> MockTransport {
    let new = try read(text, in: file)
    try new.commit()
    return MockTransport(routes: new.routes)
  }

  private func saved(_ path: String, in file: URL) throws -> JSON {
    try JSON(parsing: Data(contentsOf: file))["resources"][path]["items"]
  }

  // MARK: Load

  /// Whether the clients of a test have to end.
  private final class Flag: Sendable {
    private let value: Mutex<Bool>
    init(_ value: Bool = false) { self.value = Mutex(value) }
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  /// Creates items one after the other, at least one, and returns the acknowledged ids.
  private static func create(at url: URL, until flag: Flag) async throws -> [JSON] {
    let transport = PlatformTransport.make()
    var ids: [JSON] = []
    repeat {
      let record = await transport.perform(
        HTTPRequest(
          method: .post, url: url, headers: ["Content-Type": "application/json"],
          body: .data(Data("{}".utf8))))
      #expect(record.head?.status == 201)
      ids.append(try JSON(parsing: record.body)["id"])
    } while !flag.isSet
    return ids
  }

  private static let items = #"{"resource": "/items", "maximumItems": 10000000}"#

  @Test(arguments: [false, true])
  func noAcknowledgedItemIsLostByReloads(_ hasFile: Bool) async throws {
    let file = hasFile ? data : nil
    let first = try read(#"{"routes": [\#(Self.items)]}"#, in: file)
    try first.commit()
    let server = try MockServer(routes: first.routes)
    defer { server.stop() }
    let url = server.url.appending(path: "items")
    let flag = Flag()
    let ids = try await withThrowingTaskGroup(of: [JSON].self) { clients in
      for _ in 0..<3 { clients.addTask { try await Self.create(at: url, until: flag) } }
      var ids: [JSON] = []
      for number in 0..<TestSize.of(30, full: 1_000) {
        try reload(server, number, file)
        ids += try await Self.create(at: url, until: Flag(true))
        let first = url.appending(queryItems: [.init(name: "_limit", value: "1")])
        let list = await PlatformTransport.make().get(first)
        let count = list.head?.headers["X-Total-Count"].flatMap { Int($0) } ?? 0
        #expect(count >= ids.count)
      }
      flag.set()
      for try await others in clients { ids += others }
      return ids
    }
    let kept = try #require(store.snapshot().shared.first).items.map(\.json)
    #expect(kept.count == ids.count)
    #expect(Set(ids).count == ids.count)
    #expect(Set(kept.map { $0["id"] }) == Set(ids))
    guard let file else { return }
    try store.flush()
    #expect(try saved("/items", in: file).array?.count == ids.count)
  }

  /// Reloads the files: a third of all times with success, and otherwise with an error before or after
  /// the files have been read.
  private func reload(_ server: MockServer, _ number: Int, _ file: URL?) throws {
    guard number % 3 != 2 else {
      #expect(throws: StubFileError.self) { try read(#"{"routes": 5}"#, in: file) }
      return
    }
    let new = try read(#"{"comment": \#(number), "routes": [\#(Self.items)]}"#, in: file)
    guard number % 3 == 1 else {
      return try server.replaceRoutes(with: new.routes, committing: new.commit)
    }
    let twice = [Route(.get, "/a", .status(200)).id("x"), Route(.get, "/b", .status(200)).id("x")]
    #expect(throws: MockServerError.duplicateRoute("x")) {
      try server.replaceRoutes(with: new.routes + twice, committing: new.commit)
    }
  }

  @Test func changesOfOldRoutesAreKeptAfterAReload() async throws {
    let old = try load(#"{"routes": [{"resource": "/a"}, {"resource": "/b"}]}"#, in: data)
    let new = try load(#"{"routes": [{"resource": "/c"}, {"resource": "/b"}]}"#, in: data)
    // Requests that have been received before the reload still have the old routes.
    #expect(await old.send(.post, "/b", #"{"n": 1}"#).json["id"] == 1)
    #expect(await new.send(.post, "/b", #"{"n": 2}"#).json["id"] == 2)
    #expect(await old.send(.get, "/b").ids == [1, 2])
    #expect(await old.send(.post, "/a", "{}").status == 201)
    try store.flush()
    #expect(try saved("/b", in: data).array?.count == 2)
    #expect(try saved("/a", in: data).array?.count == 1)
    let again = try load(#"{"routes": [{"resource": "/a"}]}"#, in: data)
    #expect(await again.send(.get, "/a").ids == [1])
  }

  // MARK: Kept and dropped items

  @Test func itemsAreKeptIfTheInitialOnesAreTheSameOrInAFile() async throws {
    for file in [nil, data] {
      let first = try load(#"{"routes": [{"resource": "/a", "data": [{"id": 1}]}]}"#, in: file)
      #expect(await first.send(.post, "/a", "{}").status == 201)
      let same = try load(
        #"{"routes": [{"resource": "/a", "ids": "a-{counter}", "data": [{"id": 1}]}]}"#, in: file)
      #expect(await same.send(.post, "/a", "{}").json["id"] == "a-3")
      let other = try load(#"{"routes": [{"resource": "/a", "data": [{"id": 5}]}]}"#, in: file)
      #expect(await other.send(.get, "/a").ids == (file == nil ? [5] : [1, 2, "a-3"]))
      try load(#"{"routes": []}"#)
    }
  }

  @Test func itemsOfAFileThatBreakANewRuleRefuseTheReload() async throws {
    let first = try load(#"{"routes": [{"resource": "/a"}, {"resource": "/b"}]}"#, in: data)
    #expect(await first.send(.post, "/a", "{}").status == 201)
    let strict = try read(
      #"{"routes": [{"resource": "/b", "unique": ["n"]}, {"resource": "/a", "required": ["n"]}]}"#,
      in: data)
    let error = #expect(throws: ResourceError.self) { try strict.commit() }
    #expect(error == .malformed(data, reason: "/a[0]: the member n is required"))
    // Nothing is changed, not even the other resource.
    #expect(await first.send(.post, "/a", "{}").json["id"] == 2)
    for _ in 0..<2 { #expect(await first.send(.post, "/b", #"{"n": 1}"#).status == 201) }
    try store.flush()
    #expect(try saved("/a", in: data).array?.count == 2)
  }

  @Test func clientsKeepTheirItems() async throws {
    let text = #"{"isolation": {"header": "X-Client"}, "routes": [{"resource": "/a"}, MORE]}"#
    let first = try load(text.replacing(", MORE", with: ""))
    #expect(await first.send(.post, "/a", "{}", ["X-Client": "ann"]).status == 201)
    let second = try load(text.replacing("MORE", with: #"{"resource": "/b"}"#))
    #expect(await second.send(.get, "/a", nil, ["X-Client": "ann"]).ids == [1])
    #expect(await second.send(.post, "/b", "{}", ["X-Client": "ann"]).status == 201)
    #expect(await second.send(.get, "/a").ids == [])
  }

  @Test func anotherFileIsOpenedAndTheOldOneIsComplete() async throws {
    let other = folder.url("other.json")
    let text = #"{"routes": [{"resource": "/a"}]}"#
    let first = try load(text, in: data)
    #expect(await first.send(.post, "/a", "{}").status == 201)
    let second = try load(text, in: other)
    #expect(await second.send(.get, "/a").ids == [1])
    #expect(await second.send(.post, "/a", "{}").status == 201)
    try store.flush()
    #expect(try saved("/a", in: data).array?.count == 1)
    #expect(try saved("/a", in: other).array?.count == 2)
    // An existing file replaces the items, and one that cannot be read changes nothing.
    let back = try load(text, in: data)
    #expect(await back.send(.get, "/a").ids == [1])
    let broken = try folder.file("broken.json", "[]")
    #expect(throws: ResourceError.self) { try load(text, in: broken) }
    #expect(await back.send(.post, "/a", "{}").status == 201)
    try store.flush()
    #expect(try saved("/a", in: data).array?.count == 2)
    #expect(try saved("/a", in: other).array?.count == 2)
  }

  /// A later reload would read the items of the new file in place of newer ones.
  @Test func aReloadThatCannotSaveTheOldFileMakesNoNewOne() async throws {
    let text = #"{"routes": [{"resource": "/a"}]}"#
    let first = try load(text, in: data)
    // A folder in place of the file, because root may write into every folder.
    try FileManager.default.removeItem(at: data)
    try FileManager.default.createDirectory(
      at: data.appending(path: "folder"), withIntermediateDirectories: true)
    #expect(await first.send(.post, "/a", "{}").status == 201)
    let other = folder.url("other.json")
    #expect(throws: ResourceError.self) { try load(text, in: other) }
    #expect(!FileManager.default.fileExists(atPath: other.path))
    #expect(await first.send(.post, "/a", "{}").status == 201)
    try FileManager.default.removeItem(at: data)
    #expect(await (try load(text, in: other)).send(.get, "/a").ids == [1, 2])
  }

  @Test func savedItemsOfAnAbsentResourceReplaceItsItemsInTheFile() async throws {
    let other = try folder.file(
      "other.json", #"{"resources": {"/a": {"counter": 7, "items": [{"id": 7}]}}}"#)
    let first = try load(#"{"routes": [{"resource": "/a"}]}"#, in: data)
    #expect(await first.send(.post, "/a", "{}").status == 201)
    let second = try load(#"{"routes": [{"resource": "/b"}]}"#, in: other)
    #expect(await second.send(.post, "/b", "{}").status == 201)
    try store.flush()
    let text = try String(contentsOf: other, encoding: .utf8)
    #expect(text.ranges(of: "\"/a\"").count == 1)
    #expect(try saved("/a", in: other)[0]["id"] == 7)
    let third = try load(#"{"routes": [{"resource": "/a"}]}"#, in: other)
    #expect(await third.send(.get, "/a").ids == [7])
  }
}
