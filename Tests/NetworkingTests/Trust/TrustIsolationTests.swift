#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// No connection or session of one policy is used under another.
  @Suite(.gated)
  struct TrustIsolationTests {
    private let fixture: TrustFixture

    init() throws {
      fixture = try TrustFixture.shared.get()
    }

    private func client(
      _ policy: ServerTrust.Policy, identity: ClientIdentity? = nil
    ) throws -> Networking<Request> {
      var session = try SessionConfiguration.default.trusting(.all(policy))
      if let identity { session = try session.identifying(as: identity, to: "127.0.0.1") }
      let client = Networking<Request>(sessionConfiguration: session)
      client.callbackContext = .inline
      return client
    }

    private func url(_ server: MockServer) -> Request {
      .get(RequestPath(raw: server.url.absoluteString + "/"))
    }

    @Test func aChangedPolicyIsNotServedByAKeptConnection() async throws {
      let server = try fixture.server(MockTLS(fixture.leaf))
      let client = try client(fixture.policy)
      #expect(try await client.request(url(server)).value.status == 200)
      let kept = try await client.request(url(server)).value
      #expect(kept.metrics.reusedConnection && kept.metrics.tls?.version == .v1_3)
      try client.setTLS(
        TLSOptions(trust: .all(fixture.policy.pinnedKeys([fixture.stranger.publicKeyPin]))))
      let error = await #expect(throws: NetworkError.self) {
        try await client.request(url(server)).value
      }
      #expect(error?.code == .pinMismatch)
      try client.setTLS(TLSOptions(trust: .all(fixture.policy)))
      let again = try await client.request(url(server)).value
      #expect(!again.metrics.reusedConnection && again.metrics.tls?.isResumed == false)
      // The first connection, the rejected one, and the last one.
      #expect(server.handshakes.count == 3)
    }

    /// The rounds of nine requests each; TLS_ROUNDS is 1112 for 10,000 requests.
    private static let rounds = Int(ProcessInfo.processInfo.environment["TLS_ROUNDS"] ?? "") ?? 25

    @Test func requestsOfClientsWithOtherPoliciesNeverCross() async throws {
      let first = try fixture.root.clientCertificate(name: "first")
      let second = try fixture.root.clientCertificate(name: "second")
      let server = try fixture.server(
        MockTLS(fixture.leaf, clientCertificates: .required, clientAuthorities: [fixture.root]))
      let clients = try [
        ("CN=first", client(fixture.policy, identity: first.identity)),
        ("CN=second", client(.insecure, identity: second.identity)),
      ]
      let rejecting = try client(
        fixture.policy.pinnedKeys([fixture.stranger.publicKeyPin]), identity: first.identity)
      var (accepted, rejected) = (0, 0)
      for _ in 0..<Self.rounds {
        let pending = (0..<8).map { number in
          let (name, client) = clients[number % 2]
          return client.request(url(server), .headers(["X-Client": name]))
        }
        let refused = rejecting.request(url(server))
        for promise in pending { accepted += try await promise.value.status == 200 ? 1 : 0 }
        do { _ = try await refused.value } catch let error as NetworkError {
          rejected += error.code == .pinMismatch ? 1 : 0
        }
      }
      #expect(accepted == Self.rounds * 8 && rejected == Self.rounds)
      // Each connection has the requests of one client, and its certificate.
      let requests = Dictionary(grouping: server.receivedRequests, by: \.connection)
      #expect(requests.values.reduce(0) { $0 + $1.count } == Self.rounds * 8)
      for handshake in server.handshakes {
        let names = Set((requests[handshake.connection] ?? []).map { $0.headers["X-Client"] })
        #expect(names.count <= 1)
        // A resumed session shows no certificate.
        guard let subject = handshake.clientCertificate?.subject else { continue }
        #expect(names == [subject])
      }
      #expect(requests.count >= 2)
    }

    @Test func aClientCertificateIsPresentedOnlyToItsHosts() async throws {
      let server = try fixture.server(
        MockTLS(fixture.leaf, clientCertificates: .requested, clientAuthorities: [fixture.root]))
      let identity = try fixture.root.clientCertificate(name: "ann").identity
      let tls = try TLSOptions(
        trust: .all(fixture.policy), identities: ["localhost": identity])
      let transport = CurlTransport(options: .init(tls: tls))
      for host in ["127.0.0.1", "localhost"] {
        let url = try require(URL(string: "https://\(host):\(server.port)/"))
        #expect(await transport.get(url).head?.status == 200)
      }
      #expect(server.handshakes.map { $0.clientCertificate?.subject } == [nil, "CN=ann"])
    }

    @Test func sessionsAreResumedWithinATransportAndNotInAnother() async throws {
      let server = try MockServer(tls: MockTLS(fixture.leaf)) {
        Route(.get, "/") { _ in .text("hello").header("Connection", "close") }
      }
      let tls = try TLSOptions(trust: .all(fixture.policy))
      let (transport, other) = (
        CurlTransport(options: .init(tls: tls)), CurlTransport(options: .init(tls: tls))
      )
      for transport in [transport, transport, other] {
        #expect(await transport.get(server.url).head?.status == 200)
      }
      #expect(server.handshakes.map(\.isResumed) == [false, true, false])
    }

    /// libcurl keeps connections, sessions and names and, in some versions, the authorities.
    @Test(arguments: 0..<12)
    func eachHostIsTrustedAsByAFreshClient(seed: UInt64) async throws {
      var random = SeededGenerator(seed: seed)
      let hosts = ["127.0.0.1", "localhost", "a.localhost", "b.localhost"]
      let leaf = try fixture.root.certificate(for: "127.0.0.1", "localhost", "*.localhost")
      let revoked = try fixture.root.certificate(for: "127.0.0.1", "localhost", "*.localhost")
      let strange = try fixture.stranger.certificate(for: "127.0.0.1", "localhost", "*.localhost")
      let list = try fixture.root.revocationList(revoking: revoked)
      let policies: [ServerTrust.Policy] = [
        fixture.policy, .authorities(fixture.stranger.source), .system, .insecure,
        .authorities(fixture.root.source, fixture.stranger.source),
        fixture.policy.pinnedKeys([leaf.publicKeyPin]),
        fixture.policy.pinnedKeys([fixture.stranger.publicKeyPin]),
        fixture.policy.revocation(lists: [.data(list)]),
      ]
      let identities = try ["first", "second"].map {
        try fixture.root.clientCertificate(name: $0).identity
      }
      var (trust, presented) = (ServerTrust([]), ClientIdentities())
      for host in hosts {
        let policy = try #require(policies.randomElement(using: &random))
        trust.policies.append((HostPattern(host), policy))
        if Bool.random(using: &random), let identity = identities.randomElement(using: &random) {
          presented.identities.append((HostPattern(host), identity))
        }
      }
      let tls = try TLSOptions(trust: trust, identities: presented)
      let servers = try [leaf, revoked, strange].map {
        try MockServer(tls: MockTLS($0, clientCertificates: .requested)) {
          Route(.get, "/") { .text("\($0.connection)") }
        }
      }
      let kept = CurlTransport(options: .init(tls: tls))
      for number in 0..<12 {
        let host = try #require(hosts.randomElement(using: &random))
        let server = try #require(servers.randomElement(using: &random))
        let url = try require(URL(string: "https://\(host):\(server.port)/"))
        let fresh = await CurlTransport(options: .init(tls: tls)).get(url)
        let record = await kept.get(url)
        #expect(record.failure?.code == fresh.failure?.code, "request \(number) to \(url)")
        #expect(record.head?.status == fresh.head?.status)
        let handshakes = [record, fresh].compactMap { (record: ExchangeRecord) in
          let text = String(decoding: record.body, as: UTF8.self)
          return server.handshakes.first { "\($0.connection)" == text }
        }
        // A resumed session shows no certificate.
        guard handshakes.count == 2, !handshakes[0].isResumed else { continue }
        let subjects = handshakes.map { $0.clientCertificate?.subject }
        #expect(subjects[0] == subjects[1])
      }
    }
  }
#endif
