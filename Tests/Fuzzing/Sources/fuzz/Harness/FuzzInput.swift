import Foundation

/// An input of a target: bytes, and choices derived from them.
///
/// The choices depend on a hash of the bytes, not on some of the bytes themselves. So a seed is
/// plain data in the format that the target parses.
struct FuzzInput: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var data: Data { Data(bytes) }

  /// The bytes as UTF-8, with invalid sequences replaced.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The lines of the text, without their line feeds.
  var lines: [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The first line, and the bytes after it.
  var firstLine: (line: String, rest: [UInt8]) {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[end...].dropFirst()))
  }

  /// A generator whose numbers depend on the bytes only.
  var choices: Choices { Choices(bytes) }

  /// Returns the bytes in pieces whose sizes depend on the bytes only.
  func pieces() -> [ArraySlice<UInt8>] {
    var choices = choices
    var pieces: [ArraySlice<UInt8>] = []
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, position + 1 + choices.number(below: choices.flips() ? 3 : 200))
      pieces.append(bytes[position..<end])
      position = end
    }
    return pieces
  }
}

/// A generator of numbers that is seeded by bytes.
///
/// Source: SplitMix64, and FNV-1a for the seed.
struct Choices: RandomNumberGenerator {
  private var state: UInt64

  init(_ bytes: [UInt8]) {
    state = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, but not including, a limit.
  mutating func number(below limit: Int) -> Int { Int(next() % UInt64(max(limit, 1))) }

  mutating func flips() -> Bool { next() & 1 == 1 }
}
