import Foundation
import TestSupport
import Testing

@testable import Networking

struct PublicKeyPrefixTests {
  @Test(arguments: [
    // The size of the raw key. Source: RFC 8017 appendix A.1.1, SEC 1 section 2.3.3.
    (true, 2_048, 270), (true, 3_072, 398), (true, 4_096, 526), (false, 256, 65), (false, 384, 97),
    (false, 521, 133),
  ])
  func theLengthsMatchTheKey(_ isRSA: Bool, _ bits: Int, _ keySize: Int) throws {
    let prefix = [UInt8](try #require(PublicKeyInfoHeader.bytes(isRSA: isRSA, bits: bits)))
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
    #expect(PublicKeyInfoHeader.bytes(isRSA: true, bits: 1_024) == nil)
    #expect(PublicKeyInfoHeader.bytes(isRSA: false, bits: 255) == nil)
  }
}

struct TLSOptionsTests {
  @Test func theKeyPasswordIsNotPrinted() {
    let client = TLSOptions.ClientCertificate(
      certificate: .of("file:///cert.pem"), privateKey: .of("file:///key.pem"), password: "sesame")
    let options = TLSOptions(clientCertificate: client)
    var dumped = ""
    dump(options, to: &dumped)
    let texts = [
      "\(client)", String(reflecting: client), "\(options)", String(reflecting: options), dumped,
    ]
    for text in texts { #expect(!text.contains("sesame") && text.contains("key.pem")) }
  }
}

struct TLSChallengeTests {
  private static let options: [TLSOptions] = [
    TLSOptions(), TLSOptions(minimumVersion: .v1_3), TLSOptions(pinnedPublicKeys: ["key"]),
    TLSOptions(dangerouslyTrustsAnyCertificate: true),
  ]

  private func responders(
    _ challenge: TLSChallenge, withholdingCertificate isWithheld: Bool
  ) -> [TLSChallenge.Responder] {
    Self.options.map { challenge.responder(under: $0, withholdingCertificate: isWithheld) }
  }

  @Test(arguments: [false, true])
  func theDelegateEvaluatesServersUnlessTheOptionsDo(isCertificateWithheld: Bool) {
    #expect(
      responders(.serverTrust, withholdingCertificate: isCertificateWithheld)
        == [.delegate, .delegate, .system, .system])
  }

  @Test func theDelegateIsAskedForACertificateOnlyAtTheOriginOfTheRequest() {
    let asked = responders(.clientCertificate, withholdingCertificate: false)
    let withheld = responders(.clientCertificate, withholdingCertificate: true)
    #expect(asked == .init(repeating: .delegate, count: Self.options.count))
    #expect(withheld == .init(repeating: .reject, count: Self.options.count))
  }

  @Test(arguments: [false, true])
  func otherChallengesAreRejected(isCertificateWithheld: Bool) {
    #expect(
      responders(.other, withholdingCertificate: isCertificateWithheld)
        == .init(repeating: .reject, count: Self.options.count))
  }
}
