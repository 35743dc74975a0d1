import Foundation
import Networking
import TestGate
import Testing

private struct Receipt: Decodable, Sendable {}

private struct Pay: TypedEndpoint {
  typealias ResponseType = Receipt
  let id: String
  let price: Double

  init(_ id: String, _ price: Double) {
    self.id = id
    self.price = price
  }

  var request: Request {
    get throws { .post("payments", parameters: try Parameters(encoding: ["id": id])) }
  }
}

@Suite(.gated)
struct EndpointTests {
  /// Builds the HTTP request of an endpoint, as a client does.
  private func build<Endpoint: RequestConvertible>(_ endpoint: Endpoint) throws -> HTTPRequest {
    let base = try endpoint.resolvedBaseURL().map { try BaseURL($0) }
    return try RequestBuilder(baseURL: base, headers: [:])
      .build(endpoint.request, endpointHeaders: endpoint.resolvedHeaders())
  }

  private func responseType<Endpoint: TypedEndpoint>(
    of endpoint: Endpoint
  ) -> Endpoint.ResponseType.Type {
    Endpoint.ResponseType.self
  }

  @Test func enumerationCasesAreEndpoints() throws {
    let login = try build(BoardsAPI.login(user: "a", password: "b"))
    #expect(login.method == .post)
    #expect(login.url.absoluteString == "https://api.example.com/v1/login")
    #expect(login.headers == ["Accept": "application/json", "Content-Type": "application/json"])
    #expect(login.body == .data(Data(#"{"user":"a","password":"b"}"#.utf8)))
    #expect(try build(BoardsAPI.boards).url.absoluteString == "https://api.example.com/v1/boards")
    #expect(
      try build(BoardsAPI.board(id: 7)).url.absoluteString == "https://api.example.com/v1/boards/7")
    #expect(BoardsAPI.delete(1).request.storePolicy == .offline)
  }

  @Test func aRequestIsAnEndpoint() throws {
    #expect(try build(Request.get("https://h/a")).url.absoluteString == "https://h/a")
    #expect(try Request.get("a").resolvedBaseURL() == nil)
    #expect(Request.get("a", headers: ["A": "b"]).resolvedHeaders().isEmpty)
  }

  @Test func modificationsKeepTheTypeOfTheEndpoint() throws {
    let pay = Pay("a", 1).notIntercepted().storing(.offline).sharing(false).withoutCredentials()
      .setting(TenantKey.self, to: "acme").adding(parameters: ["b": 2], headers: ["A": "b"])
    #expect(responseType(of: pay) == Receipt.self)
    #expect(try !pay.request.isIntercepted)
    #expect(try pay.request.storePolicy == .offline)
    #expect(try pay.request.isShared == false)
    #expect(try pay.sharing().request.isShared == true)
    #expect(try !pay.request.sendsCredentials)
    #expect(try pay.request.attributes[TenantKey.self] == "acme")
    #expect(try pay.request.parameters == ["id": "a", "b": 2])
    #expect(try pay.request.headers == ["A": "b"])
    #expect(pay.base.id == "a")
    let boards = BoardsAPI.boards.caching(.reload).prioritized(.high)
      .timingOut(after: .seconds(1)).adding(headers: ["A": "b"])
    #expect(
      try boards.request
        == .get(
          "boards", headers: ["A": "b"], cachePolicy: .reload, timeout: .seconds(1), priority: .high
        ))
    #expect(try build(boards).url.absoluteString == "https://api.example.com/v1/boards")
  }

  @Test func modificationsOfAModifiedEndpointAreNotNested() throws {
    let once = Pay("a", 1).retrying(.never)
    let all: [Any] = [
      once.modified { $0 }, once.retrying(.never), once.storing(.offline), once.caching(.reload),
      once.prioritized(.high), once.timingOut(after: .seconds(1)), once.adding(headers: ["A": "b"]),
      once.adding(parameters: ["a": 1]), once.sharing(), once.notIntercepted(),
      once.withoutCredentials(), once.setting(TenantKey.self, to: "a"),
    ]
    for changed in all { #expect(changed is ModifiedEndpoint<Pay>, "\(type(of: changed))") }
    let boards = BoardsAPI.boards.adding(headers: ["A": "1"]).retrying(.never)
      .adding(headers: ["A": "2"])
    #expect(try boards.request.headers == ["A": "2"])
    #expect(boards.retryPolicy != nil)
  }
}
