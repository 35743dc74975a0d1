import Foundation
import Mocking
import MockingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// A cache and a session of OAuth2 together.
@Suite(.gated)
struct CacheSessionTests {
  /// A shop whose orders can be cached, and the clients of two users.
  private struct Shop {
    let fixture: OAuth2Fixture
    let transport: MockTransport
    let cache = HTTPCache()

    init() throws {
      let fixture = try OAuth2Fixture()
      self.fixture = fixture
      transport = MockTransport(scheduler: fixture.time) {
        Route(.get, "/orders") { request in
          guard fixture.login.accepts(request) else { return .status(401) }
          return Mock.json([]).header("Cache-Control", "max-age=1000000").header("ETag", "\"1\"")
        }
      }
    }

    func client(_ session: OAuth2Session) -> Networking<Request> {
      var configuration = fixture.configuration
      configuration.caching.storage = .cache(cache)
      configuration.caching.includesMocks = true
      let client = Networking<Request>(transport: transport, configuration: configuration)
      client.baseURL = .of("https://shop.example")
      client.authorize(with: session)
      client.callbackContext = .inline
      return client
    }

    func source(_ client: Networking<Request>) async throws -> Response.Source {
      try await fixture.time.run { try await client.request(.get("/orders")).value.source }
    }
  }

  @Test func aResponseStaysInTheCacheWhenTheTokenIsRefreshed() async throws {
    let shop = try Shop()
    let session = shop.fixture.session()
    _ = try await shop.fixture.signIn(session)
    let client = shop.client(session)
    #expect(try await shop.source(client) == .network)
    #expect(try await shop.source(client) == .cache)
    let token = session.currentToken()
    _ = try await shop.fixture.time.run { try await session.refresh().value }
    #expect(session.currentToken()?.accessToken != token?.accessToken)
    #expect(try await shop.source(client) == .cache)
    #expect(shop.transport.journal.entries.count == 1)
  }

  @Test func aResponseIsForOneSignInOnly() async throws {
    let shop = try Shop()
    let session = shop.fixture.session()
    _ = try await shop.fixture.signIn(session)
    let client = shop.client(session)
    #expect(try await shop.source(client) == .network)
    _ = try await shop.fixture.time.run { try await session.signOut().value }
    _ = try await shop.fixture.signIn(session)
    #expect(try await shop.source(client) == .network)
    #expect(try await shop.source(client) == .cache)
  }

  @Test func theFirstRequestOfTheNextRunFindsTheResponsesOfTheUser() async throws {
    let shop = try Shop()
    let store = MemoryTokenStore()
    let first = shop.fixture.session(store: store)
    _ = try await shop.fixture.signIn(first)
    #expect(try await shop.source(shop.client(first)) == .network)
    // The token has expired, and is not needed for a response of the cache.
    await shop.fixture.time.advance(by: .seconds(100_000))
    let second = shop.fixture.session(store: store)
    #expect(try await shop.source(shop.client(second)) == .cache)
    #expect(shop.transport.journal.entries.count == 1)
  }
}
