import Foundation
import Mocking
import Networking
import TestGate
import TestSupport
import Testing

// A certificate of a `MockAuthority` can be made on Linux only.
#if os(Linux)
  /// Pinned public keys, and a server that asks for a client certificate.
  @Suite(.gated)
  struct CaraTrustTests {
    private let authority: MockAuthority
    private let certificate: MockCertificate

    init() throws {
      authority = try MockAuthority()
      certificate = try authority.certificate(for: "127.0.0.1", "localhost")
    }

    private func server(
      _ clientCertificates: MockTLS.ClientCertificates = .ignored
    ) throws -> MockServer {
      let tls = MockTLS(
        certificate, clientCertificates: clientCertificates, clientAuthorities: [authority])
      return try MockServer(tls: tls) { Route(.get, "/user", .json(["name": "Ada"])) }
    }

    private func failure(
      _ service: Networking<Request>, _ server: MockServer, host: String = "127.0.0.1"
    ) async throws -> NetworkError.Code? {
      let url = try #require(URL(string: "https://\(host):\(server.port)/user"))
      return await service.request(.get(.url(url))).result.failure(as: NetworkError.self)?.code
    }

    @Test("A8: public keys are pinned by host")
    func publicKeys() async throws {
      let trusted = ServerTrust.Policy.authorities(authority.source)
      let key = certificate.publicKeyPin
      // sample A8
      let publicKeys: ServerTrust = [
        "127.0.0.1": trusted.pinnedKeys([key]),
        "localhost": trusted.pinnedKeys(["l2Z/zhy2hByKIqvgRkpKRm6M234/2HAEwiPXx5T8YYI="]),
      ]
      let service = Networking<Request>(sessionConfiguration: try .ephemeral.trusting(publicKeys))
      // end
      let server = try server()
      #expect(try await failure(service, server) == nil)
      #expect(try await failure(service, server, host: "localhost") == .pinMismatch)
      #expect(try await failure(service, server) == nil)
    }

    @Test("A8b: a pin without the prefix is the same pin")
    func withoutPrefix() throws {
      // sample A8b
      let pin: PublicKeyPin = "9GzkflclMUOxhMgy32AWL/OGkMZF/5NIjvL8M/4rb3k="
      // end
      let prefixed: PublicKeyPin = "sha256/9GzkflclMUOxhMgy32AWL/OGkMZF/5NIjvL8M/4rb3k="
      #expect(pin == prefixed)
      let text = certificate.publicKeyPin.description
      #expect(PublicKeyPin(String(text.drop { $0 != "/" }.dropFirst())) == certificate.publicKeyPin)
    }

    @Test("A13: a server that asks for a client certificate")
    func clientCertificate() async throws {
      let identity = try authority.clientCertificate(name: "cara").identity
      let trusting = try SessionConfiguration.ephemeral.trusting(
        .all(.authorities(authority.source)))
      // sample A13
      let service = Networking<Request>(sessionConfiguration: trusting)
      let identified = Networking<Request>(
        sessionConfiguration: try trusting.identifying(as: identity, to: "127.0.0.1"))
      // end
      let requested = try server(.requested)
      #expect(try await failure(service, requested) == nil)
      #expect(try await failure(identified, requested) == nil)
      #expect(requested.handshakes.map { $0.clientCertificate != nil } == [false, true])
      let required = try server(.required)
      #expect(try await failure(service, required) != nil)
      #expect(try await failure(identified, required) == nil)
    }
  }
#endif
