import CatenaSystem
import Foundation

/// A detector that distinguishes random values, such as keys and tokens, from other text.
///
/// A run of letters, digits, and `-` `_` `+` `/` `=` is a token if it meets all of these
/// conditions:
///
/// - It has 20 to 512 letters and digits, of which at least 12 are not interrupted by a separator.
///   The words of slugs and paths are shorter. Longer runs are content, such as an image in base64.
/// - One of two conditions is met, because words and camel case have fewer changes than random
///   text: letters and digits alternate in at least 3 places and in 10% of all places; or there is
///   a digit, and the kind of character changes in at least 30% of all places. A change from an
///   uppercase to a lowercase letter is not counted.
/// - It has a Shannon entropy of at least 3 bits per character.
///
/// For a run with the prefix of a well-known key, see ``TokenPrefixes``, at least 16 uninterrupted
/// letters and digits after the prefix, including a digit, are sufficient.
/// UUIDs and object identifiers of 24 hexadecimal digits are not tokens.
package enum TokenDetector {
  /// Returns the tokens in a sequence of bytes.
  package static func tokens(in bytes: UnsafeBufferPointer<UInt8>) -> [String] {
    var tokens: [String] = []
    var start = 0
    for position in 0...bytes.count
    where position == bytes.count || !isTokenCharacter(bytes[position]) {
      // Fast path: shorter runs are never tokens.
      if position - start >= 20 {
        let run = Array(bytes[start..<position])
        if isToken(run) { tokens.append(String(decoding: run, as: UTF8.self)) }
      }
      start = position + 1
    }
    return tokens
  }

  /// Returns the tokens in a text.
  package static func tokens(in text: String) -> [String] {
    var text = text
    return text.withUTF8 { tokens(in: $0) }
  }

  /// Returns whether a run of token characters is a token.
  private static func isToken(_ run: [UInt8]) -> Bool {
    let run = longestPart(run)
    if let prefix = TokenPrefixes.length(in: run) ?? (run.starts(with: "eyJ".utf8) ? 3 : nil) {
      let rest = CharacterStatistics(run[prefix...])
      if rest.alphanumerics >= 16, rest.longestPiece >= 16, rest.hasDigit { return true }
    }
    let statistics = CharacterStatistics(run[...])
    guard (20...512).contains(statistics.alphanumerics), statistics.longestPiece >= 12 else {
      return false
    }
    guard !isUUID(run), !(run.count == 24 && run.allSatisfy { $0.hexDigitValue != nil }) else {
      return false
    }
    let count = statistics.alphanumerics
    let alternates = statistics.alternations >= 3 && statistics.alternations * 10 >= count
    let isMixed = statistics.hasDigit && statistics.switches * 10 >= 3 * count
    return (alternates || isMixed) && statistics.entropy >= 3
  }

  /// The statistics of a run, collected in one pass.
  private struct CharacterStatistics {
    var alphanumerics = 0
    var longestPiece = 0
    var hasDigit = false
    /// The number of places where a letter is next to a digit.
    var alternations = 0
    /// The number of places where the kind of character changes, except from an uppercase to a
    /// lowercase letter.
    var switches = 0
    var entropy = 0.0

    init(_ run: ArraySlice<UInt8>) {
      var counts = [Int](repeating: 0, count: 128)
      var previous = CharacterKind.separator
      var piece = 0
      for byte in run {
        let kind = CharacterKind(byte)
        if kind == .separator {
          piece = 0
        } else {
          piece += 1
          alphanumerics += 1
          counts[Int(byte & 0x7F)] += 1
          hasDigit = hasDigit || kind == .digit
          longestPiece = max(longestPiece, piece)
          if previous != .separator, previous != kind {
            if previous == .digit || kind == .digit { alternations += 1 }
            if !(previous == .uppercase && kind == .lowercase) { switches += 1 }
          }
        }
        previous = kind
      }
      let total = Double(max(alphanumerics, 1))
      entropy = counts.reduce(0) { sum, count in
        guard count > 0 else { return sum }
        let share = Double(count) / total
        return sum - share * share.log2
      }
    }
  }

  private enum CharacterKind {
    case lowercase
    case uppercase
    case digit
    case separator

    init(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lowercase
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .uppercase
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      default: self = .separator
      }
    }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    CharacterKind(byte) != .separator || byte.is(.tokenSeparator)
  }

  private static func longestPart(_ run: [UInt8]) -> [UInt8] {
    // Splits `name=token`, and removes the padding of base64.
    let parts = run.split(separator: UInt8(ascii: "="))
    return parts.max { $0.count < $1.count }.map(Array.init) ?? run
  }

  /// Returns whether a run is a UUID.
  ///
  /// Source: RFC 9562 section 4.
  private static func isUUID(_ run: [UInt8]) -> Bool {
    let groups = run.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy { $0.hexDigitValue != nil } }
  }
}

extension Double {
  /// The logarithm to base 2.
  fileprivate var log2: Double { Foundation.log2(self) }
}
