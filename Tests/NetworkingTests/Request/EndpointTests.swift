import Foundation
import Networking
import TestGate
import Testing

@Suite(.gated)
struct EndpointTests {
  /// Builds the HTTP request of an endpoint, as a client does.
  private func build<Endpoint: RequestConvertible>(_ endpoint: Endpoint) throws -> HTTPRequest {
    let base = try endpoint.resolvedBaseURL().map { try BaseURL($0) }
    return try RequestBuilder(baseURL: base, headers: endpoint.resolvedHeaders())
      .build(endpoint.request)
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
}
