import Foundation
import Mocking
import Networking
import TestSupport

/// A self-signed certificate and its key, made by OpenSSL and valid from 2024 to 2124.
///
/// All platforms can read it. Certificates of a `MockAuthority` can be made on Linux only.
enum TestCertificate {
  /// The certificate.
  static let pem = """
    -----BEGIN CERTIFICATE-----
    MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlhIGZpeHR1
    cmUwIBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
    CWEgZml4dHVyZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKg07DdwhVXD/Ra0
    zh9J9EqR0yLWmP8CYlvdj6AkpAhjucky/28q9Dpu+c39xLQmw6/mZ86SZgYxgp3b
    tEfwhP6jTjBMMAwGA1UdEwQFMAMBAf8wHQYDVR0lBBYwFAYIKwYBBQUHAwEGCCsG
    AQUFBwMCMB0GA1UdDgQWBBSykXQc4IOpWfouII0QSDbet2qEYzAKBggqhkjOPQQD
    AgNIADBFAiBS4EUtOMZyRsH6q2HqpNj1cA8XbH9EHe5WznYGshdFqAIhANko/1xF
    vihNkUyTyA0BAWl4+ZJj/1eegmGumpX0UpDD
    -----END CERTIFICATE-----
    """

  /// The pin of the key, computed by OpenSSL.
  static let pin: PublicKeyPin = "sha256/LqiRc8BwQIj6HUl9nz+Wu6ZnMVWN0M4FF2TS9x/J//E="

  /// A PKCS#12 archive of the certificate and the key, with the ciphers that all platforms read.
  static let archive =
    Data(
      base64Encoded: [
        "MIIDagIBAzCCAzAGCSqGSIb3DQEHAaCCAyEEggMdMIIDGTCCAg8GCSqGSIb3DQEHBqCCAgAwggH8AgEAMIIB",
        "9QYJKoZIhvcNAQcBMBwGCiqGSIb3DQEMAQMwDgQIW69Xqhg9/5cCAggAgIIByB9Krle6XDUbbXFQUE+AI7Hn",
        "YPJcwgRvXlj+UdKwC6kxwdY4EQEV0p8jYhNWzBWN6KDXqgNtbexelS6vKBUpLx+v/aG9hyE4uZniJ/QMjjgS",
        "dfxEWxhyqCrJWFbPCa5RW/IPgbPM0k7o/Fmyc8mLsilAZC1A01LXbvwZ3CnL+aHXdJ52JmLO80Nd4svoXoI4",
        "ZmjU+FRvApLD+h52PKha0caF0IFRCwsSweb9I7o+gwFXjidX8oBNUAgsOvgqR9hoeTqD53utaxFc740DymM2",
        "ttfmpmISmFanoVE5Sb59pjlh+28pOzzRH20mdcLtQBJLbOaBCCYdphYm3iJOd9KkcROWI6QlPxjYJiZm75Px",
        "6fkRErgrO3I5oUXSoz9Js3BG5lbf+rIEz8zvIf4RYjHocfziAStS3Jl2/g5eA6/geOQLtv5aMKR96gTqKlFI",
        "B5wfUxjlO3Tpgl+oufuoUqseAnb7Ao9h/jBi5klcLBWdVCLo5V8wdMu43E0+nngV07kwHp2ZxJNgDaVRvcDa",
        "uGDtbj5P3sTNbiqy+mO8KIjgGr7ebzoy3LIrq1yXFfsUdsOhfBydtDYuXWBKGeCxOZ48OHIK2W76O30mETCC",
        "AQIGCSqGSIb3DQEHAaCB9ASB8TCB7jCB6wYLKoZIhvcNAQwKAQKggbQwgbEwHAYKKoZIhvcNAQwBAzAOBAiT",
        "TsAyIMNfuwICCAAEgZCWuhuvhv4MBkkfFayanU47v+yOnerUQbP1mFiFkM8grdoQ+Q3XGP7G3WVmwVxOElfX",
        "W4Wtzf4LQGSR+l0Psh/Ol/QeETzIFeQkR7M73FncxJDkdkCHVFnOqvrKbtwYt+iEjazLgGLw4MPi6eRURduU",
        "2LbvOoY2ewp7Ab8RUEkdg8uLnV9OqvyzKYHhlDlLtusxJTAjBgkqhkiG9w0BCRUxFgQUD2f4ANT0399j8Wg7",
        "n6wsk7Ss73UwMTAhMAkGBSsOAwIaBQAEFD5QhreAX52GMoqeogYg5fbjlqpuBAhlGvf3UDn6vgICCAA=",
      ].joined()) ?? Data()

  /// The password of the archive.
  static let password = "sesame"

  /// The certificate in DER.
  static var der: Data {
    let lines = pem.split(separator: "\n").dropFirst().dropLast()
    return Data(base64Encoded: lines.joined()) ?? Data()
  }

  /// The certificate as the identity of a client.
  static var identity: ClientIdentity { ClientIdentity(pkcs12: .data(archive), password: password) }
}

/// The authorities and the certificates of the trust tests, made once for the process.
struct TrustFixture: Sendable {
  let root: MockAuthority
  let middle: MockAuthority
  let stranger: MockAuthority
  /// A certificate of the root for this machine.
  let leaf: MockCertificate
  /// A certificate of the intermediate authority for this machine.
  let deepLeaf: MockCertificate

  static let shared = Result { try TrustFixture() }

  init() throws {
    root = try MockAuthority(name: "root")
    middle = try root.intermediate(name: "middle")
    stranger = try MockAuthority(name: "stranger")
    leaf = try root.certificate(for: "127.0.0.1", "localhost")
    deepLeaf = try middle.certificate(for: "127.0.0.1", "localhost")
  }

  /// The policy that trusts the root alone.
  var policy: ServerTrust.Policy { .authorities(root.source) }

  /// Starts a server with one route.
  func server(_ tls: MockTLS) throws -> MockServer {
    try MockServer(tls: tls) { Route(.get, "/") { _ in .text("hello") } }
  }

  /// Returns the outcome of a request: its status, or the code of the failure.
  func get(
    _ server: MockServer, _ policy: ServerTrust.Policy, identity: ClientIdentity? = nil,
    host: String = "127.0.0.1"
  ) async throws -> TrustOutcome {
    let tls = try TLSOptions(
      trust: .all(policy), identities: identity.map { [HostPattern(host): $0] } ?? [:])
    let url = try require(URL(string: "https://\(host):\(server.port)/"))
    return TrustOutcome(await PlatformTransport.make(tls).get(url))
  }
}

/// The outcome of a request over TLS.
struct TrustOutcome {
  let status: Int?
  let code: NetworkError.Code?
  let record: ExchangeRecord

  init(_ record: ExchangeRecord) {
    self.record = record
    status = record.head?.status
    code = record.failure?.code
  }

  var failure: TLSFailure? { record.failure?.underlying as? TLSFailure }
  var tls: TLSMetrics? { record.metrics?.tls }
}

/// Unwraps a value outside of a test.
func require<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw TestError("A value is missing") }
  return value
}
