import CatenaSystem
import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The options with which the modules of streams, transfers and sign-ins make requests.
@Suite(.gated)
struct CallOptionsTests {
  private let sent = Log<HTTPRequest>()

  private func client(decoder: JSONDecoder? = nil) -> Networking<Request> {
    let transport = FakeTransport { [sent] request in
      sent.append(request)
      return .response(200, ["Cache-Control": "max-age=86400"], "fresh")
    }
    return .caching(over: transport) { $0.decoder = decoder }
  }

  private func send(
    _ client: Networking<Request>, _ change: (inout CallOptions) -> Void
  ) async -> Result<Response, any Error> {
    var options = CallOptions()
    change(&options)
    return await client.send(Request.get("/a"), options, #fileID, #line).result
  }

  @Test func thePreparationRunsAfterTheHookOfTheClient() async throws {
    let client = client()
    client.preProcessRequest = { request in
      var request = request
      request.headers["X-Order"] = "hook"
      return request
    }
    _ = try await send(client) {
      $0.prepare = { request in
        var request = request
        request.headers["X-Order"] = (request.headers["X-Order"] ?? "") + ", preparation"
        return request
      }
    }.get()
    #expect(sent.entries.map { $0.headers["X-Order"] } == ["hook, preparation"])
    _ = try await client.request(.get("/b")).value
    #expect(sent.entries.last?.headers["X-Order"] == "hook")
  }

  @Test func anErrorOfThePreparationRejectsTheRequest() async {
    struct Refusal: Error {}
    let result = await send(client()) { $0.prepare = { _ in throw Refusal() } }
    #expect(result.failure(as: Refusal.self) != nil)
    #expect(sent.entries.isEmpty)
  }

  @Test func aNewRequestOfThePreparationKeepsTheAttributesOfTheClient() async throws {
    let decoder = JSONDecoder()
    let response = try await send(client(decoder: decoder)) {
      $0.prepare = { HTTPRequest(method: $0.method, url: $0.url) }
    }.get()
    #expect(response.decoder === decoder)
  }

  @Test func aRequestWithoutTheCacheNeitherReadsNorStoresAResponse() async throws {
    let client = client()
    for _ in 0..<2 { _ = try await send(client) { $0.usesCache = false }.get() }
    #expect(sent.entries.count == 2)
    let sources = [try await send(client) { _ in }.get(), try await send(client) { _ in }.get()]
    #expect(sources.map(\.source) == [.network, .cache])
    #expect(try await send(client) { $0.usesCache = false }.get().source == .network)
  }

  @Test func aRequestOfAnEndedSessionIsNotSent() async throws {
    let client = client()
    client.authenticate(bearerToken: "a")
    let sessions = client.currentSessions
    client.authenticate(bearerToken: "b")
    let result = await send(client) { $0.sessions = sessions }
    #expect(result.failure(as: NetworkError.self)?.code == .sessionEnded)
    #expect(sent.entries.isEmpty)
  }

  // MARK: Performers of calls

  /// A performer that responds to each call itself, and never calls the transport of its session.
  private struct Performer: CallPerformer, SessionSource {
    let performed = Log<HTTPRequest>()

    func prepare(_ exchange: Exchange) -> Exchange {
      var exchange = exchange
      exchange.request.headers["X-Prepared"] = "1"
      return exchange
    }

    func perform(_ exchange: Exchange) -> NetworkPromise {
      performed.append(exchange.request)
      return .fulfilled(Response(head: HTTPResponseHead(status: 301), request: exchange.request))
    }

    func check() throws(NetworkError) {}

    func checkSupport(of tls: TLSOptions) throws(NetworkError) {}

    func makeSession(_ tls: TLSOptions?, wallClock: @escaping @Sendable () -> Date) -> Session {
      Session(performer: self, transport: FailingTransport(.unsupported, reason: "no transport"))
    }
  }

  @Test func aPerformerTakesThePlaceOfTheStages() async throws {
    let performer = Performer()
    let client = Networking<Request>(
      mode: .limited(1), sessionConfiguration: SessionConfiguration(performer))
    client.callbackContext = .inline
    client.baseURL = .of("https://api.example.com")
    client.authenticate(bearerToken: "t")
    let seen = Log<String?>()
    client.interceptors = [
      RequestAdapter { (request: HTTPRequest) -> HTTPRequest in
        seen.append(request.headers["X-Prepared"])
        return request
      }
    ]
    let response = try await client.request(.get("/a")).value
    #expect(response.status == 301 && seen.entries == ["1"])
    #expect(performer.performed.entries.map { $0.headers["Authorization"] } == ["Bearer t"])
    #expect(client.cookieJar == nil)
  }

  // MARK: Traits of transports

  @Test func aTransportOfAUserHasNoTraits() {
    let transport = FakeTransport { _ in .response(200) }
    #expect(transport.traits == nil)
    #expect(SelectedTransport(transport: transport).traits == nil)
    #expect(SelectedTransport(transport: URLSessionTransport()).traits != nil)
  }
}
