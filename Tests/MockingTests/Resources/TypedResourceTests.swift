import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources

@Suite(.gated)
struct TypedResourceTests {
  private struct Board: Codable, Sendable, Hashable {
    var id: Int?
    var title: String
    var made: Date?
  }

  private let boards = Resource<Board>("/boards")

  @Test func itemsAreValuesOfTheType() async throws {
    let fish = try boards.insert(Board(title: "Fish"))
    #expect(fish.id == 1)
    #expect(boards[1] == fish)
    #expect(boards["1"] == fish)
    #expect(boards[2] == nil)
    #expect(await boards.transport.send(.get, "/boards/1").text == #"{"id":1,"title":"Fish"}"#)
    try boards.update(Board(id: 1, title: "Egg"))
    try boards.update(id: 1) { $0.title += "s" }
    #expect(boards.items == [Board(id: 1, title: "Eggs")])
    #expect(try boards.remove(id: 1) == Board(id: 1, title: "Eggs"))
    #expect(try boards.remove(id: 1) == nil)
    #expect(boards.count == 0)
  }

  @Test func anItemThatIsNoValueOfTheTypeIsRefused() async {
    let transport = boards.transport
    let missing = await transport.send(.post, "/boards", "{}")
    #expect(missing.status == 422)
    #expect(missing.pointers == ["#/title"])
    #expect(missing.json["errors"][0]["detail"] == "is required")
    let wrong = await transport.send(.post, "/boards", #"{"title":5}"#)
    #expect(
      wrong.json["errors"] == [["detail": "must be of the type String", "pointer": "#/title"]])
    let created = await transport.send(.post, "/boards", #"{"title":"a","extra":1}"#)
    #expect(created.text == #"{"id":1,"title":"a","extra":1}"#)
    #expect(await transport.send(.patch, "/boards/1", #"{"title":null}"#).status == 422)
  }

  @Test func theCodersOfTheTypeAreUsed() async throws {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.dateEncodingStrategy = .iso8601
    decoder.dateDecodingStrategy = .iso8601
    let boards = try Resource<Board>(
      "/boards", data: [Board(id: 4, title: "a", made: Date(timeIntervalSince1970: 0))],
      encoder: encoder, decoder: decoder)
    #expect(
      await boards.transport.send(.get, "/boards/4").text
        == #"{"id":4,"title":"a","made":"1970-01-01T00:00:00Z"}"#)
    #expect(
      await boards.transport.send(.put, "/boards/4", #"{"title":"a","made":0}"#).status == 422)
  }

  @Test func errorsOfSwiftCodeNameTheReason() throws {
    let users = try Resource("/users", data: [["id": 1, "email": "a"]]) { $0.unique = ["email"] }
    #expect(throws: ResourceError.refused(status: 409, reason: "an item with the id \"1\" exists"))
    {
      try users.insert(["id": 1])
    }
    #expect(throws: ResourceError.missing(id: "7")) { try users.update(["id": 7]) }
    #expect(throws: ResourceError.missing(id: "7")) { try users.update(id: 7) { _ in } }
    let error = #expect(throws: ResourceError.self) { try users.insert(["email": "a"]) }
    #expect(error?.description.contains("email must be unique") == true)
    let initial = #expect(throws: ResourceError.self) {
      try Resource("/a", data: [["id": 1], ["id": 1]])
    }
    #expect(initial?.description == "/a[1]: the id \"1\" occurs twice")
  }

  @Test func anErrorOfAChangeLeavesTheItem() throws {
    struct Stop: Error {}
    try boards.insert(Board(title: "Fish"))
    #expect(throws: Stop.self) {
      try boards.update(id: 1) { board in
        board.title = "x"
        throw Stop()
      }
    }
    #expect(boards[1]?.title == "Fish")
  }

  // MARK: Backends

  @Test func aServerAndAProviderShareTheItems() async throws {
    let server = try MockServer { boards }
    defer { server.stop() }
    let provider = MockProvider<Request>(routes: boards.routes())
    let mocked = Networking<Request>(mockProvider: provider)
    _ = try await mocked.request(.post("http://a/boards", parameters: ["title": "Fish"]))
      .validate().toString().value
    let networking = Networking<Request>()
    networking.baseURL = server.url
    let text = try await networking.request(.get("boards")).validate().toString().value
    #expect(text == #"[{"id":1,"title":"Fish"}]"#)
    try provider.verifyNoUnusedStubs()
  }

  @Test func responsesWaitInVirtualTime() async throws {
    let time = TestScheduler()
    let transport = MockTransport(
      routes: boards.routes(defaults: Mock(delay: .fixed(.seconds(3)))), scheduler: time)
    let body = HTTPBody.data(Data(#"{"title":"a"}"#.utf8))
    let exchange = ExchangeRecorder(
      transport,
      HTTPRequest(
        method: .post, url: .of("http://a/boards"), headers: ["Content-Type": "application/json"],
        body: body))
    await time.run()
    #expect(exchange.current.head?.status == 201)
    #expect(time.elapsed == .seconds(3))
    #expect(boards.count == 1)
  }

  @Test func aMalformedPathIsAnErrorOfTheServer() {
    #expect(throws: MockServerError.self) { try MockServer { Resource("/boards/*") } }
    #expect(throws: MockServerError.self) { try MockServer { Resource("/boards/{all*}") } }
  }
}
