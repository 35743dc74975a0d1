import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The client that a middleware receives.
@Suite(.gated)
struct MiddlewareTests {
  private let transport = FakeTransport { _ in .response(200) }

  private func client() -> Networking<Request> {
    let client = Networking<Request>(
      baseURL: .of("https://a.example"), transport: transport, configuration: .plain)
    client.callbackContext = .inline
    return client
  }

  @Test func aMiddlewareThatUsesItsArgumentDoesNotRetainTheClient() async throws {
    var client: Networking<Request>? = client()
    weak let released = client
    client?.middleware = { request, networking in
      networking.request(.post("token"), .notIntercepted).validate()
        .tap { _ in networking.authenticate(bearerToken: "of \(request.path)") }
        .asVoid()
    }
    _ = try await client?.request(.get("boards")).value
    #expect(transport.requests.map(\.url.path) == ["/token", "/boards"])
    #expect(transport.requests.map { $0.headers["Authorization"] } == [nil, "Bearer of boards"])
    client = nil
    #expect(released == nil)
  }

  @Test func aMiddlewareReceivesTheClientThatSendsTheRequest() async throws {
    let clients = Log<ObjectIdentifier>()
    let client = client()
    client.middleware = { _, networking in
      clients.append(ObjectIdentifier(networking))
      return .fulfilled(())
    }
    let copy = client.copy()
    copy.middleware = copy.middleware
    for each in [client, copy] { _ = try await each.request(.get("boards")).value }
    #expect(clients.entries == [client, copy].map { ObjectIdentifier($0) })
  }

  @Test func theMiddlewareCanBeReadAndRemoved() async throws {
    let client = client()
    client.middleware = { _, _ in .rejected(TestError("closed")) }
    let middleware = try #require(client.middleware)
    let result = await middleware(.get("boards"), client).result
    #expect(result.failure() == TestError("closed"))
    client.middleware = nil
    #expect(client.middleware == nil)
    #expect(try await client.request(.get("boards")).value.status == 200)
  }
}
