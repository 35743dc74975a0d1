#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import NetworkingTransfers
  import Promises
  import TestGate
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite(.gated)
  struct SessionConfigurationTests {
    /// A server that sets a cookie at `/set` and otherwise returns the received cookies.
    private let server: ScriptedServer

    init() throws {
      server = try ScriptedServer { request in
        guard request.target == "/set" else {
          let cookies = request.values(of: "Cookie").joined(separator: "|")
          return [.respond("200 OK", [], Data(cookies.utf8))]
        }
        return [.respond("200 OK", ["Set-Cookie: session=7; Path=/"])]
      }
    }

    private func client(
      _ session: SessionConfiguration, _ cookies: CookiePolicy = .session
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration()
      configuration.cookies = cookies
      let client = Networking<Request>(
        sessionConfiguration: session, configuration: configuration)
      client.callbackContext = .inline
      return client
    }

    private func get(_ path: String, _ client: Networking<Request>) async throws -> String {
      let response = try await client.request(
        .get(.url(server.url(path)))
      ).value
      return String(decoding: response.data, as: UTF8.self)
    }

    @Test func ephemeralClientsHaveSeparateCookies() async throws {
      let (first, second) = (client(.ephemeral), client(.ephemeral))
      _ = try await get("/set", first)
      #expect(try await get("/", first) == "session=7")
      #expect(try await get("/", second) == "")
      #expect(CookieJar.shared.cookies(for: server.url()).isEmpty)
    }

    @Test func ephemeralClientsHaveSeparateConnectionsThatCloseWithThem() async throws {
      var connections: [Int] = []
      do {
        let (first, second) = (client(.ephemeral), client(.ephemeral))
        for client in [first, second, first, second] { _ = try await get("/", client) }
        connections = server.requests.entries.map(\.connection)
        #expect(
          Set([connections[0], connections[2]]).isDisjoint(with: [connections[1], connections[3]]))
      }
      let closed = await server.closed.entries(Set(connections).count)
      #expect(Set(closed) == Set(connections))
    }

    /// Runs in a separate process: when other tests keep the shared transport busy, it has two
    /// threads with separate connections.
    @Test func defaultClientsShareConnections() async throws {
      await #expect(processExitsWith: .success) {
        let tests = try SessionConfigurationTests()
        for _ in 0..<2 { _ = try await tests.get("/", tests.client(.default, .none)) }
        #expect(tests.server.requests.entries.map(\.connection) == [0, 0])
      }
    }

    @Test func backgroundRequestsAreRejected() async throws {
      let networking = client(.background(identifier: "x"))
      let result = await networking.request(.get(.url(server.url()))).result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(error.code == .unsupported)
      #if os(Linux)
        #expect(error.reason?.hasPrefix("The platform has no background sessions") == true)
      #endif
      #expect(server.connectionCount == 0)
    }

    @Test func aCustomSessionUsesTheCookiesOfItsConfiguration() async throws {
      let configuration = URLSessionConfiguration.ephemeral
      let networking = client(.custom(configuration))
      _ = try await get("/set", networking)
      #expect(try await get("/", networking) == "session=7")
      try await networking.cookieJar?.synchronize().value
      #expect(configuration.httpCookieStorage?.cookies?.map(\.name) == ["session"])
      let refusing = URLSessionConfiguration.ephemeral
      refusing.httpShouldSetCookies = false
      let other = client(.custom(refusing))
      _ = try await get("/set", other)
      #expect(try await get("/", other) == "")
    }

    @Test func aCustomSessionUsesItsConfiguration() async throws {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpAdditionalHeaders = ["X-Custom": "yes"]
      let networking = client(.custom(configuration))
      configuration.httpAdditionalHeaders = ["X-Custom": "changed too late"]
      _ = try await get("/", networking)
      #expect(server.requests.entries[0].values(of: "X-Custom") == ["yes"])
    }

    @Test func aCustomSessionHasADelegate() async throws {
      let delegate = RecordingSessionDelegate()
      let networking = client(.custom(.ephemeral, delegate: delegate))
      _ = try await get("/", networking)
      #expect(await delegate.events.entries(1) == ["complete"])
    }

    @Test func anExplicitCookiePolicyOverridesTheSessions() async throws {
      let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
      let (keeping, other) = (client(.ephemeral, .storage(storage)), client(.ephemeral, .none))
      for client in [keeping, other] { _ = try await get("/set", client) }
      #expect(try await get("/", keeping) == "session=7")
      #expect(try await get("/", other) == "")
      #expect(other.cookieJar == nil)
      try await keeping.cookieJar?.synchronize().value
      #expect(storage.cookies?.map(\.value) == ["7"])
    }

    @Test func redirectsPassThroughThePipeline() async throws {
      let server = try ScriptedServer { request in
        request.target == "/there"
          ? [.respond("200 OK", [], Data(request.values(of: "Cookie").joined().utf8))]
          : [.respond("302 Found", ["Location: there", "Set-Cookie: on=way; Path=/"])]
      }
      let networking = client(.custom(.ephemeral))
      let response = try await networking.request(
        .get(.url(server.url("/here")))
      ).value
      #expect(String(decoding: response.data, as: UTF8.self) == "on=way")
      #expect(server.requests.entries.map(\.target) == ["/here", "/there"])
    }
  }
#endif
