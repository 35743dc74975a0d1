import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The TLS properties of connections of the system.
@Suite(.gated)
struct TLSCipherSuiteTests {
  #if os(Linux) || os(macOS)
    @Test(.enabled(if: Certificates.areAvailable, "The openssl tool lists the suites"))
    func theNamesAreThoseOfOpenSSL() async throws {
      let tool = try #require(Certificates.tool)
      let end = try await ChildProcess(tool, ["ciphers", "-V", "-stdname", "ALL:@SECLEVEL=0"]).end
      var compared = 0
      for line in end.lines {
        // For example `0xC0,0x2F - TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 - ...`.
        let words = line.split(separator: " ")
        let digits = words[0].replacing("0x", with: "").replacing(",", with: "")
        let number = try #require(UInt16(digits, radix: 16))
        guard TLSCipherSuite.names[number] != nil else { continue }
        #expect(TLSCipherSuite.name(number) == words[2])
        compared += 1
      }
      // The tool may have no suites with Triple DES, as that of Debian.
      #expect(compared >= TLSCipherSuite.names.count - 3)
    }
  #endif

  @Test func anUnknownSuiteHasItsNumber() {
    #expect(TLSCipherSuite.name(0x00FF) == "0x00FF")
    #expect(TLSCipherSuite.name(0x1304) == "0x1304")
  }

  @Test func aConnectionOfTheSystemHasItsVersionSuiteAndVerification() {
    let metrics = TLSMetrics(
      versionNumber: 0x0304, cipherNumber: 0x1301, applicationProtocol: "h2", isVerified: false)
    #expect(metrics.version == .v1_3)
    #expect(metrics.description == "TLS 1.3, TLS_AES_128_GCM_SHA256, h2, not verified")
    let unknown = TLSMetrics(
      versionNumber: 0x0300, cipherNumber: nil, applicationProtocol: nil, isVerified: true)
    #expect(unknown.version == nil && unknown.cipher.isEmpty && unknown.isVerified)
  }

  @Test func onlyHostsWithThePolicyInsecureAreNotVerified() throws {
    let options = try TLSOptions(trust: ["test.example": .insecure])
    #expect(!options.compiled.isVerifying(URL(string: "https://TEST.example/a")))
    #expect(options.compiled.isVerifying(URL(string: "https://api.example/a")))
    #expect(options.compiled.isVerifying(nil))
  }
}
