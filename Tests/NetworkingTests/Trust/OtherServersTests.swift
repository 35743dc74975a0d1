#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// The outcomes are the same with the servers of other programs.
  @Suite(
    .gated, .serialized,
    .enabled(if: Certificates.areAvailable && NginxServer.isAvailable, "openssl and nginx serve"))
  struct OtherServersTests {
    private let fixture: TrustFixture
    private let certificates: Certificates

    init() async throws {
      fixture = try TrustFixture.shared.get()
      certificates = try await Certificates()
    }

    @Test(arguments: TrustCase.otherServers)
    func theServerIsAcceptedOrRejectedWithTheCode(_ case: TrustCase) async throws {
      let certificate = try `case`.certificate(fixture)
      try certificates.add("server", pem: certificate.pem, key: certificate.privateKeyPEM)
      let options = CurlTransport.Options(
        tls: try TLSOptions(trust: .all(try `case`.policy(fixture))))
      let status = `case`.code == nil ? 200 : nil

      let openssl = try await TLSServer(
        certificates, "server", ["-cert_chain", certificates.certificate("server").path])
      let first = TrustOutcome(await CurlTransport(options: options).get(openssl.url))
      #expect(first.code == `case`.code && first.status == status, "openssl s_server")

      let nginx = try await NginxServer(certificates, "server", upstream: 1)
      var local = options
      local.unixSocketPath = nginx.socketPath
      let url = try require(URL(string: "https://127.0.0.1/"))
      let second = TrustOutcome(await CurlTransport(options: local).get(url))
      #expect(second.code == `case`.code && second.status == status, "nginx")
      if status != nil { #expect(second.tls?.applicationProtocol == "h2") }
    }

    @Test(
      arguments: [
        (false, nil, Revocation.Stapled.required), (true, .tlsRevoked, .ifPresent),
        (nil, .tlsRevocationUnknown, .required),
      ] as [(Bool?, NetworkError.Code?, Revocation.Stapled)])
    func theStatusOfAnotherServerIsChecked(
      _ isRevoked: Bool?, _ code: NetworkError.Code?, _ use: Revocation.Stapled
    ) async throws {
      let leaf = fixture.leaf
      try certificates.add("server", pem: leaf.pem, key: leaf.privateKeyPEM)
      var options: [String] = []
      if let isRevoked {
        let file = certificates.certificate("server").appendingPathExtension("status")
        try fixture.root.revocationStatus(of: leaf, isRevoked: isRevoked).write(to: file)
        options = ["-status_file", file.path]
      }
      let server = try await TLSServer(certificates, "server", options)
      let tls = try TLSOptions(trust: .all(fixture.policy.revocation(stapled: use)))
      let outcome = TrustOutcome(await CurlTransport(options: .init(tls: tls)).get(server.url))
      #expect(outcome.code == code)
    }
  }
#endif
