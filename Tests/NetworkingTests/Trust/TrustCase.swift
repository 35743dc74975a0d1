import Foundation
import Mocking
import Networking
import Testing

/// A certificate of a server, a policy, and the code of the failure or `nil`.
struct TrustCase: CustomTestStringConvertible, Sendable {
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

extension TrustCase {
  /// Certificates that are valid, expired or not trusted.
  static let validity: [TrustCase] = [
    TrustCase("a valid certificate", nil),
    TrustCase("an expired one", .tlsCertificateExpired) {
      try $0.root.certificate(for: "127.0.0.1", validity: .expired)
    },
    TrustCase("one that is not valid yet", .tlsCertificateExpired) {
      try $0.root.certificate(for: "127.0.0.1", validity: .notYet)
    },
    TrustCase("an expired intermediate", .tlsCertificateExpired) {
      try $0.root.intermediate(validity: .expired).certificate(for: "127.0.0.1")
    },
    TrustCase("an untrusted root", .tlsUntrusted) { try $0.stranger.certificate(for: "127.0.0.1") },
    TrustCase("the system's authorities", .tlsUntrusted, policy: { _ in .system }),
    TrustCase(
      "own and the system's authorities", nil,
      policy: {
        .authorities($0.root.source, besidesSystem: true)
      }),
    TrustCase("any certificate", nil) {
      try $0.stranger.certificate(for: "other.example", validity: .expired)
    } policy: { _ in
      .insecure
    },
    TrustCase("an intermediate", nil) { $0.deepLeaf },
    TrustCase("a missing intermediate", .tlsUntrusted) { $0.deepLeaf.sending() },
    TrustCase("an intermediate as the only anchor", nil) {
      $0.deepLeaf.sending()
    } policy: {
      .authorities($0.middle.source)
    },
    TrustCase(
      "the certificate itself as the only anchor", nil,
      policy: {
        .authorities(.data($0.leaf.der))
      }),
    TrustCase("a certificate for clients", .tlsUntrusted) { try $0.root.clientCertificate() },
  ]

  /// Names and addresses in certificates.
  static let hosts: [TrustCase] = [
    TrustCase("another name", .tlsHostMismatch) { try $0.root.certificate(for: "other.example") },
    TrustCase("another address", .tlsHostMismatch) { try $0.root.certificate(for: "127.0.0.2") },
    TrustCase("a name for an address", .tlsHostMismatch) {
      try $0.root.certificate(for: "localhost")
    },
    TrustCase("an address for a name", .tlsHostMismatch, host: "localhost") {
      try $0.root.certificate(for: "127.0.0.1")
    },
    TrustCase("a name", nil, host: "localhost"),
    TrustCase("a name in capital letters", nil, host: "LOCALHOST"),
    TrustCase("a wildcard for a whole name", .tlsHostMismatch, host: "localhost") {
      try $0.root.certificate(for: "*")
    },
    TrustCase("a wildcard for the left-most label", nil, host: "a.test.localhost") {
      try $0.root.certificate(for: "*.test.localhost")
    },
    TrustCase("a wildcard for two labels", .tlsHostMismatch, host: "a.b.test.localhost") {
      try $0.root.certificate(for: "*.test.localhost")
    },
    TrustCase("a wildcard for no label", .tlsHostMismatch, host: "test.localhost") {
      try $0.root.certificate(for: "*.test.localhost")
    },
    TrustCase("a wildcard for a part of a label", .tlsHostMismatch, host: "ab.test.localhost") {
      try $0.root.certificate(for: "a*.test.localhost")
    },
    TrustCase("a wildcard in the second label", .tlsHostMismatch, host: "a.b.test.localhost") {
      try $0.root.certificate(for: "a.*.test.localhost")
    },
  ]

  /// Pinned keys and certificates.
  static let pins: [TrustCase] = [
    TrustCase("the pin of the leaf", nil, policy: { $0.policy.pinnedKeys([$0.leaf.publicKeyPin]) }),
    TrustCase("the pin of the intermediate", nil) {
      $0.deepLeaf
    } policy: {
      $0.policy.pinnedKeys([$0.middle.publicKeyPin])
    },
    TrustCase("the pin of the root", nil) {
      $0.deepLeaf
    } policy: {
      $0.policy.pinnedKeys([$0.root.publicKeyPin])
    },
    TrustCase(
      "the pin of the root for the leaf alone", .pinMismatch,
      policy: {
        $0.policy.pinnedKeys([$0.root.publicKeyPin], in: .leaf)
      }),
    TrustCase(
      "another pin", .pinMismatch,
      policy: {
        $0.policy.pinnedKeys([$0.stranger.publicKeyPin])
      }),
    TrustCase("a pinned key in an unrelated certificate that is sent along", .pinMismatch) {
      $0.leaf.sending($0.stranger.certificate)
    } policy: {
      $0.policy.pinnedKeys([$0.stranger.publicKeyPin])
    },
    TrustCase(
      "an unrelated certificate that is sent along, without any check of the chain", .pinMismatch
    ) {
      $0.leaf.sending($0.stranger.certificate)
    } policy: {
      .insecure.pinnedKeys([$0.stranger.publicKeyPin])
    },
    TrustCase(
      "a rotated key with a backup pin", nil,
      policy: {
        $0.policy.pinnedKeys([$0.stranger.publicKeyPin, $0.leaf.publicKeyPin], in: .leaf)
      }),
    TrustCase("a renewed certificate with the same key", nil) {
      try $0.root.certificate(for: "127.0.0.1", reusingKeyOf: $0.leaf)
    } policy: {
      $0.policy.pinnedKeys([$0.leaf.publicKeyPin], in: .leaf)
    },
    TrustCase(
      "expired pins", nil,
      policy: {
        $0.policy.pinnedKeys([$0.stranger.publicKeyPin], until: "2020-01-01")
      }),
    TrustCase(
      "pins that have not expired", .pinMismatch,
      policy: {
        $0.policy.pinnedKeys([$0.stranger.publicKeyPin], until: "2999-01-01")
      }),
    TrustCase("a pinned key of an untrusted chain", .tlsUntrusted) {
      try $0.stranger.certificate(for: "127.0.0.1")
    } policy: {
      $0.policy.pinnedKeys([$0.stranger.publicKeyPin])
    },
    TrustCase(
      "a pinned certificate", nil,
      policy: {
        $0.policy.pinnedCertificates(.data($0.leaf.der))
      }),
    TrustCase(
      "a pinned authority in place of the leaf", .pinMismatch,
      policy: {
        $0.policy.pinnedCertificates(.data($0.root.certificate.der))
      }),
    TrustCase(
      "a pinned authority", nil,
      policy: {
        $0.policy.pinnedCertificates(.pem($0.root.pem), in: .chain)
      }),
    TrustCase("a pinned certificate that was renewed", .pinMismatch) {
      try $0.root.certificate(for: "127.0.0.1", reusingKeyOf: $0.leaf)
    } policy: {
      $0.policy.pinnedCertificates(.data($0.leaf.der))
    },
    TrustCase(
      "two sets of pins that both match", nil,
      policy: {
        $0.policy.pinnedKeys([$0.leaf.publicKeyPin]).pinnedKeys([$0.root.publicKeyPin])
      }),
    TrustCase(
      "two sets of pins of which one matches", .pinMismatch,
      policy: {
        $0.policy.pinnedKeys([$0.leaf.publicKeyPin]).pinnedKeys([$0.stranger.publicKeyPin])
      }),
  ]

  /// The cases for servers of other programs.
  static let otherServers: [TrustCase] = [
    TrustCase("a valid certificate", nil),
    TrustCase("an intermediate", nil) { $0.deepLeaf },
    TrustCase("a missing intermediate", .tlsUntrusted) { $0.deepLeaf.sending() },
    TrustCase("an expired one", .tlsCertificateExpired) {
      try $0.root.certificate(for: "127.0.0.1", validity: .expired)
    },
    TrustCase("one that is not valid yet", .tlsCertificateExpired) {
      try $0.root.certificate(for: "127.0.0.1", validity: .notYet)
    },
    TrustCase("an untrusted root", .tlsUntrusted) {
      try $0.stranger.certificate(for: "127.0.0.1")
    },
    TrustCase("another host", .tlsHostMismatch) { try $0.root.certificate(for: "127.0.0.2") },
    TrustCase("the pin of the root", nil) {
      $0.deepLeaf
    } policy: {
      $0.policy.pinnedKeys([$0.root.publicKeyPin])
    },
    TrustCase("another pin", .pinMismatch) {
      $0.leaf
    } policy: {
      $0.policy.pinnedKeys([$0.stranger.publicKeyPin])
    },
    TrustCase("a pinned key in an unrelated certificate that is sent along", .pinMismatch) {
      $0.leaf.sending($0.stranger.certificate)
    } policy: {
      $0.policy.pinnedKeys([$0.stranger.publicKeyPin])
    },
  ]
}
