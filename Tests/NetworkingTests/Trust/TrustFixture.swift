import Foundation
import Mocking
import Networking
import TestSupport

/// Certificates for tests, made once for the process.
enum TestKeys {
  private static let made: MockCertificate? = try? MockAuthority(name: "keys").clientCertificate()

  /// A certificate of a client in PEM.
  static var certificate: String { made?.pem ?? "" }
  /// The key of the certificate in PEM.
  static var key: String { made?.privateKeyPEM ?? "" }
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
}

#if os(Linux)
  extension TrustFixture {
    /// Returns the outcome of a request: its status, or the code of the failure.
    func get(
      _ server: MockServer, _ policy: ServerTrust.Policy, identity: ClientIdentity? = nil,
      host: String = "127.0.0.1"
    ) async throws -> TrustOutcome {
      let tls = try TLSOptions(
        trust: .all(policy), identities: identity.map { [HostPattern(host): $0] } ?? [:])
      let url = try require(URL(string: "https://\(host):\(server.port)/"))
      return TrustOutcome(await CurlTransport(options: .init(tls: tls)).get(url))
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
#endif
