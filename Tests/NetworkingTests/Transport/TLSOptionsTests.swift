import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.gated)
struct PublicKeyPrefixTests {
  @Test(arguments: [
    // The size of the raw key. Source: RFC 8017 appendix A.1.1, SEC 1 section 2.3.3.
    (true, 2_048, 270), (true, 3_072, 398), (true, 4_096, 526), (false, 256, 65), (false, 384, 97),
    (false, 521, 133),
  ])
  func theLengthsMatchTheKey(_ isRSA: Bool, _ bits: Int, _ keySize: Int) throws {
    let prefix = [UInt8](try #require(PublicKeyInfo.header(isRSA: isRSA, bits: bits)))
    #expect(prefix[0] == 0x30)
    // DER: a length below 128 is one byte; a longer one follows a byte of 0x80 plus its byte count.
    let lengthBytes = prefix[1] < 0x80 ? 0 : Int(prefix[1] & 0x7F)
    let length =
      lengthBytes == 0
      ? Int(prefix[1]) : prefix[2..<(2 + lengthBytes)].reduce(0) { $0 << 8 | Int($1) }
    #expect(length == prefix.count - 2 - lengthBytes + keySize)
    #expect(prefix.last == 0)
  }

  @Test func otherKeyTypesHaveNoPrefix() {
    #expect(PublicKeyInfo.header(isRSA: true, bits: 1_024) == nil)
    #expect(PublicKeyInfo.header(isRSA: false, bits: 255) == nil)
  }
}

@Suite(.gated)
struct TLSChallengeTests {
  @Test func theReasonOfTheSecurityFrameworkHasACode() {
    // The constants `errSec...` of the framework.
    let statuses: [(Int, NetworkError.Code)] = [
      (-67_818, .tlsCertificateExpired), (-67_819, .tlsCertificateExpired),
      (-67_602, .tlsHostMismatch), (-67_820, .tlsRevoked), (-67_843, .tlsUntrusted),
      (0, .tlsUntrusted),
    ]
    for (status, code) in statuses { #expect(NetworkError.Code(securityStatus: status) == code) }
  }

  private func responders(
    _ challenge: TLSChallenge, withholdingCertificate isWithheld: Bool
  ) throws -> [TLSChallenge.Responder] {
    let identity = TestCertificate.identity
    let options = [
      TLSOptions(),
      try TLSOptions(trust: ["other.example": .insecure], identities: ["other.example": identity]),
      try TLSOptions(trust: ["a.example": .insecure], identities: ["a.example": identity]),
      try TLSOptions(trust: ServerTrust(others: nil)),
    ]
    return options.map {
      challenge.responder(
        under: $0, forHost: "a.example", port: 443, withholdingCertificate: isWithheld)
    }
  }

  @Test(arguments: [false, true])
  func theDelegateEvaluatesServersUnlessTheOptionsDo(isCertificateWithheld: Bool) throws {
    #expect(
      try responders(.serverTrust, withholdingCertificate: isCertificateWithheld)
        == [.delegate, .delegate, .options, .options])
  }

  @Test func theClockStaysWhenTrustOrIdentitiesAreAdded() throws {
    let time = Date(timeIntervalSince1970: 1)
    let tls = try TLSOptions(trust: .all(.system), wallClock: { time })
    let identity = TestCertificate.identity
    let configuration = try SessionConfiguration.ephemeral.secured(with: tls)
      .identifying(as: identity, to: "a.example").trusting(.all(.system))
    #expect(configuration.tls?.compiled.wallClock() == time)
  }

  @Test func aCertificateIsPresentedOnlyToItsHostAtTheOriginOfTheRequest() throws {
    let asked = try responders(.clientCertificate, withholdingCertificate: false)
    let withheld = try responders(.clientCertificate, withholdingCertificate: true)
    #expect(asked == [.delegate, .delegate, .options, .delegate])
    #expect(withheld == .init(repeating: .reject, count: 4))
  }

  @Test(arguments: [false, true])
  func otherChallengesAreRejected(isCertificateWithheld: Bool) throws {
    #expect(
      try responders(.other, withholdingCertificate: isCertificateWithheld)
        == .init(repeating: .reject, count: 4))
  }

  @Test(arguments: [false, true])
  func aProxyAsksTheDelegateAndReceivesNoCertificate(isCertificateWithheld: Bool) throws {
    #expect(
      try responders(.proxy, withholdingCertificate: isCertificateWithheld)
        == .init(repeating: .delegate, count: 4))
  }

  @Test func withoutADelegateTheSystemEvaluatesServersAndRespondsToProxies() {
    #expect(TLSChallenge.serverTrust.dispositionWithoutDelegate == .performDefaultHandling)
    #expect(TLSChallenge.proxy.dispositionWithoutDelegate == .performDefaultHandling)
    #expect(TLSChallenge.clientCertificate.dispositionWithoutDelegate == .rejectProtectionSpace)
    #expect(TLSChallenge.other.dispositionWithoutDelegate == .rejectProtectionSpace)
  }

  @Test func theSettingsOfASharedTransportCannotBeReplaced() throws {
    let error = #expect(throws: NetworkError.self) {
      try Networking<Request>().setTLS(TLSOptions())
    }
    #expect(error?.code == .unsupported)
  }
}
