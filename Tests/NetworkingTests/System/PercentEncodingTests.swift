import Foundation
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem

@Suite(.gated)
struct PercentEncodingTests {
  private static let letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

  @Test(arguments: [
    (PercentEncoding.url, "-._~"), (.form, "-._*"), (.fileName, "-._"),
    (.fieldValue, "!#$&+-.^_`|~"), (PercentEncoding.url.keeping("*"), "-._~*"),
  ])
  func onlyTheCharactersOfASetAreKept(_ encoding: PercentEncoding, _ others: String) {
    let kept = Set((Self.letters + others).utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(encoding.isUnescaped(byte) == kept.contains(byte), "\(byte)")
    }
  }

  @Test func anEncodedTextIsPlainASCII() {
    let text = "a b/%+\u{0}é😀*~"
    for encoding in [PercentEncoding.url, .form, .fileName, .fieldValue] {
      let encoded = encoding.encoded(text)
      #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      #expect(encoded.removingPercentEncoding == text)
    }
    #expect(PercentEncoding.url.encoded("é/") == "%C3%A9%2F")
  }

  @Test(arguments: [
    ("a", "a"), ("..", "%2E."), (".a.b", "%2Ea.b"), ("A<B>/~", "A%3CB%3E%2F%7E"), ("", ""),
  ])
  func aNameOfAFileIsNotHidden(_ text: String, _ name: String) {
    #expect(PercentEncoding.fileName(text) == name)
  }
}

@Suite(.gated)
struct ChecksumTests {
  /// Source: RFC 9923 appendix B, the test vectors of FNV-1a with 64 bits.
  @Test(arguments: [
    ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
  ])
  func theChecksumIsThatOfThePublishedVector(_ text: String, _ checksum: String) {
    #expect(Checksum(text.utf8).text == checksum)
    #expect(Checksum(Data(text.utf8)).text == checksum)
    var bytewise = Checksum()
    for byte in text.utf8 { bytewise.add(byte) }
    #expect(bytewise == Checksum(text.utf8.reversed().reversed()))
    #expect(bytewise.text == checksum)
  }
}
