#if os(Linux)
  import Foundation
  import Mocking
  @testable import Networking
  import CatenaSystem
  import TestGate
  import TestSupport
  import Testing

  /// The matrix of servers, policies and outcomes.
  ///
  /// Each case is a handshake with a ``MockServer``.
  @Suite(.gated)
  struct ServerTrustTests {
    private let fixture: TrustFixture

    init() throws {
      fixture = try TrustFixture.shared.get()
    }

    @Test(arguments: TrustCase.validity + TrustCase.hosts + TrustCase.pins)
    func theServerIsAcceptedOrRejectedWithTheCode(_ case: TrustCase) async throws {
      let server = try fixture.server(MockTLS(`case`.certificate(fixture)))
      let outcome = try await fixture.get(server, `case`.policy(fixture), host: `case`.host)
      #expect(outcome.code == `case`.code)
      #expect(outcome.status == (`case`.code == nil ? 200 : nil))
      if `case`.code != nil {
        #expect(outcome.failure?.code == `case`.code)
        #expect(server.journal.count == 0)
      }
    }

    @Test(arguments: TLSVersion.allCases, TLSVersion.allCases)
    func aVersionIsNegotiatedOnlyWithinTheLimits(_ own: TLSVersion, _ lowest: TLSVersion)
      async throws
    {
      let server = try fixture.server(
        MockTLS(fixture.leaf, minimumVersion: own, maximumVersion: own))
      let outcome = try await fixture.get(server, fixture.policy.versions(lowest))
      #expect(outcome.tls?.version == (own >= lowest ? own : nil))
      #expect(outcome.code == (own >= lowest ? nil : .tlsHandshakeFailed))
    }

    @Test func aHighestVersionLimitsTheNegotiation() async throws {
      let server = try fixture.server(MockTLS(fixture.leaf))
      let outcome = try await fixture.get(server, fixture.policy.versions(.v1_2, through: .v1_2))
      #expect(outcome.tls?.version == .v1_2)
    }

    @Test(
      arguments: [
        (Revocation.Stapled.required, nil, nil),
        (.required, true, NetworkError.Code.tlsRevoked),
        (.ifPresent, nil, nil), (.ifPresent, true, .tlsRevoked), (.ignored, true, nil),
      ] as [(Revocation.Stapled, Bool?, NetworkError.Code?)])
    func aStapledStatusIsChecked(
      _ use: Revocation.Stapled, _ isRevoked: Bool?, _ code: NetworkError.Code?
    ) async throws {
      let status = try fixture.root.revocationStatus(
        of: fixture.leaf, isRevoked: isRevoked ?? false)
      for maximum in [TLSVersion.v1_2, .v1_3] {
        let server = try fixture.server(
          MockTLS(fixture.leaf, maximumVersion: maximum, stapledStatus: status))
        let outcome = try await fixture.get(server, fixture.policy.revocation(stapled: use))
        #expect(outcome.code == code, "\(maximum)")
      }
    }

    @Test func aMissingOrInvalidStatusIsRejectedIfItIsRequired() async throws {
      let required = fixture.policy.revocation(stapled: .required)
      let without = try fixture.server(MockTLS(fixture.leaf))
      #expect(try await fixture.get(without, required).code == .tlsRevocationUnknown)
      #expect(
        try await fixture.get(without, fixture.policy.revocation(stapled: .ifPresent)).status == 200
      )
      let statuses = try [
        fixture.root.revocationStatus(of: fixture.leaf, validity: .expired),
        fixture.stranger.revocationStatus(of: fixture.leaf),
        fixture.root.revocationStatus(of: fixture.root.certificate(for: "other.example")),
        Data("no status".utf8),
      ]
      for status in statuses {
        let server = try fixture.server(MockTLS(fixture.leaf, stapledStatus: status))
        #expect(try await fixture.get(server, required).code == .tlsRevocationUnknown)
      }
    }

    @Test func aStapledStatusAndListsAreCheckedTogether() async throws {
      let other = try fixture.middle.certificate(for: "127.0.0.1")
      let list = try fixture.middle.revocationList(revoking: other)
      let policy = fixture.policy.revocation(stapled: .required, lists: [.data(list)])
      for (authority, isRevoked, code) in [
        (fixture.middle, false, nil), (fixture.middle, true, NetworkError.Code.tlsRevoked),
        // Another certificate of the chain is not the issuer.
        (fixture.root, false, .tlsRevocationUnknown),
      ] {
        let status = try authority.revocationStatus(of: fixture.deepLeaf, isRevoked: isRevoked)
        let server = try fixture.server(MockTLS(fixture.deepLeaf, stapledStatus: status))
        #expect(try await fixture.get(server, policy).code == code)
      }
    }

    @Test func aPredicateMayUseTheTransport() async throws {
      let server = try fixture.server(MockTLS(fixture.leaf))
      let transport = Mutex<CurlTransport?>(nil)
      let identity = try fixture.root.clientCertificate().identity
      let hosts = HostPattern.matching { host, _ in
        transport.withLock { $0 }?.tls != nil && host == "127.0.0.1"
      }
      let made = CurlTransport(
        options: .init(
          tls: try TLSOptions(trust: .all(fixture.policy), identities: [hosts: identity])))
      transport.withLock { $0 = made }
      var request = HTTPRequest(method: .get, url: server.url)
      request.options.withholdsClientCertificate = true
      #expect(await ExchangeRecorder(made, request).record.head?.status == 200)
      transport.withLock { $0 = nil }
    }

    @Test func otherTrustRemovesTheResponsesOfTheFormerOne() async throws {
      let server = try MockServer(tls: MockTLS(fixture.leaf)) {
        Route(.get, "/") { _ in .text("hello").header("Cache-Control", "max-age=1000") }
      }
      let client = try Networking<Request>(
        sessionConfiguration: .ephemeral.trusting(.all(.insecure)))
      client.baseURL = server.url
      client.callbackContext = .inline
      for source in [Response.Source.network, .cache] {
        #expect(try await client.request(.get("/")).value.source == source)
      }
      try client.setTLS(TLSOptions(trust: .all(fixture.policy)))
      #expect(try await client.request(.get("/")).value.source == .network)
    }

    @Test func revocationListsAreChecked() async throws {
      let server = try fixture.server(MockTLS(fixture.leaf))
      let other = try fixture.root.certificate(for: "127.0.0.1")
      func code(_ list: Data) async throws -> NetworkError.Code? {
        try await fixture.get(server, fixture.policy.revocation(lists: [.data(list)])).code
      }
      #expect(try await code(fixture.root.revocationList(revoking: other)) == nil)
      #expect(
        try await code(fixture.root.revocationList(revoking: other, fixture.leaf)) == .tlsRevoked)
      #expect(
        try await code(fixture.root.revocationList(revoking: other, validity: .expired))
          == .tlsRevocationUnknown)
      #expect(
        try await code(fixture.stranger.revocationList(revoking: other)) == .tlsRevocationUnknown)
    }

    @Test func aRuleOfTheCallerReceivesTheVerifiedChain() async throws {
      let server = try fixture.server(
        MockTLS(fixture.deepLeaf.sending(fixture.middle.certificate, fixture.stranger.certificate)))
      let seen = Mutex<([String], String)>(([], ""))
      let accepted = try await fixture.get(
        server,
        fixture.policy.evaluate { chain, host in
          seen.withLock { $0 = (chain.map(\.subject), host) }
          return true
        })
      #expect(accepted.status == 200)
      #expect(seen.withLock { $0.0 } == ["CN=127.0.0.1", "CN=middle", "CN=root"])
      #expect(seen.withLock { $0.1 } == "127.0.0.1")
      #expect(
        try await fixture.get(server, fixture.policy.evaluate { _, _ in false }).code
          == .tlsUntrusted)
      let thrown = try await fixture.get(
        server, fixture.policy.evaluate { _, _ in throw TestError("too young") })
      #expect(thrown.code == .tlsUntrusted)
      #expect(thrown.failure?.underlying is TestError)
    }

    @Test func errorsNameTheCertificatesThePinsAndTheHosts() async throws {
      let server = try fixture.server(MockTLS(fixture.leaf))
      let pinned = try await fixture.get(
        server, fixture.policy.pinnedKeys([fixture.stranger.publicKeyPin]))
      let pins = [fixture.leaf, fixture.root.certificate, fixture.stranger.certificate].map {
        "\($0.publicKeyPin)"
      }
      for pin in pins { #expect(pinned.record.failure?.detail.contains(pin) == true) }

      let untrusted = try await fixture.get(server, .authorities(fixture.stranger.source))
      let text = try #require(untrusted.record.failure?.detail)
      #expect(text.contains("CN=127.0.0.1, issued by CN=root, valid from 20"))
      #expect(text.contains(pins[0]))

      let other = try fixture.server(
        MockTLS(fixture.root.certificate(for: "a.example", "10.0.0.1")))
      let mismatch = try await fixture.get(other, fixture.policy)
      #expect(mismatch.failure?.chain.first?.hostNames == ["a.example", "10.0.0.1"])
      #expect(mismatch.record.failure?.detail.contains("a.example, 10.0.0.1") == true)
    }

    @Test func theMetricsDescribeTheConnection() async throws {
      let server = try fixture.server(MockTLS(fixture.deepLeaf))
      let tls = try #require(try await fixture.get(server, fixture.policy).tls)
      #expect(tls.version == .v1_3 && tls.applicationProtocol == "http/1.1" && tls.isVerified)
      #expect(tls.cipher.hasPrefix("TLS_"))
      #expect(tls.chain.map(\.subject) == ["CN=127.0.0.1", "CN=middle", "CN=root"])
      #expect(tls.chain.first?.publicKeyPin == fixture.deepLeaf.publicKeyPin)
      #expect(try await fixture.get(server, .insecure).tls?.isVerified == false)
    }

    @Test func hostsWithoutAPolicyAreRefusedBeforeTheyAreConnectedTo() async throws {
      let server = try fixture.server(MockTLS(fixture.leaf))
      let trust: ServerTrust = ["127.0.0.1:1": .insecure, "*.localhost": fixture.policy]
      let tls = try TLSOptions(trust: trust.requiringPolicies())
      let outcome = TrustOutcome(await CurlTransport(options: .init(tls: tls)).get(server.url))
      #expect(outcome.code == .tlsUntrusted)
      #expect(outcome.failure?.host == "127.0.0.1")
      #expect(server.handshakes.isEmpty)
    }
  }
#endif
