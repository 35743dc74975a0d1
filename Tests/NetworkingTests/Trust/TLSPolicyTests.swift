#if os(Linux) || os(macOS)
  import CatenaSystem
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// The policies of both transports, with the server of another program.
  @Suite(
    .gated, .serialized,
    .enabled(if: Certificates.areAvailable, "The openssl tool makes the certificates"))
  struct TLSPolicyTests {
    private let certificates: Certificates

    init() async throws {
      certificates = try await Certificates()
      try await certificates.make("good")
    }

    private func get(_ server: TLSServer, _ tls: TLSOptions) async throws -> ExchangeRecord {
      await PlatformTransport.make(tls).get(server.url)
    }

    private var trusting: TLSOptions {
      get throws { try certificates.trusting }
    }

    private func options(
      _ policy: (ServerTrust.Policy) -> ServerTrust.Policy
    ) throws -> TLSOptions {
      try TLSOptions(trust: .all(policy(.authorities(.file(certificates.authority)))))
    }

    @Test func aCertificateOfACustomAuthorityIsAccepted() async throws {
      let record = try await get(TLSServer(certificates, "good"), trusting)
      #expect(record.head?.status == 200)
      #expect(record.metrics?.secured != nil)
    }

    @Test func anUnknownAuthorityIsNotTrusted() async throws {
      let server = try await TLSServer(certificates, "good")
      #expect(try await get(server, .init()).failure?.code == .tlsUntrusted)
      let insecure = try TLSOptions(trust: .all(.insecure))
      #expect(try await get(server, insecure).head?.status == 200)
    }

    @Test func aFolderOfAuthoritiesIsRead() async throws {
      let folder = TemporaryFolder()
      try Data(contentsOf: certificates.authority).write(to: folder.url("a.pem"))
      try TestCertificate.der.write(to: folder.url("b.DER"))
      try Data("no certificate".utf8).write(to: folder.url("README"))
      // Revocation lists are other items.
      try Data("no certificate".utf8).write(to: folder.url("c.crl"))
      let server = try await TLSServer(certificates, "good")
      let tls = try TLSOptions(trust: .all(.authorities(.folder(folder.url))))
      #expect(try await get(server, tls).head?.status == 200)
    }

    @Test func aSelfSignedCertificateIsNotTrusted() async throws {
      try await certificates.make("self", selfSigned: true)
      let server = try await TLSServer(certificates, "self")
      #expect(try await get(server, trusting).failure?.code == .tlsUntrusted)
    }

    @Test func anExpiredCertificateIsExpired() async throws {
      try await certificates.make("expired", days: -1)
      let server = try await TLSServer(certificates, "expired")
      #expect(try await get(server, trusting).failure?.code == .tlsCertificateExpired)
    }

    @Test(arguments: ["IP:127.0.0.2", "DNS:example.com"])
    func aCertificateForAnotherHostDoesNotMatch(_ host: String) async throws {
      try await certificates.make("other", host: host)
      let server = try await TLSServer(certificates, "other")
      #expect(try await get(server, trusting).failure?.code == .tlsHostMismatch)
    }

    @Test func aVersionBelowTheMinimumIsRejected() async throws {
      let server = try await TLSServer(certificates, "good", ["-tls1_2"])
      #expect(try await get(server, trusting).head?.status == 200)
      let tls = try TLSOptions(trust: trusting.trust, minimumVersion: .v1_3)
      #expect(try await get(server, tls).failure?.code == .tlsHandshakeFailed)
      // Only Linux has versions for one host.
      #if os(Linux)
        let policy = try options { $0.versions(.v1_3) }
        #expect(try await get(server, policy).failure?.code == .tlsHandshakeFailed)
      #endif
    }

    @Test func pinnedKeysAreCheckedInAdditionToTrust() async throws {
      let server = try await TLSServer(certificates, "good")
      try await certificates.make("other")
      let (good, other) = (try await certificates.pin("good"), try await certificates.pin("other"))
      let either = try options { $0.pinnedKeys([.init(other), .init(good)]) }
      #expect(try await get(server, either).head?.status == 200)
      let mismatching = try options { $0.pinnedKeys([.init(other)]) }
      #expect(try await get(server, mismatching).failure?.code == .pinMismatch)
      let untrusting = try TLSOptions(trust: .all(.pinnedKeys([.init(good)])))
      #expect(try await get(server, untrusting).failure?.code == .tlsUntrusted)
      for (pin, status) in [(good, 200), (other, nil)] as [(String, Int?)] {
        let insecure = try TLSOptions(trust: .all(.insecure.pinnedKeys([.init(pin)])))
        #expect(try await get(server, insecure).head?.status == status)
      }
    }

    @Test func aReportedMismatchDoesNotFailTheRequest() async throws {
      let server = try await TLSServer(certificates, "good")
      try await certificates.make("other")
      let other = PublicKeyPin(try await certificates.pin("other"))
      let reported = Mutex<[PinMismatch]>([])
      let tls = try options {
        $0.pinnedKeys(
          [other], mode: .reported { mismatch in reported.withLock { $0.append(mismatch) } })
      }
      let record = try await get(server, tls)
      #expect(record.head?.status == 200)
      // URLSession has no such property of a connection.
      #if os(Linux)
        #expect(record.metrics?.tls?.hasReportedPinMismatch == true)
      #endif
      let mismatch = try #require(reported.withLock { $0 }.first)
      let (good, authority) = try await (certificates.pin("good"), certificates.pin("ca"))
      #expect(mismatch.seen == [.init(good), .init(authority)])
      #expect(mismatch.expected == [other])
    }
  }
#endif
