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
          return client.request(url(server).adding(headers: ["X-Client": name]))
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
  }
#endif
