#if os(Linux)
  import Foundation
  import Networking
  import TestSupport
  import Testing

  @Suite(
    .timeLimit(.minutes(10)), .serialized,
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
      .init(certificateAuthorities: certificates.authority)
    }

    @Test func aCertificateOfACustomAuthorityIsAccepted() async throws {
      let record = await get(try await TLSServer(certificates, "good"), trusting)
      #expect(record.head?.status == 200)
      #expect(record.metrics?.secured != nil)
    }

    @Test func anUnknownAuthorityIsNotTrusted() async throws {
      let server = try await TLSServer(certificates, "good")
      #expect(await get(server, .init()).failure?.code == .tlsUntrusted)
      #expect(await get(server, .init(dangerouslyTrustsAnyCertificate: true)).head?.status == 200)
    }

    @Test func aSelfSignedCertificateIsNotTrusted() async throws {
      try await certificates.make("self", selfSigned: true)
      let server = try await TLSServer(certificates, "self")
      #expect(await get(server, trusting).failure?.code == .tlsUntrusted)
    }

    @Test func anExpiredCertificateIsExpired() async throws {
      try await certificates.make("expired", days: -1)
      let server = try await TLSServer(certificates, "expired")
      #expect(await get(server, trusting).failure?.code == .tlsCertificateExpired)
    }

    @Test(arguments: ["IP:127.0.0.2", "DNS:example.com"])
    func aCertificateForAnotherHostDoesNotMatch(_ host: String) async throws {
      try await certificates.make("other", host: host)
      let server = try await TLSServer(certificates, "other")
      #expect(await get(server, trusting).failure?.code == .tlsHostMismatch)
    }

    @Test func pinnedKeysAreCheckedInAdditionToTrust() async throws {
      let server = try await TLSServer(certificates, "good")
      try await certificates.make("other")
      let (good, other) = (try await certificates.pin("good"), try await certificates.pin("other"))
      var tls = trusting
      tls.pinnedPublicKeys = [other, String(good.dropFirst("sha256//".count))]
      #expect(await get(server, tls).head?.status == 200)
      tls.pinnedPublicKeys = [other]
      #expect(await get(server, tls).failure?.code == .pinMismatch)
      tls.dangerouslyTrustsAnyCertificate = true
      #expect(await get(server, tls).failure?.code == .pinMismatch)
      let untrusting = TLSOptions(pinnedPublicKeys: [good])
      #expect(await get(server, untrusting).failure?.code == .tlsUntrusted)
    }

    @Test func aClientCertificateIsSent() async throws {
      let server = try await TLSServer(
        certificates, "good",
        ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.authority.path])
      #expect(await get(server, trusting).failure?.code == .tlsHandshakeFailed)
      try await certificates.make("client")
      var tls = trusting
      tls.clientCertificate = .init(
        certificate: certificates.certificate("client"), privateKey: certificates.key("client"))
      #expect(await get(server, tls).head?.status == 200)
    }

    @Test func aVersionBelowTheMinimumIsRejected() async throws {
      let server = try await TLSServer(certificates, "good", ["-tls1_2"])
      #expect(await get(server, trusting).head?.status == 200)
      var tls = trusting
      tls.minimumVersion = .v1_3
      #expect(await get(server, tls).failure?.code == .tlsHandshakeFailed)
    }

    @Test func aPortWithoutTLSFailsTheHandshake() async throws {
      let plain = try ScriptedServer(greeting: [.text("HTTP/1.1 400 Bad Request\r\n\r\n")]) { _ in
        []
      }
      let url = try #require(URL(string: "https://127.0.0.1:\(plain.port)/"))
      #expect(await CurlTransport().get(url).failure?.code == .tlsHandshakeFailed)
    }
  }
#endif
