import CatenaSystem
import TestGate
import Testing

@testable import Mocking

@Suite(.gated)
struct PercentDecodingTests {
  @Test func anEncodedTextIsDecodedAgain() {
    let text = "a b/%+\u{0}é😀*~"
    for encoding in [PercentEncoding.url, .form, .fileName, .fieldValue] {
      #expect(PercentEncoding.decode(encoding.encoded(text)[...]) == text)
    }
  }

  @Test(
    arguments: [
      ("a%20b", "a b", "a b"), ("a+b", "a b", "a b"), ("%", nil, "%"), ("%4", nil, "%4"),
      ("%zz", nil, "%zz"), ("%ff", "\u{FFFD}", "%ff"), ("%C3%A9", "é", "é"),
    ] as [(String, String?, String)])
  func brokenEscapesAreNotDecoded(_ text: String, _ decoded: String?, _ ifValid: String) {
    #expect(PercentEncoding.decode(text[...], plusIsSpace: true) == decoded)
    #expect(PercentEncoding.decodeIfValid(text[...], plusIsSpace: true) == ifValid)
  }

  @Test func aPlusSignIsASpaceInFormsOnly() {
    #expect(PercentEncoding.decode("a+b%2B") == "a+b+")
    #expect(PercentEncoding.decode("a+b%2B", plusIsSpace: true) == "a b+")
  }
}
