import CatenaSystem
import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// Digest authentication of a client, against a server that checks each response.
@Suite(.gated)
struct DigestAuthenticationTests {
  /// A server with one user, whose nonces are numbers.
  private final class DigestServer: Sendable {
    struct State {
      var nonce = 1
      /// The counts that were used with the current nonce.
      var counts: Set<String> = []
      /// The number of requests after which the nonce is replaced.
      var requestsPerNonce = Int.max
      var parameters = "qop=\"auth\", algorithm=SHA-256"
      var nextNonce: String?
      var isStale = false
    }

    let state = Mutex(State())
    /// The response of a request that has the right credentials.
    let content: @Sendable (HTTPRequest) -> [TransportEvent]

    init(
      _ content: @escaping @Sendable (HTTPRequest) -> [TransportEvent] = { _ in
        .response(200, [:], "secret page")
      }
    ) {
      self.content = content
    }

    func respond(to request: HTTPRequest) -> [TransportEvent] {
      if let field = request.headers["Authorization"], accepts(field, request) {
        guard let next = state.withLock({ $0.nextNonce }) else { return content(request) }
        return .response(200, ["Authentication-Info": "nextnonce=\"\(next)\", qop=auth"], "next")
      }
      let challenge = state.withLock { state in
        "Digest realm=\"r\", nonce=\"\(state.nonce)\", opaque=\"o\", \(state.parameters)"
          + (state.isStale ? ", stale=TRUE" : "")
      }
      var headers: HTTPHeaders = ["WWW-Authenticate": "Basic realm=\"r\""]
      headers.add(challenge, for: "WWW-Authenticate")
      return .response(401, headers, "who are you?")
    }

    private func accepts(_ field: String, _ request: HTTPRequest) -> Bool {
      let fields = AuthenticationChallenge.list(field).first?.parameters ?? [:]
      guard let count = fields["nc"], let clientNonce = fields["cnonce"],
        fields["uri"]
          == request.url.path(percentEncoded: true) + (request.url.query.map { "?\($0)" } ?? "")
      else { return false }
      let algorithm = DigestAlgorithm(rawValue: fields["algorithm"] ?? "MD5") ?? .md5
      func hash(_ parts: String...) -> String {
        algorithm.hash(parts.joined(separator: ":")) ?? "none"
      }
      return state.withLock { state in
        guard fields["nonce"] == "\(state.nonce)" else {
          state.isStale = true
          return false
        }
        let expected = hash(
          hash("ada", "r", "s3cret"), "\(state.nonce)", count, clientNonce, "auth",
          hash(request.method.rawValue, fields["uri"] ?? ""))
        guard fields["response"] == expected, fields["opaque"] == "o",
          state.counts.insert(count).inserted
        else { return false }
        if let next = state.nextNonce.flatMap({ Int($0) }) { state.nonce = next }
        if state.counts.count >= state.requestsPerNonce { state.nonce += 1 }
        if state.counts.count >= state.requestsPerNonce || state.nextNonce != nil {
          state.counts = []
        }
        return true
      }
    }
  }

  private func client(
    _ transport: some Transport, _ change: (inout NetworkingConfiguration) -> Void = { _ in },
    password: String = "s3cret"
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    change(&configuration)
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = .of("https://api.example.com/")
    client.authenticate(username: "ada", password: password, scheme: .digest)
    return client
  }

  private func transport(_ server: DigestServer) -> FakeTransport {
    FakeTransport { server.respond(to: $0) }
  }

  private func counts(_ transport: FakeTransport) -> [String?] {
    transport.requests.map { request in
      request.headers["Authorization"].flatMap {
        AuthenticationChallenge.list($0).first?.parameters["nc"]
      }
    }
  }

  @Test func onlyTheFirstRequestIsSentTwice() async throws {
    let transport = transport(DigestServer())
    let client = client(transport)
    for path in ["a", "b?q=%20x", "c/d"] {
      #expect(try await client.request(.get(RequestPath(raw: path))).value.text == "secret page")
    }
    #expect(counts(transport) == [nil, "00000001", "00000002", "00000003"])
  }

  @Test func aNonceThatTheServerReplacesIsFollowed() async throws {
    let server = DigestServer()
    server.state.withLock { $0.requestsPerNonce = 2 }
    let transport = transport(server)
    let client = client(transport)
    for _ in 1...4 { #expect(try await client.request(.get("a")).value.status == 200) }
    #expect(
      counts(transport) == [nil, "00000001", "00000002", "00000003", "00000001", "00000002"])
  }

  @Test func theNextNonceOfAResponseIsUsed() async throws {
    let server = DigestServer()
    server.state.withLock { $0.nextNonce = "7" }
    let transport = transport(server)
    let client = client(transport)
    #expect(try await client.request(.get("a")).value.text == "next")
    server.state.withLock { $0.nextNonce = nil }
    #expect(try await client.request(.get("a")).value.status == 200)
    #expect(counts(transport) == [nil, "00000001", "00000001"])
  }

  @Test func aWrongPasswordIsTriedOnceForEachRequest() async throws {
    let transport = transport(DigestServer())
    let client = client(transport, password: "wrong")
    for _ in 1...2 {
      let response = try await client.request(.get("a")).value
      #expect(response.status == 401 && response.text == "who are you?")
    }
    #expect(counts(transport) == [nil, "00000001", nil, "00000001"])
  }

  /// A server cannot ask for the password itself.
  @Test func otherSchemesAndAlgorithmsAreNotAnswered() async throws {
    for challenge in ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"1\", algorithm=SHA-1"] {
      let transport = FakeTransport { _ in .response(401, ["WWW-Authenticate": challenge]) }
      #expect(try await client(transport).request(.get("a")).value.status == 401)
      #expect(transport.requests.count == 1)
    }
  }

  @Test func theFirstChallengeThatIsSupportedIsAnswered() async throws {
    let transport = FakeTransport { request in
      request.headers.contains("Authorization")
        ? .response(200)
        : .response(
          401,
          [
            "WWW-Authenticate":
              "Digest realm=\"r\", nonce=\"1\", algorithm=SHA-1, Digest realm=\"r\", nonce=\"2\", "
              + "algorithm=SHA-256, qop=\"auth\", Digest realm=\"r\", nonce=\"3\", qop=\"auth\""
          ])
    }
    #expect(try await client(transport).request(.get("a")).value.status == 200)
    let field = try #require(transport.requests.last?.headers["Authorization"])
    #expect(field.contains("nonce=\"2\"") && field.contains("algorithm=SHA-256"))
  }

  @Test func credentialsGoToTheirOriginOnly() async throws {
    let server = DigestServer { request in
      request.url.path == "/away"
        ? .response(302, ["Location": "https://other.example.com/b"]) : .response(200)
    }
    let transport = FakeTransport { request in
      request.url.host == "other.example.com"
        ? .response(401, ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"1\", qop=\"auth\""])
        : server.respond(to: request)
    }
    let client = client(transport)
    #expect(try await client.request(.get("a")).value.status == 200)
    #expect(try await client.request(.get("away")).value.status == 401)
    #expect(
      try await client.request(.get(.url(.of("https://other.example.com/c")))).value.status == 401)
    #expect(counts(transport) == [nil, "00000001", "00000002", nil, nil])
    // A field of the request takes precedence.
    let own = try await client.request(.get("a", headers: ["Authorization": "Bearer t"])).value
    #expect(own.status == 401 && transport.requests.last?.headers["Authorization"] == "Bearer t")
  }

  /// Source: RFC 7616 section 3.3, `domain`.
  @Test func aProtectionSpaceLimitsTheRequestsWithAResponseAtOnce() async throws {
    let server = DigestServer()
    server.state.withLock {
      $0.parameters += ", domain=\"/api/ https://other.example.com/ /one /a%20b[1]\""
    }
    let transport = transport(server)
    let client = client(transport)
    for path in ["api/a", "api/b", "one", "a%20b%5B1%5D/c", "only", "ap"] {
      #expect(try await client.request(.get(RequestPath(raw: path))).value.status == 200)
    }
    #expect(
      counts(transport) == [
        nil, "00000001", "00000002", "00000003", "00000004", nil, "00000005", nil, "00000006",
      ])
  }

  @Test func onlyTheFirst32URIsOfADomainCount() async throws {
    let server = DigestServer()
    let uris = (1...1_000).map { "/\($0)" }.joined(separator: " ")
    server.state.withLock { $0.parameters += ", domain=\"\(uris)\"" }
    let transport = transport(server)
    let client = client(transport)
    for path in ["32/a", "1", "32/b", "33/a", "33/a"] {
      #expect(try await client.request(.get(RequestPath(raw: path))).value.status == 200)
    }
    #expect(
      counts(transport) == [
        nil, "00000001", "00000002", "00000003", nil, "00000004", nil, "00000005",
      ])
  }

  @Test func aBodyIsSentAgainIfThatIsPossible() async throws {
    let transport = transport(DigestServer())
    let client = client(transport)
    let body = Data("body".utf8)
    let stream = BodyStream(
      length: 4,
      once: AsyncStream {
        $0.yield(body); $0.finish()
      })
    let response = try await client.request(.upload(stream: stream, to: "a")).value
    #expect(response.status == 401 && transport.requests.count == 1)
    // The challenge is kept.
    #expect(try await client.request(.upload(data: body, to: "a")).value.status == 200)
    #expect(transport.requests.count == 2)
    let another = self.client(transport)
    #expect(try await another.request(.upload(data: body, to: "a")).value.status == 200)
    #expect(transport.requests.map(\.body).suffix(2) == [.data(body), .data(body)])
  }

  @Test func manyRequestsAtOnceHaveDifferentCounts() async throws {
    let server = DigestServer()
    let transport = transport(server)
    let client = client(transport)
    _ = try await client.request(.get("first")).value
    await withTaskGroup(of: Int?.self) { group in
      for _ in 1...50 {
        group.addTask { try? await client.request(.get("a")).value.status }
      }
      for await status in group { #expect(status == 200) }
    }
    #expect(transport.requests.count == 52)
    #expect(Set(counts(transport).compactMap { $0 }).count == 51)
  }

  @Test func eventsAndDescriptionsHaveNoSecrets() async throws {
    let log = RecordingLog()
    let transport = transport(DigestServer())
    let client = client(transport) {
      $0.logging = LoggingConfiguration(.verbose, to: log)
    }
    let monitor = RecordingMonitor()
    client.addMonitor(monitor)
    _ = try await client.request(.get("a")).value
    let events = await monitor.events(ofCalls: 1)
    _ = await log.ends.entries(1)
    let text = (log.lines.entries + events.map { "\($0) \(String(reflecting: $0))" })
      .joined(separator: "\n")
    let response = try #require(transport.requests.last?.headers["Authorization"])
    let hash = try #require(AuthenticationChallenge.list(response).first?.parameters["response"])
    #expect(!text.contains("s3cret") && !text.contains(hash) && text.contains("challenge answered"))
    let authenticator = DigestAuthenticator(username: "ada", password: "s3cret")
    var dumped = ""
    dump(authenticator, to: &dumped)
    #expect("\(authenticator)" == "ada:***" && !dumped.contains("s3cret"))
    #expect(events.filter { $0.kind == .challenged }.count == 1)
  }

  #if os(Linux) || os(macOS)
    @Test func theTargetIsThatOfTheRequestLine() async throws {
      let server = try ScriptedServer { request in
        request.values(of: "Authorization").isEmpty
          ? [
            .respond(
              "401 No",
              ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", algorithm=SHA-256, qop=\"auth\""]
            )
          ] : [.respond()]
      }
      let client = Networking<Request>(transport: PlatformTransport.make(), configuration: .plain)
      client.baseURL = server.url()
      client.authenticate(username: "ada", password: "s3cret", scheme: .digest)
      for path in ["a/%7Eb/../c?x=%2F&y=%C3%A9#f", "?q", ""] {
        _ = try await client.request(.get(RequestPath(raw: path))).value
      }
      let answers = server.requests.entries.compactMap { request in
        request.values(of: "Authorization").first.map { (request.target, $0) }
      }
      #expect(answers.count == 3)
      for (target, field) in answers {
        #expect(AuthenticationChallenge.list(field).first?.parameters["uri"] == target)
      }
      await server.stop()
    }
  #endif
}

extension Response {
  fileprivate var text: String { String(decoding: data, as: UTF8.self) }
}

/// A logger that records all lines.
private struct RecordingLog: NetworkLogger {
  let lines = Log<String>()
  let ends = Log<NetworkEvent>()

  func log(_ entry: NetworkLogEntry) {
    for line in entry.lines { lines.append(line) }
    if entry.event.isFinal { ends.append(entry.event) }
  }
}
