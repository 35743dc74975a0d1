#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import Synchronization
  import TestSupport
  import Testing

  /// The matrix of servers, policies and outcomes.
  ///
  /// Each case is a handshake with a ``MockServer``.
  @Suite(.timeLimit(.minutes(10)))
  struct ServerTrustTests {
    private typealias Policy = ServerTrust.Policy

    private let fixture: TrustFixture

    init() throws {
      fixture = try TrustFixture.shared.get()
    }

    /// A certificate of a server, a policy, and the code of the failure or `nil`.
    struct Case: CustomTestStringConvertible, Sendable {
      let testDescription: String
      let certificate: @Sendable (TrustFixture) throws -> MockCertificate
      let policy: @Sendable (TrustFixture) throws -> ServerTrust.Policy
      let code: NetworkError.Code?
      var host = "127.0.0.1"

      init(
        _ name: String, _ code: NetworkError.Code?, host: String = "127.0.0.1",
        _ certificate: @escaping @Sendable (TrustFixture) throws -> MockCertificate = { $0.leaf },
        policy: @escaping @Sendable (TrustFixture) throws -> ServerTrust.Policy = { $0.policy }
      ) {
        testDescription = name
        self.code = code
        self.host = host
        self.certificate = certificate
        self.policy = policy
      }
    }

    private static let validity: [Case] = [
      Case("a valid certificate", nil),
      Case("an expired one", .tlsCertificateExpired) {
        try $0.root.certificate(for: "127.0.0.1", validity: .expired)
      },
      Case("one that is not valid yet", .tlsCertificateExpired) {
        try $0.root.certificate(for: "127.0.0.1", validity: .notYet)
      },
      Case("an expired intermediate", .tlsCertificateExpired) {
        try $0.root.intermediate(validity: .expired).certificate(for: "127.0.0.1")
      },
      Case("an untrusted root", .tlsUntrusted) { try $0.stranger.certificate(for: "127.0.0.1") },
      Case("the system's authorities", .tlsUntrusted, policy: { _ in .system }),
      Case(
        "own and the system's authorities", nil,
        policy: {
          .authorities($0.root.source, besidesSystem: true)
        }),
      Case("any certificate", nil) {
        try $0.stranger.certificate(for: "other.example", validity: .expired)
      } policy: { _ in
        .insecure
      },
      Case("an intermediate", nil) { $0.deepLeaf },
      Case("a missing intermediate", .tlsUntrusted) { $0.deepLeaf.sending() },
      Case("an intermediate as the only anchor", nil) {
        $0.deepLeaf.sending()
      } policy: {
        .authorities($0.middle.source)
      },
      Case(
        "the certificate itself as the only anchor", nil,
        policy: {
          .authorities(.data($0.leaf.der))
        }),
      Case("a certificate for clients", .tlsUntrusted) { try $0.root.clientCertificate() },
    ]

    private static let hosts: [Case] = [
      Case("another name", .tlsHostMismatch) { try $0.root.certificate(for: "other.example") },
      Case("another address", .tlsHostMismatch) { try $0.root.certificate(for: "127.0.0.2") },
      Case("a name for an address", .tlsHostMismatch) { try $0.root.certificate(for: "localhost") },
      Case("an address for a name", .tlsHostMismatch, host: "localhost") {
        try $0.root.certificate(for: "127.0.0.1")
      },
      Case("a name", nil, host: "localhost"),
      Case("a name in capital letters", nil, host: "LOCALHOST"),
      Case("a wildcard for a whole name", .tlsHostMismatch, host: "localhost") {
        try $0.root.certificate(for: "*")
      },
      Case("a wildcard for the left-most label", nil, host: "a.test.localhost") {
        try $0.root.certificate(for: "*.test.localhost")
      },
      Case("a wildcard for two labels", .tlsHostMismatch, host: "a.b.test.localhost") {
        try $0.root.certificate(for: "*.test.localhost")
      },
      Case("a wildcard for no label", .tlsHostMismatch, host: "test.localhost") {
        try $0.root.certificate(for: "*.test.localhost")
      },
      Case("a wildcard for a part of a label", .tlsHostMismatch, host: "ab.test.localhost") {
        try $0.root.certificate(for: "a*.test.localhost")
      },
      Case("a wildcard in the second label", .tlsHostMismatch, host: "a.b.test.localhost") {
        try $0.root.certificate(for: "a.*.test.localhost")
      },
    ]

    private static let pins: [Case] = [
      Case("the pin of the leaf", nil, policy: { $0.policy.pinnedKeys([$0.leaf.publicKeyPin]) }),
      Case("the pin of the intermediate", nil) {
        $0.deepLeaf
      } policy: {
        $0.policy.pinnedKeys([$0.middle.publicKeyPin])
      },
      Case("the pin of the root", nil) {
        $0.deepLeaf
      } policy: {
        $0.policy.pinnedKeys([$0.root.publicKeyPin])
      },
      Case(
        "the pin of the root for the leaf alone", .pinMismatch,
        policy: {
          $0.policy.pinnedKeys([$0.root.publicKeyPin], in: .leaf)
        }),
      Case(
        "another pin", .pinMismatch,
        policy: {
          $0.policy.pinnedKeys([$0.stranger.publicKeyPin])
        }),
      Case("a pinned key in an unrelated certificate that is sent along", .pinMismatch) {
        $0.leaf.sending($0.stranger.certificate)
      } policy: {
        $0.policy.pinnedKeys([$0.stranger.publicKeyPin])
      },
      Case(
        "an unrelated certificate that is sent along, without any check of the chain", .pinMismatch
      ) {
        $0.leaf.sending($0.stranger.certificate)
      } policy: {
        .insecure.pinnedKeys([$0.stranger.publicKeyPin])
      },
      Case(
        "a rotated key with a backup pin", nil,
        policy: {
          $0.policy.pinnedKeys([$0.stranger.publicKeyPin, $0.leaf.publicKeyPin], in: .leaf)
        }),
      Case("a renewed certificate with the same key", nil) {
        try $0.root.certificate(for: "127.0.0.1", reusingKeyOf: $0.leaf)
      } policy: {
        $0.policy.pinnedKeys([$0.leaf.publicKeyPin], in: .leaf)
      },
      Case(
        "expired pins", nil,
        policy: {
          $0.policy.pinnedKeys([$0.stranger.publicKeyPin], until: "2020-01-01")
        }),
      Case(
        "pins that have not expired", .pinMismatch,
        policy: {
          $0.policy.pinnedKeys([$0.stranger.publicKeyPin], until: "2999-01-01")
        }),
      Case("a pinned key of an untrusted chain", .tlsUntrusted) {
        try $0.stranger.certificate(for: "127.0.0.1")
      } policy: {
        $0.policy.pinnedKeys([$0.stranger.publicKeyPin])
      },
      Case(
        "a pinned certificate", nil,
        policy: {
          $0.policy.pinnedCertificates(.data($0.leaf.der))
        }),
      Case(
        "a pinned authority in place of the leaf", .pinMismatch,
        policy: {
          $0.policy.pinnedCertificates(.data($0.root.certificate.der))
        }),
      Case(
        "a pinned authority", nil,
        policy: {
          $0.policy.pinnedCertificates(.pem($0.root.pem), in: .chain)
        }),
      Case("a pinned certificate that was renewed", .pinMismatch) {
        try $0.root.certificate(for: "127.0.0.1", reusingKeyOf: $0.leaf)
      } policy: {
        $0.policy.pinnedCertificates(.data($0.leaf.der))
      },
      Case(
        "two sets of pins that both match", nil,
        policy: {
          $0.policy.pinnedKeys([$0.leaf.publicKeyPin]).pinnedKeys([$0.root.publicKeyPin])
        }),
      Case(
        "two sets of pins of which one matches", .pinMismatch,
        policy: {
          $0.policy.pinnedKeys([$0.leaf.publicKeyPin]).pinnedKeys([$0.stranger.publicKeyPin])
        }),
    ]

    @Test(arguments: validity + hosts + pins)
    func theServerIsAcceptedOrRejectedWithTheCode(_ case: Case) async throws {
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
      request.withholdsClientCertificate = true
      #expect(await ExchangeRecorder(made, request).record.head?.status == 200)
      transport.withLock { $0 = nil }
    }

    @Test func otherTrustRemovesTheResponsesOfTheFormerOne() async throws {
      let server = try MockServer(tls: MockTLS(fixture.leaf)) {
        Route(.get, "/") { _ in .text("hello").header("Cache-Control", "max-age=1000") }
      }
      let client = try Networking<Request>(
        sessionConfiguration: .ephemeral.trusting(.all(.insecure)))
      client.setBaseURL(server.url)
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

    @Test func aReportedMismatchDoesNotFailTheRequest() async throws {
      let server = try fixture.server(MockTLS(fixture.leaf))
      let reported = Mutex<[PinMismatch]>([])
      let outcome = try await fixture.get(
        server,
        fixture.policy.pinnedKeys(
          [fixture.stranger.publicKeyPin],
          mode: .reported { mismatch in reported.withLock { $0.append(mismatch) } }))
      #expect(outcome.status == 200 && outcome.tls?.hasReportedPinMismatch == true)
      let mismatch = try #require(reported.withLock { $0 }.first)
      #expect(mismatch.seen == [fixture.leaf.publicKeyPin, fixture.root.publicKeyPin])
      #expect(mismatch.expected == [fixture.stranger.publicKeyPin])
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
