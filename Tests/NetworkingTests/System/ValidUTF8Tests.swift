import CatenaSystem
import Foundation
import TestGate
import Testing

@Suite(.gated)
struct ValidUTF8Tests {
  @Test(arguments: [
    "", "a", "\u{0}", "Grüße, 世界 🌍", "\u{FEFF}a", "\u{FFFD}", "e\u{301}",
    "\u{7FF}\u{800}\u{10FFFF}",
  ])
  func validTextIsDecoded(_ text: String) {
    let bytes = Array(text.utf8)
    for decoded in Self.decoded(bytes) { #expect(decoded.map { Array($0.utf8) } == bytes) }
  }

  @Test(
    arguments: [
      [0x80], [0xC3], [0x41, 0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80],
      [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
      [0xEF, 0xBF, 0xBD, 0xFF], [0x41, 0xE4, 0xB8, 0x41],
    ] as [[UInt8]])
  func invalidTextIsNil(_ bytes: [UInt8]) {
    for decoded in Self.decoded(bytes) { #expect(decoded == nil) }
  }

  @Test func bothWaysAgreeOnAllPairsAndOnEndsOfACharacter() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let bytes = [first, second]
        let (new, old) = (String(validUTF8: bytes), String(unrepairedUTF8: bytes))
        #expect(new == old, "\(bytes)")
      }
    }
    let characters = Array("ü世🌍".utf8)
    for end in 0...characters.count {
      let new = String(validUTF8: characters[..<end])
      #expect(new == String(unrepairedUTF8: characters[..<end]), "\(end)")
      #expect((new != nil) == [0, 2, 5, 9].contains(end), "\(end)")
    }
  }

  /// The text as each collection of bytes has it, in both ways.
  private static func decoded(_ bytes: [UInt8]) -> [String?] {
    [
      String(validUTF8: bytes), String(validUTF8: Data(bytes)), String(validUTF8: bytes[...]),
      bytes.withUnsafeBytes { String(validUTF8: $0) }, String(unrepairedUTF8: bytes),
      String(unrepairedUTF8: Data(bytes)),
    ]
  }
}
