#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(
    .gated, .serialized,
    .enabled(if: Certificates.areAvailable, "The openssl tool makes the certificates"))
  struct CurlTLSTests {
    private let certificates: Certificates

    init() async throws {
      certificates = try await Certificates()
      try await certificates.make("good")
    }

    private func get(
      _ server: TLSServer, _ tls: TLSOptions
    ) async -> ExchangeRecord {
      await CurlTransport(options: .init(tls: tls)).get(server.url)
    }

    private var trusting: TLSOptions {
      get throws { try certificates.trusting }
    }

    private func options(
      _ policy: (ServerTrust.Policy) -> ServerTrust.Policy, identity: ClientIdentity? = nil
    ) throws -> TLSOptions {
      try TLSOptions(
        trust: .all(policy(.authorities(.file(certificates.authority)))),
        identities: identity.map { ["127.0.0.1": $0] } ?? [:])
    }

    @Test func aClientCertificateIsSent() async throws {
      let server = try await TLSServer(
        certificates, "good",
        ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.authority.path])
      #expect(try await get(server, trusting).failure?.code == .tlsHandshakeFailed)
      try await certificates.make("client")
      let tls = try options({ $0 }, identity: certificates.identity("client"))
      #expect(await get(server, tls).head?.status == 200)
    }

    /// Runs in a separate process whose standard input has the password.
    ///
    /// OpenSSL would read it from there, because the process has no terminal.
    @Test func anEncryptedKeyWithoutAPasswordFailsWithoutAPrompt() async {
      await #expect(processExitsWith: .success) {
        let certificates = try await Certificates()
        try await certificates.make("good")
        try await certificates.make("client")
        let key = try await certificates.encryptKey("client", password: "sesame")
        let server = try await TLSServer(
          certificates, "good",
          ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.authority.path])
        setsid()
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        #expect(write(ends[1], "sesame\n", 7) == 7)
        #expect(dup2(ends[0], 0) == 0)
        let trust = ServerTrust.all(.authorities(.file(certificates.authority)))
        for password in [nil, "other"] as [String?] {
          let error = #expect(throws: NetworkError.self) {
            try TLSOptions(
              trust: trust,
              identities: [
                "127.0.0.1": certificates.identity("client", key: key, password: password)
              ])
          }
          #expect(error?.code == .invalidTLSOptions)
        }
        let tls = try TLSOptions(
          trust: trust,
          identities: ["127.0.0.1": certificates.identity("client", key: key, password: "sesame")])
        let record = await CurlTransport(options: .init(tls: tls)).get(server.url)
        #expect(record.head?.status == 200)
      }
    }

    @Test func aPortWithoutTLSFailsTheHandshake() async throws {
      let plain = try ScriptedServer(greeting: [.text("HTTP/1.1 400 Bad Request\r\n\r\n")]) { _ in
        []
      }
      let url = try #require(URL(string: "https://127.0.0.1:\(plain.port)/"))
      #expect(await CurlTransport().get(url).failure?.code == .tlsHandshakeFailed)
    }
  }

  @Suite(
    .gated,
    .enabled(if: Certificates.areAvailable && NginxServer.isAvailable, "nginx redirects over TLS"))
  struct CurlClientCertificateTests {
    /// Starts the server, and makes a client with a certificate, whose issuer the server does not trust.
    private static func serverAndClient(
      _ speaksHTTP2: Bool
    ) async throws -> (NginxServer, Networking<Request>) {
      let certificates = try await Certificates()
      for name in ["good", "client"] { try await certificates.make(name, host: "DNS:localhost") }
      let server = try await NginxServer(
        certificates, "good", upstream: 1, speaksHTTP2: speaksHTTP2)
      let tls = try TLSOptions(
        trust: .all(.authorities(.file(certificates.authority))),
        identities: ["localhost": certificates.identity("client")])
      let transport = CurlTransport(
        options: .init(tls: tls, unixSocketPath: server.socketPath))
      let client = Networking<Request>(transport: transport, configuration: .plain)
      client.callbackContext = .inline
      return (server, client)
    }

    /// Returns the verification of the client certificate by nginx: `NONE` without a certificate.
    private static func verification(
      _ client: Networking<Request>, _ url: String
    ) async throws -> String {
      try await client.request(.get(RequestPath(raw: url))).toString().value
    }

    @Test(arguments: [true, false])
    func aClientCertificateIsNotPresentedToTheTargetOfARedirectToAnotherOrigin(
      _ speaksHTTP2: Bool
    ) async throws {
      let (server, client) = try await Self.serverAndClient(speaksHTTP2)
      let own = try await Self.verification(client, "https://localhost/client")
      #expect(own.hasPrefix("FAILED"))
      #expect(try await Self.verification(client, "https://localhost/to/443") == own)
      #expect(try await Self.verification(client, "https://localhost/to/8443") == "NONE")
      // The connections without the certificate are not used for requests with it, nor the reverse.
      #expect(try await Self.verification(client, "https://localhost:8443/client") == own)
      #expect(try await Self.verification(client, "https://localhost/to/8443") == "NONE")
      #expect(try await Self.verification(client, "https://localhost:8443/to/443") == "NONE")
      withExtendedLifetime(server) {}
    }
  }
#endif
