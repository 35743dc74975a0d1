import Testing

@testable import Networking

struct TokenTests {
  /// Source: RFC 9110 section 5.6.2.
  @Test func aTokenHasLettersDigitsAndFifteenOthers() {
    let others = Array("!#$%&'*+-.^_`|~".utf8)
    for byte in UInt8.min...UInt8.max {
      let character = Unicode.Scalar(byte)
      let isLetterOrDigit =
        character.isASCII && (character.properties.isAlphabetic || ("0"..."9").contains(character))
      #expect(byte.isTokenCharacter == (isLetterOrDigit || others.contains(byte)), "\(byte)")
    }
  }
}
