import MockingStubs

#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct MockServerTLSTests {
    private let authority: MockAuthority
    private let certificate: MockCertificate
    private let transport: CurlTransport

    init() throws {
      authority = try MockAuthority()
      certificate = try authority.certificate(for: "127.0.0.1", "::1")
      let trust = ServerTrust.all(.authorities(authority.source))
      transport = CurlTransport(options: .init(tls: try TLSOptions(trust: trust)))
    }

    private func server(
      fault: MockFault? = nil, _ mock: @escaping @Sendable (ReceivedRequest) -> Mock
    ) throws -> MockServer {
      try MockServer(connectionFault: { _ in fault }, tls: MockTLS(certificate)) {
        Route(.get, "/") { request in mock(request) }
        Route(.post, "/") { request in .data(request.body) }
      }
    }

    @Test func theURLHasTheSchemeOfTLS() throws {
      let server = try server { _ in .text("hello") }
      #expect(server.url.absoluteString == "https://127.0.0.1:\(server.port)")
    }

    @Test func requestsReuseAConnection() async throws {
      let server = try server { _ in .text("hello") }
      for isReused in [false, true] {
        let record = await transport.get(server.url)
        #expect(record.body == Data("hello".utf8))
        #expect(record.metrics?.reusedConnection == isReused)
        #expect(record.metrics?.tls?.applicationProtocol == "http/1.1")
      }
      let handshake = try #require(server.handshakes.first)
      #expect(server.handshakes.count == 1 && handshake.version == .v1_3)
      #expect(handshake.applicationProtocol == "http/1.1" && handshake.failure == nil)
    }

    @Test func largeBodiesPassInBothDirections() async throws {
      let body = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      let server = try server { _ in .data(body) }
      #expect(await transport.get(server.url).body == body)
      let request = HTTPRequest(method: .post, url: server.url, body: .data(body))
      #expect(await ExchangeRecorder(transport, request).record.body == body)
    }

    @Test func faultsOfAResponseApplyBelowTLS() async throws {
      let reset = try server { _ in .fault(.reset, at: .body(afterBytes: 5)) }
      #expect(await transport.get(reset.url).failure?.code == .connectionLost)
      let garbage = try server(fault: .garbage(Data("no handshake".utf8))) { _ in .text("hello") }
      #expect(await transport.get(garbage.url).failure?.code == .tlsHandshakeFailed)
    }

    @Test func aClientThatDoesNotTrustTheServerIsRecorded() async throws {
      let server = try server { _ in .text("hello") }
      #expect(await CurlTransport().get(server.url).failure?.code == .tlsUntrusted)
      let plain = await transport.get(
        try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
      #expect(plain.failure != nil)
      // The server may still be reading the alert of the client.
      server.stop()
      #expect(server.handshakes.count == 2)
      #expect(server.handshakes.allSatisfy { $0.version == nil && $0.failure != nil })
      #expect(server.requestCount == 0)
    }

    @Test func theAdminAPIAcceptsItsOwnPageOverTLS() async throws {
      let server = try server { request in .text(request.scheme) }
      try server.serveAdmin()
      #expect(await transport.get(server.url).body == Data("https".utf8))
      for (origin, status) in [
        (server.url.absoluteString, 200), ("http://127.0.0.1:\(server.port)", 403),
        ("https://example.com", 403),
      ] {
        let request = HTTPRequest(
          method: .post, url: server.url.appendingPathComponent("__mock/reset"),
          headers: ["Origin": origin])
        let record = await ExchangeRecorder(transport, request).record
        #expect(record.head.map { $0.status / 100 } == status / 100, "\(origin)")
      }
    }

    @Test func unusableSettingsAreRefused() throws {
      for time in [Double.infinity, -.infinity, .nan, 1e300] {
        let date = Date(timeIntervalSince1970: time)
        #expect(throws: MockServerError.self) {
          try authority.certificate(
            for: "a.example", validity: .interval(from: date, until: Date()))
        }
      }
      #expect(throws: MockServerError.self) { try authority.certificate(for: "a,DNS:b") }
      #expect(throws: MockServerError.self) { try authority.certificate(for: "") }
    }

    @Test func authoritiesAndCertificatesAreDescribedWithoutTheirKeys() throws {
      var dumped = ""
      dump(authority, to: &dumped)
      dump(certificate, to: &dumped)
      let key = certificate.privateKeyPEM.split(separator: "\n")[1]
      #expect(dumped.contains("CN=127.0.0.1") && !dumped.contains(key))
      #expect(certificate.pem.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    }
  }
#endif
