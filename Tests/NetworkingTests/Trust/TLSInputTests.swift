import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@testable import Networking

private func refusal(
  _ trust: ServerTrust = [:], _ identities: ClientIdentities = [:]
) -> NetworkError? {
  #expect(throws: NetworkError.self) { try TLSOptions(trust: trust, identities: identities) }
}

/// The patterns of hosts that have policies.
@Suite(.gated)
struct HostPatternTests {
  @Test(arguments: [
    "", "*", "*.", "*.*.example.com", "a.*.example.com", "http://example.com", "example.com/",
    "ex\u{FF0F}mple.com", "example.com:0", "example.com:x", "a..example.com", "[::1",
  ])
  func aMalformedHostIsRefused(_ host: String) {
    let error = refusal(ServerTrust([(hosts: HostPattern(host), policy: .system)]))
    #expect(error?.code == .invalidTLSOptions && error?.reason?.contains("pattern") == true)
  }

  @Test func aRepeatedHostIsRefused() {
    let error = refusal(["a.example": .system, "A.example.": .insecure])
    #expect(error?.reason?.contains("repeated") == true)
  }

  @Test(arguments: [
    ("2001:db8::5", 443, "address"), ("2001:db8:0:0::5", 443, "address"),
    ("2001:0db8::0005", 8_443, "address and port"), ("2001:db8::5:8443", 443, "long address"),
    ("127.0.0.1", 443, "loopback"), ("127.1", 443, "loopback"), ("2130706433", 443, "loopback"),
    ("0x7f000001", 443, "loopback"), ("0177.0.0.1", 443, "loopback"),
    ("b\u{FC}cher.example", 443, "name"), ("xn--bcher-kva.example", 443, "name"),
    ("m\u{FC}nchen.example", 443, "other name"), ("xn--mnchen-3ya.example", 443, "other name"),
    ("a.xn--4ca.example", 443, "wildcard"), ("2001:db8::5%eth0", 443, "address"),
    ("127.0.0.2", 443, "others"),
  ])
  func otherSpellingsOfAHostHaveItsPolicy(_ host: String, _ port: Int, _ name: String) throws {
    let table = try HostPatternProbe(
      [
        ("2001:DB8:0::5", "address"), ("[2001:db8::5]:8443", "address and port"),
        ("2001:db8::5:8443", "long address"), ("127.0.0.1", "loopback"),
        ("xn--bcher-kva.example", "name"), ("M\u{DC}nchen.example", "other name"),
        ("*.\u{E4}.example", "wildcard"),
      ], predicate: { _, _ in false })
    #expect(table.name(of: host, port) == name)
  }

  @Test(arguments: [
    ("a.example.com", 443, "exact"), ("A.EXAMPLE.com", 443, "exact"),
    ("a.example.com", 8_443, "port"),
    ("b.example.com", 443, "wildcard"), ("example.com", 443, "others"),
    ("c.b.example.com", 443, "others"), ("x.internal", 443, "predicate"), ("::1", 443, "address"),
    ("b.example.com.", 443, "wildcard"),
  ])
  func theMostSpecificPatternApplies(_ host: String, _ port: Int, _ name: String) throws {
    let table = try HostPatternProbe(
      [
        ("a.example.com", "exact"), ("a.example.com:8443", "port"), ("*.example.com", "wildcard"),
        ("[::1]", "address"),
      ], predicate: { host, _ in host.hasSuffix(".internal") })
    #expect(table.name(of: host.lowercased(), port) == name)
  }
}

/// Bad input is refused when the options are made, by an error that names the item.
@Suite(.gated)
struct TLSInputTests {
  private let folder = TemporaryFolder()

  private func expectRefusal(
    _ policy: ServerTrust.Policy, _ texts: String..., location: SourceLocation = #_sourceLocation
  ) {
    let error = refusal(["api.example.com": policy])
    #expect(error?.code == .invalidTLSOptions, sourceLocation: location)
    for text in texts + ["api.example.com"] {
      #expect(error?.reason?.contains(text) == true, "\(text)", sourceLocation: location)
    }
  }

  @Test func aMalformedPolicyIsRefused() throws {
    let pipe = folder.url("pipe.pem")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    expectRefusal(.pinnedKeys([]), "empty")
    expectRefusal(.pinnedKeys(["sha256/short"]), "sha256/short")
    expectRefusal(.pinnedKeys([TestCertificate.pin], until: "next year"), "next year")
    expectRefusal(.pinnedKeys([TestCertificate.pin], until: "2027-02-30"), "2027-02-30")
    expectRefusal(.pinnedCertificates(), "empty")
    expectRefusal(.pinnedCertificates(.pem("no certificate")), "pinned certificates")
    expectRefusal(.authorities(), "empty")
    expectRefusal(.authorities(.pem("no certificate")), "the authorities")
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    expectRefusal(.authorities(.pem(TestCertificate.pem + broken)), "the authorities")
    expectRefusal(.authorities(.data(TestCertificate.der.dropLast())), "the authorities")
    expectRefusal(.authorities(.file(folder.url("missing.pem"))), "missing.pem")
    expectRefusal(.authorities(.file(pipe)), "pipe.pem")
    expectRefusal(.authorities(.folder(folder.url("nowhere"))), "nowhere")
    expectRefusal(.insecure.revocation(stapled: .required), "without authorities")
    expectRefusal(.system.versions(.v1_3, through: .v1_2), "TLS 1.2")
    #if os(Linux)
      expectRefusal(.authorities(.data(TestCertificate.der + [0])), "the authorities")
      expectRefusal(.system.revocation(lists: [.pem(TestCertificate.pem)]), "revocation lists")
    #endif
  }

  @Test func anUnusableIdentityIsRefused() throws {
    let archive = TestCertificate.archive
    let archives: [(ClientIdentity, String)] = [
      (.init(pkcs12: .data(archive)), "needs a password"),
      (.init(pkcs12: .data(archive), password: "open"), "password is wrong"),
      (.init(pkcs12: .data(archive.prefix(100)), password: "sesame"), "not a readable PKCS#12"),
      (.init(pkcs12: .file(folder.url("missing.p12"))), "missing.p12"),
    ]
    for (identity, text) in try archives + Self.unusableFiles() {
      let error = refusal([:], ["api.example.com": identity])
      #expect(error?.code == .invalidTLSOptions)
      #expect(error?.reason?.contains(text) == true, "\(text): \(error?.reason ?? "")")
      #expect(error?.reason?.contains("api.example.com") == true)
      #expect(!"\(String(describing: error))".contains("open"))
    }
  }

  @Test func theIssuersOfAnImportedChainAreSentWithoutTheCertificateOfTheClient() {
    func issuers(_ leaf: String?, _ chain: [String]) -> [String] {
      ClientIdentity.issuers(of: leaf, in: chain) { Data($0.utf8) }
    }
    #expect(issuers("leaf", ["leaf", "middle", "root"]) == ["middle", "root"])
    #expect(issuers("leaf", ["middle", "leaf", "root"]) == ["middle", "root"])
    #expect(issuers("leaf", ["middle", "root"]) == ["middle", "root"])
    #expect(issuers(nil, ["leaf", "middle"]) == ["middle"])
    #expect(issuers("leaf", ["leaf"]).isEmpty && issuers(nil, []).isEmpty)
  }

  @Test(arguments: [nil, "open"])
  func aDefectOfAnArchiveTellsAPasswordFromAnUnknownEncryption(password: String?) throws {
    func defect(_ archive: Data, _ status: Int32) -> String {
      ClientIdentity(pkcs12: .data(archive), password: password).defect(of: archive, status)
    }
    let old = TestCertificate.archive
    let reason = password == nil ? "it needs a password" : "the password is wrong"
    let statuses: [(Int32, String)] = [
      (-25_293, reason), (-25_264, reason), (-25_260, reason),
      (-26_275, "not a readable PKCS#12 archive (-26275)"),
    ]
    for (status, text) in statuses { #expect(defect(old, status) == text) }
    #if os(Linux)
      let client = try TrustFixture.shared.get().root.clientCertificate()
      let modern = try client.pkcs12(password: "sesame")
      let threeDES = try client.pkcs12(password: "sesame", usesOldCipher: true)
      for (status, text) in statuses {
        #expect(defect(modern, status).hasPrefix(text))
        #expect(defect(modern, status).contains("openssl pkcs12 -export -legacy"))
        #expect(defect(threeDES, status) == text)
      }
    #endif
  }

  /// Returns certificates with keys that are no identity.
  ///
  /// Apple platforms read identities from archives alone.
  private static func unusableFiles() throws -> [(ClientIdentity, String)] {
    #if os(Linux)
      let root = try TrustFixture.shared.get().root
      let (client, other) = (try root.clientCertificate(), try root.clientCertificate())
      let encrypted = try client.encryptedPrivateKeyPEM(password: "sesame")
      return [
        (
          .init(certificate: .pem("x"), privateKey: .pem(client.privateKeyPEM)), "not a certificate"
        ),
        (.init(certificate: .pem(client.pem), privateKey: .pem("x")), "not a private key"),
        (
          .init(certificate: .pem(client.pem), privateKey: .pem(other.privateKeyPEM)), "not that of"
        ),
        (.init(certificate: .pem(client.pem), privateKey: .pem(encrypted)), "needs a password"),
        (
          .init(certificate: .pem(client.pem), privateKey: .pem(encrypted), password: "open"),
          "password is wrong"
        ),
        (.init(pkcs12: .data(try client.pkcs12(password: "sesame"))), "needs a password"),
      ]
    #else
      return []
    #endif
  }

  #if os(Linux) || os(macOS)
    @Test(.enabled(if: Certificates.areAvailable, "The openssl tool makes the archive"))
    func anArchiveWithTheCiphersOfOldProgramsIsRead() async throws {
      let certificates = try await Certificates()
      try await certificates.make("client")
      let archive = try await certificates.archive(
        "client", password: "sesame", options: ["-legacy"])
      let tls = try TLSOptions(
        identities: ["a.example": .init(pkcs12: .file(archive), password: "sesame")])
      #expect(tls != TLSOptions())
      #expect(refusal([:], ["a.example": .init(pkcs12: .file(archive), password: "open")]) != nil)
    }
  #endif

  @Test func pinsAreComputedFromEachForm() async throws {
    let pin = TestCertificate.pin
    #expect(try PublicKeyPin(pem: TestCertificate.pem) == pin)
    #expect(try PublicKeyPin(der: TestCertificate.der) == pin)
    let text = "\(pin)".dropFirst("sha256/".count)
    for prefix in ["", "sha256/", "sha256//"] { #expect(PublicKeyPin(prefix + text) == pin) }
    #expect(throws: NetworkError.self) { try PublicKeyPin(pem: "nothing") }
    #expect(throws: NetworkError.self) { try PublicKeyPin(der: Data([0x30, 0])) }
    #expect(throws: NetworkError.self) { try PublicKeyPin(der: Data()) }
  }

  @Test func descriptionsAndDumpsOmitSecrets() throws {
    let identity = TestCertificate.identity
    let options = try TLSOptions(identities: ["a.example": identity])
    var dumped = ""
    dump(identity, to: &dumped)
    dump(options, to: &dumped)
    var texts = ["\(identity)", "\(options)", String(reflecting: options)]
    #if os(Linux)
      let client = try TrustFixture.shared.get().root.clientCertificate()
      dump(client, to: &dumped)
      texts.append("\(client)")
    #endif
    texts.append(dumped)
    for text in texts { #expect(!text.contains("sesame") && !text.contains("PRIVATE")) }
  }
}

#if os(Linux)
  /// Identities of clients and folders of authorities, in handshakes with a server.
  @Suite(.gated)
  struct TLSFileTests {
    private let fixture: TrustFixture
    private let folder = TemporaryFolder()

    init() throws {
      fixture = try TrustFixture.shared.get()
    }

    @Test(arguments: [
      "certificate and key", "encrypted key", "DER", "PKCS#12", "PKCS#12 with 3DES", "files",
    ])
    func anIdentityOfEachFormIsPresented(_ form: String) async throws {
      let client = try fixture.middle.clientCertificate(name: "ann")
      let identity: ClientIdentity
      switch form {
      case "encrypted key":
        let key = try client.encryptedPrivateKeyPEM(password: "sesame")
        identity = .init(certificate: .pem(client.pem), privateKey: .pem(key), password: "sesame")
      case "DER":
        let key = try #require(
          Data(
            base64Encoded: client.privateKeyPEM.split(separator: "\n").dropFirst().dropLast()
              .joined()))
        identity = .init(certificate: .data(client.der), privateKey: .data(key))
      case "PKCS#12", "PKCS#12 with 3DES":
        let archive = try client.pkcs12(password: "sesame", usesOldCipher: form != "PKCS#12")
        identity = .init(pkcs12: .data(archive), password: "sesame")
      case "files":
        try Data(client.pem.utf8).write(to: folder.url("client.pem"))
        try Data(client.privateKeyPEM.utf8).write(to: folder.url("client.key"))
        identity = .init(
          certificate: .file(folder.url("client.pem")), privateKey: .file(folder.url("client.key")))
      default: identity = client.identity
      }
      let authority = form == "DER" ? fixture.middle : fixture.root
      let server = try fixture.server(
        MockTLS(fixture.leaf, clientCertificates: .required, clientAuthorities: [authority]))
      let outcome = try await fixture.get(server, fixture.policy, identity: identity)
      #expect(outcome.status == 200)
      #expect(server.handshakes.first?.clientCertificate?.subject == "CN=ann")
    }

    @Test func aMissingOrUntrustedIdentityFailsTheHandshake() async throws {
      for maximum in [TLSVersion.v1_2, .v1_3] {
        let server = try fixture.server(
          MockTLS(
            fixture.leaf, clientCertificates: .required, clientAuthorities: [fixture.root],
            maximumVersion: maximum))
        let wrong = try fixture.stranger.clientCertificate().identity
        for identity in [nil, wrong] {
          let outcome = try await fixture.get(server, fixture.policy, identity: identity)
          #expect(outcome.code == .tlsHandshakeFailed, "\(maximum)")
        }
        server.stop()
        #expect(server.handshakes.count == 2)
        #expect(server.handshakes.allSatisfy { $0.failure != nil })
      }
    }

    @Test func aBundleHasCertificatesAndRevocationLists() async throws {
      try Data(fixture.root.pem.utf8).write(to: folder.url("a.pem"))
      try Data("no list".utf8).write(to: folder.url("b.crl"))
      let bundle = try #require(Bundle(url: folder.url))
      let server = try fixture.server(MockTLS(fixture.leaf))
      #expect(try await fixture.get(server, .authorities(.bundle(bundle))).status == 200)
      let error = refusal(["a.example": .system.revocation(lists: [.bundle(bundle)])])
      #expect(error?.reason?.contains("b.crl") == true)
    }

    @Test(.enabled(if: Certificates.areAvailable, "The openssl tool makes the certificate"))
    func aClientCertificateWithAShortKeyIsRefusedWithItsReason() async throws {
      let files = (folder.url("short.pem"), folder.url("short.key"))
      let end = try await ChildProcess(
        "/usr/bin/openssl",
        [
          "req", "-x509", "-newkey", "rsa:512", "-nodes", "-subj", "/CN=short", "-keyout",
          files.1.path, "-out", files.0.path,
        ]
      ).end
      try #require(end.status == .exited(0), "\(end.errors)")
      let identity = ClientIdentity(certificate: .file(files.0), privateKey: .file(files.1))
      let server = try fixture.server(
        MockTLS(fixture.leaf, clientCertificates: .required, clientAuthorities: [fixture.root]))
      let outcome = try await fixture.get(server, fixture.policy, identity: identity)
      #expect(outcome.code == .tlsHandshakeFailed)
      #expect(outcome.failure?.reason.contains("OpenSSL rejects the client certificate") == true)
    }
  }
#endif
